package io.kjadm.core.simulation;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.Owner;

import java.nio.file.Path;
import java.util.Optional;

/** The files of a machine in the hands of one program, which may die before and after a change. */
final class HostDisk extends ForwardingFiles {

    private final Host host;
    private final Program program;
    private final MemoryFiles files;

    HostDisk(Host host, Program program) {
        super(host.files);
        this.host = host;
        this.program = program;
        this.files = host.files;
    }

    private void change(Runnable change) {
        program.point();
        change.run();
        host.looked();
        program.point();
    }

    private void goes(Path path, Optional<Path> to) {
        if (Host.DATA.startsWith(path) && files.exists(Host.DATA)) {
            host.dataGoes(to);
        }
    }

    @Override
    public Optional<Path> realPath(Path path) {
        return files.realPath(path);
    }

    @Override
    public void write(Path path, byte[] content, FileMode mode) {
        change(() -> {
            program.requireNoSignal("cannot write " + path);
            if (host.full) {
                throw new HostException("cannot write " + path, "no space left on device", "");
            }
            files.write(path, content, mode);
        });
    }

    @Override
    public void append(Path path, String text) {
        change(() -> files.append(path, text));
    }

    @Override
    public void own(Path file, Owner owner, FileMode mode) {
        change(() -> files.own(file, owner, mode));
    }

    @Override
    public void delete(Path path) {
        change(() -> {
            goes(path, Optional.empty());
            files.delete(path);
        });
    }

    @Override
    public void deleteContents(Path directory) {
        change(() -> {
            goes(directory, Optional.empty());
            files.deleteContents(directory);
        });
    }

    @Override
    public void deleteTree(Path path) {
        change(() -> {
            goes(path, Optional.empty());
            files.deleteTree(path);
        });
    }

    @Override
    public void rename(Path from, Path to) {
        change(() -> {
            goes(from, Optional.of(to));
            files.rename(from, to);
        });
    }
}
