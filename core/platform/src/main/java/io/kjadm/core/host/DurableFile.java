package io.kjadm.core.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The steps of a write that survives a power cut. */
final class DurableFile {

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

    /** Makes a rename in the directory survive a power cut. */
    static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
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
