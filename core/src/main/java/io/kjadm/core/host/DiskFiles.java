package io.kjadm.core.host;

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
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
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

    private static final String UID = "unix:uid";
    private static final String GID = "unix:gid";
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
        try {
            return Optional.of(path.toRealPath());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw failure("cannot resolve " + path, e);
        }
    }

    @Override
    public Optional<byte[]> readBytes(Path path) {
        try {
            return Optional.of(Files.readAllBytes(path));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw failure("cannot read " + path, e);
        }
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
        try (InputStream file = Files.newInputStream(path)) {
            return Optional.of(file.readNBytes(limit));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw failure("cannot read " + path, e);
        }
    }

    /** Reads no more than it returns: logs can be long. */
    @Override
    public Optional<byte[]> readEnd(Path path, int limit) {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.position(Math.max(0, channel.size() - limit));
            return Optional.of(Channels.newInputStream(channel).readNBytes(limit));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw failure("cannot read " + path, e);
        }
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
        Path target = behindLink(path.toAbsolutePath());
        createParents(target);
        Path hidden = TemporaryName.beside(target);
        try {
            TemporaryName.removeLeftOvers(target);
            writeSynced(hidden, content, mode);
            Files.move(hidden, target, StandardCopyOption.ATOMIC_MOVE);
            sync(target.getParent());
        } catch (IOException e) {
            removeQuietly(hidden, e);
            throw failure("cannot write " + path, e);
        }
    }

    @Override
    public void writeHere(Path path, byte[] content, FileMode mode) {
        Path file = path.toAbsolutePath();
        createParents(file);
        try {
            TemporaryName.removeLeftOvers(file);
            LinkFreePath.replace(file.getParent(), file.getFileName(), content, mode);
        } catch (IOException e) {
            throw failure("cannot write " + path, e);
        }
    }

    @Override
    public Optional<byte[]> readBelow(Path directory, Path file) {
        try {
            return LinkFreePath.read(directory, file);
        } catch (IOException e) {
            throw failure("cannot read " + directory.resolve(file), e);
        }
    }

    @Override
    public void createBelow(Path directory, Path file, byte[] content, FileMode mode) {
        createDirectory(directory, KubernetesPaths.parentMode(directory.resolve(file)));
        try {
            LinkFreePath.create(directory, file, content, mode);
        } catch (IOException e) {
            throw failure("cannot write " + directory.resolve(file), e);
        }
    }

    @Override
    public Set<PosixFilePermission> permissions(Path path) {
        try {
            return Files.getPosixFilePermissions(path);
        } catch (IOException e) {
            throw failure("cannot see the mode of " + path, e);
        }
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
        try {
            return new Owner((Integer) Files.getAttribute(path, UID), (Integer)
                    Files.getAttribute(path, GID));
        } catch (IOException e) {
            throw failure("cannot see the owner of " + path, e);
        }
    }

    @Override
    public void own(Path file, Owner owner, FileMode mode) {
        try {
            // the owner first: a mode that lets a group read must not do so for the old group
            Files.setAttribute(file, GID, owner.gid());
            Files.setAttribute(file, UID, owner.uid());
            Files.setPosixFilePermissions(file, mode.permissions());
        } catch (IOException e) {
            throw failure("cannot change the owner of %s to %s".formatted(file, owner), e);
        }
    }

    @Override
    public void ownTree(Path directory, Owner owner) {
        try {
            DirectoryTree.walk(directory, TreeOwning.by(directory.getFileSystem(), owner));
        } catch (IOException e) {
            throw failure(
                    "cannot change the owner of everything in %s to %s".formatted(directory, owner),
                    e);
        }
    }

    @Override
    public Optional<Claim> claim(Path lockFile) {
        try {
            FileChannel channel = FileChannel.open(
                    lockFile,
                    Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE),
                    PosixFilePermissions.asFileAttribute(FileMode.OWNER_ONLY.permissions()));
            return claimed(lockFile, channel);
        } catch (IOException e) {
            throw failure("cannot lock " + lockFile, e);
        }
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
        try {
            channel.close();
        } catch (IOException e) {
            throw failure("cannot unlock " + lockFile, e);
        }
    }

    @Override
    public void link(Path link, Path target) {
        createParents(link);
        Path hidden = TemporaryName.beside(link);
        try {
            Files.createSymbolicLink(hidden, target);
            Files.move(hidden, link, StandardCopyOption.ATOMIC_MOVE);
            sync(link.getParent());
        } catch (IOException e) {
            removeQuietly(hidden, e);
            throw failure("cannot link " + link, e);
        }
    }

    private static Path behindLink(Path path) {
        if (!Files.isSymbolicLink(path)) {
            return path;
        }
        try {
            return path.toRealPath();
        } catch (IOException dangling) {
            return path;
        }
    }

    private static void writeSynced(Path file, byte[] content, FileMode mode) throws IOException {
        // created closed: the content must not be readable for others before the mode is set
        var closed = PosixFilePermissions.asFileAttribute(FileMode.OWNER_ONLY.permissions());
        try (FileChannel channel = FileChannel.open(
                file, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), closed)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            // a mode given at creation passes through the umask, one set afterwards does not
            Files.setPosixFilePermissions(file, mode.permissions());
            channel.force(true);
        }
    }

    /** Makes a rename in the directory survive a power cut. */
    private static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static void removeQuietly(Path file, IOException first) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            first.addSuppressed(e);
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
            Files.createDirectory(
                    directory,
                    PosixFilePermissions.asFileAttribute(FileMode.PRIVATE_DIRECTORY.permissions()));
            Files.setPosixFilePermissions(directory, mode.permissions());
            sync(directory.getParent());
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory)) {
                throw failure("cannot create directory " + path, e);
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
            Files.createDirectory(
                    directory,
                    PosixFilePermissions.asFileAttribute(FileMode.PRIVATE_DIRECTORY.permissions()));
            sync(directory.getParent());
        } catch (FileAlreadyExistsException e) {
            requireOwn(directory);
        } catch (IOException e) {
            throw failure("cannot create directory " + path, e);
        }
    }

    private static void requireOwn(Path directory) {
        try {
            boolean real = Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS);
            if (!real || !OwnAccount.has(directory)) {
                throw new HostException(
                        "%s cannot be used".formatted(directory),
                        real ? "it belongs to another account" : "it is a link or a file",
                        "find out who created it and remove it, then run the same command again; what it leads to was not touched");
            }
        } catch (IOException e) {
            throw failure("cannot look at " + directory, e);
        }
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
        long[] total = {0};
        if (!Files.exists(path)) {
            return 0;
        }
        try {
            Files.walkFileTree(path, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    total[0] += attributes.size();
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException failed)
                        throws IOException {
                    if (failed instanceof NoSuchFileException) {
                        return FileVisitResult.CONTINUE;
                    }
                    throw failed;
                }
            });
        } catch (IOException e) {
            throw failure("cannot add up the files of " + path, e);
        }
        return total[0];
    }

    /**
     * {@inheritDoc}
     *
     * <p>What a write of it has left when it was killed goes, too.
     */
    @Override
    public void delete(Path path) {
        try {
            TemporaryName.removeLeftOvers(path.toAbsolutePath());
            if (Files.deleteIfExists(path)) {
                sync(path.toAbsolutePath().getParent());
            }
        } catch (IOException e) {
            throw failure("cannot delete " + path, e);
        }
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
        try {
            DirectoryTree.walk(directory, new TreeRemoval());
        } catch (IOException e) {
            throw failure("cannot remove everything below " + directory, e);
        }
    }

    @Override
    public void deleteTree(Path path) {
        Path entry = path.toAbsolutePath();
        try {
            if (Files.exists(entry, LinkOption.NOFOLLOW_LINKS)) {
                DirectoryTree.walkEntry(entry, new TreeRemoval());
                sync(entry.getParent());
            }
        } catch (IOException e) {
            throw failure("cannot remove " + path, e);
        }
    }

    @Override
    public void rename(Path from, Path to) {
        try {
            if (Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
                throw new FileAlreadyExistsException(to.toString());
            }
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
            sync(to.toAbsolutePath().getParent());
        } catch (IOException e) {
            throw failure("cannot rename %s to %s".formatted(from, to), e);
        }
    }

    private static HostException failure(String what, IOException cause) {
        return new HostException(
                what,
                reason(cause),
                "check the path, its owner and the free space, then run the command again",
                cause);
    }

    /** The JDK's message of several of these is only the path. */
    private static String reason(IOException cause) {
        return switch (cause) {
            case FileAlreadyExistsException e -> e.getFile() + " already exists";
            case NoSuchFileException e -> e.getFile() + " does not exist";
            case AccessDeniedException e -> "access to " + e.getFile() + " is denied";
            case DirectoryNotEmptyException e -> e.getFile() + " is not empty";
            default -> cause.toString();
        };
    }
}
