package io.kjadm.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.util.Set;

/** Folders whose entries survive a power cut. */
final class SyncedFolder {

    private SyncedFolder() {}

    /** Creates a folder, and those above it, that do not exist. */
    static void create(Path folder, FileAttribute<?> mode) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Path parent = folder.toAbsolutePath().getParent();
        create(parent, mode);
        try {
            Files.createDirectory(folder, mode);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
        sync(parent);
    }

    /** What was created in a folder and removed from it is on the disk then. */
    static void sync(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** The same of one that is open. */
    static void sync(SecureDirectoryStream<Path> folder) throws IOException {
        try (SeekableByteChannel channel =
                folder.newByteChannel(Path.of("."), Set.of(StandardOpenOption.READ))) {
            if (channel instanceof FileChannel file) {
                file.force(true);
            }
        }
    }
}
