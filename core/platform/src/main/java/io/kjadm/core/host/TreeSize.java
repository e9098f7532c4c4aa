package io.kjadm.core.host;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Adds up the files of a directory; those that are deleted during that do not count. */
final class TreeSize extends SimpleFileVisitor<Path> {

    private long bytes;

    private TreeSize() {}

    static long bytes(Path path) throws IOException {
        var size = new TreeSize();
        Files.walkFileTree(path, size);
        return size.bytes;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        bytes += attributes.size();
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failed) throws IOException {
        if (failed instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
        }
        throw failed;
    }
}
