package io.kjadm.core.host;

import io.kjadm.core.error.HostException;
import io.kjadm.etcd.Mutates;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The machine's files, as a port: the disk, an overlay that only reports (dry run), or memory.
 *
 * <p>Every failure is a {@link io.kjadm.core.error.HostException} naming the path.
 *
 * <p>A change that has returned is on the disk: no power cut takes it back. One that is cut is made
 * or not, if it is of one file, name or directory; of a tree, each file for itself. {@link #fill} and
 * {@link #append} may leave a part.
 */
public interface HostFiles {

    /**
     * What the kernel calls the file in its lists of locks, {@code MAJOR:MINOR:INODE} with the
     * device in hexadecimal digits ({@code proc_locks(5)}); empty if there is none, or it has no
     * such name.
     */
    default Optional<String> fileId(Path path) {
        return Optional.empty();
    }

    /** Who a file that is there belongs to (links are followed). */
    default Owner owner(Path path) {
        return Owner.ROOT;
    }

    /** When a file that is there was last written; empty if that is not known. */
    default Optional<Instant> modified(Path path) {
        return Optional.empty();
    }

    /** Whether something is at the path (links are followed). */
    boolean exists(Path path);

    /** Whether the path is a directory. */
    boolean isDirectory(Path path);

    /**
     * The path without symbolic links, as the kernel's tables show it; empty if nothing is there.
     */
    default Optional<Path> realPath(Path path) {
        return exists(path) ? Optional.of(path.toAbsolutePath().normalize()) : Optional.empty();
    }

    /** The bytes of a file, or empty if there is none. */
    Optional<byte[]> readBytes(Path path);

    /** The first bytes of a file, at most so many, or empty if there is none. */
    default Optional<byte[]> readStart(Path path, int limit) {
        return readBytes(path).map(bytes -> Arrays.copyOf(bytes, Math.min(limit, bytes.length)));
    }

    /**
     * The UTF-8 text of a file, or empty if there is none. One of more than 3 MiB is not read: it
     * is not what it is taken for.
     */
    default Optional<String> read(Path path) {
        return readStart(path, TextInput.MAX_BYTES + 1).map(start -> TextInput.whole(path, start));
    }

    /**
     * The bytes of a file, one after another, for files that are too long to be kept; none if there
     * is no file.
     */
    default InputStream open(Path path) {
        return new ByteArrayInputStream(readBytes(path).orElse(new byte[0]));
    }

    /** The last bytes of a file, at most so many, or empty if there is none. */
    default Optional<byte[]> readEnd(Path path, int limit) {
        return readBytes(path)
                .map(bytes ->
                        Arrays.copyOfRange(bytes, Math.max(0, bytes.length - limit), bytes.length));
    }

    /**
     * Writes a file so that a reader sees the old content or the new one, never a part: a hidden
     * temporary file beside it, synced, then renamed. Missing parents are created with the mode
     * that {@link KubernetesPaths#parentMode} gives. Repeating it is harmless.
     */
    @Mutates
    void write(Path path, byte[] content, FileMode mode);

    /** {@link #write(Path, byte[], FileMode)} of a file that belongs to that account at once. */
    @Mutates
    default void write(Path path, byte[] content, FileMode mode, Owner owner) {
        write(path, content, mode);
        if (!owner.equals(Owner.ROOT)) {
            own(path, owner, mode);
        }
    }

    /**
     * {@link #write(Path, byte[], FileMode)} in a directory that another account may write to: a
     * link that has the file's name is replaced, not followed.
     */
    @Mutates
    default void writeHere(Path path, byte[] content, FileMode mode) {
        write(path, content, mode);
    }

    /**
     * The bytes of a file below a directory, or empty if there is none.
     *
     * @param file relative to the directory
     * @throws HostException if a component below the directory is a symbolic link
     */
    default Optional<byte[]> readBelow(Path directory, Path file) {
        requireNoLinks(this, directory, file);
        Path path = directory.resolve(file);
        return exists(path) ? readBytes(path) : Optional.empty();
    }

    /**
     * Creates a file below a directory with its missing parents, so that a reader sees all of it or
     * nothing.
     *
     * @param file relative to the directory
     * @throws HostException if the file exists, or a component below the directory is a symbolic
     *     link; another account cannot redirect the write with a link created meanwhile
     */
    @Mutates
    default void createBelow(Path directory, Path file, byte[] content, FileMode mode) {
        requireNoLinks(this, directory, file);
        Path path = directory.resolve(file);
        if (exists(path)) {
            throw new HostException(
                    "cannot write " + path, path + " already exists", "name another directory");
        }
        write(path, content, mode);
    }

    private static void requireNoLinks(HostFiles files, Path directory, Path file) {
        Path place = directory;
        for (Path name : file) {
            place = place.resolve(name);
            Path parent = place.getParent();
            Path expected = files.realPath(parent).orElse(parent).resolve(name);
            Path checked = place;
            files.realPath(place).filter(real -> !real.equals(expected)).ifPresent(_ -> {
                throw new HostException(
                        "%s is a symbolic link".formatted(checked),
                        "nothing is read or written through links below " + directory,
                        "remove the link, or name another directory");
            });
        }
    }

    /** The permission bits of a file that is there (links are followed); empty if not known. */
    default Set<PosixFilePermission> permissions(Path path) {
        return Set.of();
    }

    /** {@link #write(Path, byte[], FileMode)} of UTF-8 text. */
    @Mutates
    default void write(Path path, String content, FileMode mode) {
        write(path, content.getBytes(java.nio.charset.StandardCharsets.UTF_8), mode);
    }

    /**
     * Fills a file with bytes as they come, for those that are too many to be kept; what was in it
     * before is gone. They are synced when this returns. A failure leaves a part, so it is for a
     * name that nobody looks at before it is {@link #rename renamed}.
     */
    @Mutates
    default void fill(Path path, FileMode mode, Filling content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            content.into(bytes);
        } catch (IOException e) {
            throw new HostException("cannot write " + path, e.toString(), "", e);
        }
        write(path, bytes.toByteArray(), mode);
    }

    /** Where a file's bytes come from. */
    @FunctionalInterface
    interface Filling {

        /** Writes them all. */
        void into(OutputStream file) throws IOException;
    }

    /**
     * Adds text to the end of a file, which keeps its identity: owner, mode and security label. A
     * file that does not exist is created for everybody to read. If it fails, the file is as
     * before; a power cut may leave a part of the text, or zeros.
     */
    @Mutates
    void append(Path path, String text);

    /**
     * Gives a file that exists to somebody (links are followed) and sets its mode. Repeating it is
     * harmless. A power cut may leave the group or the owner changed and the mode not.
     */
    @Mutates
    void own(Path file, Owner owner, FileMode mode);

    /**
     * Gives a directory and the files and directories in it to somebody; modes stay. Links in it
     * stay as they are and are not followed. What vanishes meanwhile is passed over: a running
     * program may be using the directory. What another program wrote there and did not sync is on
     * the disk then.
     */
    @Mutates
    void ownTree(Path directory, Owner owner);

    /**
     * Claims a lock file as other programs do (POSIX record lock), creating it if need be; empty if
     * somebody holds it. The claim ends with {@link Claim#close} or with the program.
     */
    Optional<Claim> claim(Path lockFile);

    /** A lock that is held. */
    interface Claim extends AutoCloseable {

        @Override
        void close();
    }

    /**
     * Makes {@code link} stand for an existing file, replacing what was there. Where there are no
     * links, it becomes a copy.
     */
    @Mutates
    default void link(Path link, Path target) {
        write(link, readBytes(target).orElseThrow(), FileMode.OWNER_ONLY);
    }

    /** Creates a directory (and its parents); an existing one is left as it is. */
    @Mutates
    void createDirectory(Path path, FileMode mode);

    /**
     * Creates a directory for this program alone ({@link FileMode#PRIVATE_DIRECTORY}) in one that
     * another account may write to; an earlier one of this program is left as it is.
     *
     * @throws HostException if something else is there: a symbolic link, which leads to wherever
     *     that account wants, or what does not belong to this program's account
     */
    @Mutates
    default void createOwnDirectory(Path path) {
        createDirectory(path, FileMode.PRIVATE_DIRECTORY);
    }

    /** The entries of a directory, sorted by name; empty if it does not exist. */
    List<Path> list(Path directory);

    /**
     * Bytes of a file, or of all files below a directory; 0 if it does not exist. What vanishes
     * meanwhile does not count.
     */
    default long treeBytes(Path path) {
        return isDirectory(path)
                ? list(path).stream().mapToLong(this::treeBytes).sum()
                : readBytes(path).map(bytes -> (long) bytes.length).orElse(0L);
    }

    /** Removes one file; nothing happens if it is not there. */
    @Mutates
    void delete(Path path);

    /**
     * Removes everything below a directory and keeps the directory; nothing happens if it is not
     * there.
     */
    @Mutates
    void deleteContents(Path directory);

    /**
     * Removes a file, a symbolic link (what it points to stays), or a directory with everything
     * below it; nothing happens if it is not there.
     */
    @Mutates
    void deleteTree(Path path);

    /** Renames within one file system; the target must not exist. */
    @Mutates
    void rename(Path from, Path to);
}
