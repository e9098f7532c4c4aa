package io.kjadm.etcd;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** How much the directory of an etcd that runs holds. */
public final class TreeBytes {

    private TreeBytes() {}

    /** 0 if it is not there, or changes just now. */
    public static long of(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.mapToLong(TreeBytes::size).sum();
        } catch (IOException | UncheckedIOException e) {
            // a file that was there has just been renamed
            return 0;
        }
    }

    private static long size(Path file) {
        try {
            return Files.isRegularFile(file) ? Files.size(file) : 0;
        } catch (IOException e) {
            return 0;
        }
    }
}
