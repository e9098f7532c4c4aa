package io.kjadm.core.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/** The steps of a write that survives a power cut. */
final class DurableFile {

    static final String UID = "unix:uid";
    static final String GID = "unix:gid";

    private DurableFile() {}

    /** What a symbolic link leads to; a path that is none, or a link to nothing, as it is. */
    static Path behindLink(Path path) {
        if (!Files.isSymbolicLink(path)) {
            return path;
        }
        try {
            return path.toRealPath();
        } catch (IOException dangling) {
            return path;
        }
    }

    /**
     * Writes a file so that a reader sees the old one or all of the new one, with its mode and its
     * owner.
     *
     * @param owner empty for this program's account
     */
    static void replace(Path file, byte[] content, FileMode mode, Optional<Owner> owner)
            throws IOException {
        Path hidden = TemporaryName.beside(file);
        try {
            TemporaryName.removeLeftOvers(file);
            write(hidden, content, mode);
            if (owner.isPresent()) {
                own(hidden, owner.get(), mode);
            }
            Files.move(hidden, file, StandardCopyOption.ATOMIC_MOVE);
            sync(file.getParent());
        } catch (IOException e) {
            removeQuietly(hidden, e);
            throw e;
        }
    }

    /** Gives a file to somebody, and sets its mode. */
    static void own(Path file, Owner owner, FileMode mode) throws IOException {
        // the owner first: a mode that lets a group read must not do so for the old group
        Files.setAttribute(file, GID, owner.gid());
        Files.setAttribute(file, UID, owner.uid());
        Files.setPosixFilePermissions(file, mode.permissions());
        sync(file);
    }

    /** Creates a file that is on the disk before this returns. */
    static void write(Path file, byte[] content, FileMode mode) throws IOException {
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

    /**
     * Creates a directory that is on the disk before this returns. It has its mode, without what
     * the umask takes from it, at once: one that a kill left with another mode would keep that.
     *
     * @throws java.nio.file.FileAlreadyExistsException if something has its name
     */
    static void createDirectory(Path directory, FileMode mode) throws IOException {
        Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(mode.permissions()));
        sync(directory.getParent());
    }

    /**
     * Makes what was done to a file, or to the names in a directory, survive a power cut; also its
     * mode and owner.
     */
    static void sync(Path fileOrDirectory) throws IOException {
        try (FileChannel channel = FileChannel.open(fileOrDirectory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** The same, below an open directory; a link is refused. */
    static void sync(SecureDirectoryStream<Path> parent, Path name) throws IOException {
        Set<OpenOption> read = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        try (SeekableByteChannel channel = parent.newByteChannel(name, read)) {
            if (channel instanceof FileChannel file) {
                file.force(true);
            }
        }
    }

    /** The same, of an open directory. */
    static void sync(SecureDirectoryStream<Path> directory) throws IOException {
        sync(directory, Path.of("."));
    }

    /** A failure to remove is noted with the first one. */
    static void removeQuietly(Path file, IOException first) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            first.addSuppressed(e);
        }
    }
}
