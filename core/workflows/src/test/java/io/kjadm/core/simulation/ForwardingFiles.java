package io.kjadm.core.simulation;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Owner;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Files of which somebody changes how they look. */
class ForwardingFiles implements HostFiles {

    private final HostFiles real;

    ForwardingFiles(HostFiles real) {
        this.real = real;
    }

    @Override
    public boolean exists(Path path) {
        return real.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return real.isDirectory(path);
    }

    @Override
    public Optional<byte[]> readBytes(Path path) {
        return real.readBytes(path);
    }

    @Override
    public Optional<byte[]> readBelow(Path directory, Path file) {
        return real.readBelow(directory, file);
    }

    @Override
    public void write(Path path, byte[] content, FileMode mode) {
        real.write(path, content, mode);
    }

    @Override
    public void append(Path path, String text) {
        real.append(path, text);
    }

    @Override
    public void own(Path file, Owner owner, FileMode mode) {
        real.own(file, owner, mode);
    }

    @Override
    public void ownTree(Path directory, Owner owner) {
        real.ownTree(directory, owner);
    }

    @Override
    public Optional<Claim> claim(Path lockFile) {
        return real.claim(lockFile);
    }

    @Override
    public void createDirectory(Path path, FileMode mode) {
        real.createDirectory(path, mode);
    }

    @Override
    public List<Path> list(Path directory) {
        return real.list(directory);
    }

    @Override
    public void delete(Path path) {
        real.delete(path);
    }

    @Override
    public void deleteContents(Path directory) {
        real.deleteContents(directory);
    }

    @Override
    public void deleteTree(Path path) {
        real.deleteTree(path);
    }

    @Override
    public void rename(Path from, Path to) {
        real.rename(from, to);
    }
}
