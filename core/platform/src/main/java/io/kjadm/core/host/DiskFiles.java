package io.kjadm.core.host;

import static io.kjadm.core.host.DiskCalls.answer;
import static io.kjadm.core.host.DiskCalls.attempt;
import static io.kjadm.core.host.DiskCalls.failure;
import static io.kjadm.core.host.DiskCalls.present;
import static io.kjadm.core.host.DurableFile.behindLink;
import static io.kjadm.core.host.DurableFile.removeQuietly;
import static io.kjadm.core.host.DurableFile.sync;

import io.kjadm.core.error.HostException;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The files of this machine's disk. */
public final class DiskFiles implements HostFiles {

    private static final int FILL_BYTES = 1 << 20;

    @Override
    public boolean exists(Path path) {
        return Files.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return Files.isDirectory(path);
    }

    @Override
    public Optional<Path> realPath(Path path) {
        return present("cannot resolve " + path, path::toRealPath);
    }

    @Override
    public Optional<byte[]> readBytes(Path path) {
        return present("cannot read " + path, () -> Files.readAllBytes(path));
    }

    @Override
    public InputStream open(Path path) {
        try {
            return Files.newInputStream(path);
        } catch (NoSuchFileException e) {
            return InputStream.nullInputStream();
        } catch (IOException e) {
            throw failure("cannot read " + path, e);
        }
    }

    @Override
    public Optional<byte[]> readStart(Path path, int limit) {
        return present("cannot read " + path, () -> {
            try (InputStream file = Files.newInputStream(path)) {
                return file.readNBytes(limit);
            }
        });
    }

    /** Reads no more than it returns: logs can be long. */
    @Override
    public Optional<byte[]> readEnd(Path path, int limit) {
        return present("cannot read " + path, () -> {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
                channel.position(Math.max(0, channel.size() - limit));
                return Channels.newInputStream(channel).readNBytes(limit);
            }
        });
    }

    /**
     * {@inheritDoc}
     *
     * <p>The name of the temporary file begins with a dot: the kubelet passes over such files, so a
     * half-written manifest never starts a pod. What an earlier write has left of it when it was
     * killed, which may be a key, goes. A symbolic link stays and its target is replaced.
     */
    @Override
    public void write(Path path, byte[] content, FileMode mode) {
        replace(path, content, mode, Optional.empty());
    }

    @Override
    public void write(Path path, byte[] content, FileMode mode, Owner owner) {
        // root's are made as root's
        replace(path, content, mode, Optional.of(owner).filter(one -> !one.equals(Owner.ROOT)));
    }

    private void replace(Path path, byte[] content, FileMode mode, Optional<Owner> owner) {
        Path target = behindLink(path.toAbsolutePath());
        createParents(target);
        attempt("cannot write " + path, () -> DurableFile.replace(target, content, mode, owner));
    }

    @Override
    public void writeHere(Path path, byte[] content, FileMode mode) {
        Path file = path.toAbsolutePath();
        createParents(file);
        attempt(
                "cannot write " + path,
                () -> LinkFreePath.replace(file.getParent(), file.getFileName(), content, mode));
    }

    @Override
    public Optional<byte[]> readBelow(Path directory, Path file) {
        return answer(
                "cannot read " + directory.resolve(file), () -> LinkFreePath.read(directory, file));
    }

    @Override
    public void createBelow(Path directory, Path file, byte[] content, FileMode mode) {
        createDirectory(directory, KubernetesPaths.parentMode(directory.resolve(file)));
        attempt(
                "cannot write " + directory.resolve(file),
                () -> LinkFreePath.create(directory, file, content, mode));
    }

    @Override
    public Set<PosixFilePermission> permissions(Path path) {
        return answer("cannot see the mode of " + path, () -> Files.getPosixFilePermissions(path));
    }

    @Override
    public void fill(Path path, FileMode mode, Filling content) {
        createParents(path);
        var closed = PosixFilePermissions.asFileAttribute(FileMode.OWNER_ONLY.permissions());
        try (FileChannel channel = FileChannel.open(
                path,
                Set.of(
                        StandardOpenOption.WRITE,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        LinkOption.NOFOLLOW_LINKS),
                closed)) {
            Files.setPosixFilePermissions(path, mode.permissions());
            OutputStream stream =
                    new BufferedOutputStream(Channels.newOutputStream(channel), FILL_BYTES);
            content.into(stream);
            stream.flush();
            channel.force(true);
            sync(path.toAbsolutePath().getParent());
        } catch (IOException e) {
            throw failure("cannot write " + path, e);
        }
    }

    @Override
    public void append(Path path, String text) {
        if (!Files.exists(path)) {
            write(path, text, FileMode.WORLD_READABLE);
            return;
        }
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            long before = channel.size();
            channel.position(before);
            try {
                ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            } catch (IOException e) {
                channel.truncate(before);
                throw e;
            }
        } catch (IOException e) {
            throw failure("cannot append to " + path, e);
        }
    }

    @Override
    public Owner owner(Path path) {
        return answer(
                "cannot see the owner of " + path,
                () -> new Owner((Integer) Files.getAttribute(path, DurableFile.UID), (Integer)
                        Files.getAttribute(path, DurableFile.GID)));
    }

    @Override
    public void own(Path file, Owner owner, FileMode mode) {
        attempt(
                "cannot change the owner of %s to %s".formatted(file, owner),
                () -> DurableFile.own(file, owner, mode));
    }

    @Override
    public void ownTree(Path directory, Owner owner) {
        attempt(
                "cannot change the owner of everything in %s to %s".formatted(directory, owner),
                () -> DirectoryTree.walk(
                        directory, TreeOwning.by(directory.getFileSystem(), owner)));
    }

    @Override
    public Optional<Claim> claim(Path lockFile) {
        return answer("cannot lock " + lockFile, () -> {
            FileChannel channel = FileChannel.open(
                    lockFile,
                    Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE),
                    PosixFilePermissions.asFileAttribute(FileMode.OWNER_ONLY.permissions()));
            return claimed(lockFile, channel);
        });
    }

    private static Optional<Claim> claimed(Path lockFile, FileChannel channel) throws IOException {
        try {
            if (channel.tryLock() != null) {
                return Optional.of(() -> release(lockFile, channel));
            }
        } catch (OverlappingFileLockException heldByThisProgram) {
            // the same answer as for another program's lock
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        channel.close();
        return Optional.empty();
    }

    /** Closing the channel gives the lock back. */
    private static void release(Path lockFile, FileChannel channel) {
        attempt("cannot unlock " + lockFile, channel::close);
    }

    @Override
    public void link(Path link, Path target) {
        createParents(link);
        Path hidden = TemporaryName.beside(link);
        try {
            TemporaryName.removeLeftOvers(link);
            Files.createSymbolicLink(hidden, target);
            Files.move(hidden, link, StandardCopyOption.ATOMIC_MOVE);
            sync(link.getParent());
        } catch (IOException e) {
            removeQuietly(hidden, e);
            throw failure("cannot link " + link, e);
        }
    }

    private void createParents(Path file) {
        Path parent = file.getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            createDirectory(parent, KubernetesPaths.parentMode(file));
        }
    }

    @Override
    public void createDirectory(Path path, FileMode mode) {
        Path directory = path.toAbsolutePath();
        if (Files.isDirectory(directory)) {
            return;
        }
        createParents(directory);
        try {
            DurableFile.createDirectory(directory, mode);
            if (!Files.getPosixFilePermissions(directory).equals(mode.permissions())) {
                Files.setPosixFilePermissions(directory, mode.permissions());
                sync(directory);
            }
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory)) {
                throw new HostException(
                        "cannot create directory " + path,
                        "a file with that name exists",
                        "move it away, or name another directory",
                        e);
            }
        } catch (IOException e) {
            throw failure("cannot create directory " + path, e);
        }
    }

    @Override
    public void createOwnDirectory(Path path) {
        Path directory = path.toAbsolutePath();
        createParents(directory);
        try {
            DurableFile.createDirectory(directory, FileMode.PRIVATE_DIRECTORY);
        } catch (FileAlreadyExistsException e) {
            requireOwn(directory);
        } catch (IOException e) {
            throw failure("cannot create directory " + path, e);
        }
    }

    private static void requireOwn(Path directory) {
        attempt("cannot look at " + directory, () -> {
            boolean real = Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS);
            if (!real || !OwnAccount.has(directory)) {
                throw new HostException(
                        "%s cannot be used".formatted(directory),
                        real ? "it belongs to another account" : "it is a link or a file",
                        "find out who created it and remove it, then run the same command again; what it leads to was not touched");
            }
        });
    }

    @Override
    public List<Path> list(Path directory) {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        } catch (IOException e) {
            throw failure("cannot list " + directory, e);
        }
    }

    @Override
    public Optional<String> fileId(Path path) {
        try {
            Map<String, Object> file = Files.readAttributes(path, "unix:dev,ino");
            // as the C library splits it (makedev(3))
            long dev = (Long) file.get("dev");
            long major = dev >>> 8 & 0xfff | dev >>> 32 & ~0xfffL;
            long minor = dev & 0xff | dev >>> 12 & ~0xffL;
            return Optional.of("%02x:%02x:%d".formatted(major, minor, (Long) file.get("ino")));
        } catch (IOException | UnsupportedOperationException e) {
            return Optional.empty();
        }
    }

    @Override
    public Optional<Instant> modified(Path path) {
        try {
            return Optional.of(Files.getLastModifiedTime(path).toInstant());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public long treeBytes(Path path) {
        return Files.exists(path)
                ? answer("cannot add up the files of " + path, () -> TreeSize.bytes(path))
                : 0;
    }

    /**
     * {@inheritDoc}
     *
     * <p>What a write of it has left when it was killed goes, too.
     */
    @Override
    public void delete(Path path) {
        attempt("cannot delete " + path, () -> {
            boolean leftOvers = TemporaryName.removeLeftOvers(path.toAbsolutePath());
            if (Files.deleteIfExists(path) || leftOvers) {
                sync(path.toAbsolutePath().getParent());
            }
        });
    }

    /**
     * {@inheritDoc}
     *
     * <p>Symbolic links below the directory are removed, not followed, also those that somebody
     * puts there meanwhile. One entry that cannot be removed does not keep the others; the failure
     * names the first.
     */
    @Override
    public void deleteContents(Path directory) {
        if (!Files.isDirectory(directory)) {
            return;
        }
        attempt(
                "cannot remove everything below " + directory,
                () -> DirectoryTree.walk(directory, new TreeRemoval()));
    }

    @Override
    public void deleteTree(Path path) {
        Path entry = path.toAbsolutePath();
        attempt("cannot remove " + path, () -> {
            if (Files.exists(entry, LinkOption.NOFOLLOW_LINKS)) {
                DirectoryTree.walkEntry(entry, new TreeRemoval());
            }
        });
    }

    @Override
    public void rename(Path from, Path to) {
        attempt("cannot rename %s to %s".formatted(from, to), () -> {
            if (Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
                throw new FileAlreadyExistsException(to.toString());
            }
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
            // both: else a power cut may bring the old name back
            sync(to.toAbsolutePath().getParent());
            sync(from.toAbsolutePath().getParent());
        });
    }

    /** Removes what a directory holds; symbolic links go, what they point to stays. */
    private static final class TreeRemoval implements DirectoryTree.Work {

        /** Unlinking tells files and links from directories in the moment that it happens. */
        @Override
        public boolean enter(SecureDirectoryStream<Path> parent, Path name) throws IOException {
            try {
                parent.deleteFile(name);
                return false;
            } catch (NoSuchFileException vanished) {
                throw vanished;
            } catch (FileSystemException refused) {
                if (DirectoryTree.facts(parent, name).isDirectory()) {
                    return true;
                }
                throw refused;
            }
        }

        @Override
        public void leave(SecureDirectoryStream<Path> parent, Path name) throws IOException {
            parent.deleteDirectory(name);
        }
    }
}
