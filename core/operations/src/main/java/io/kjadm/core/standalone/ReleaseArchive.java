package io.kjadm.core.standalone;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.zip.GZIPInputStream;

/** Takes single files out of a {@code tar.gz} (POSIX ustar). */
final class ReleaseArchive {

    private static final int BLOCK = 512;
    private static final int NAME_BYTES = 100;
    private static final int SIZE_AT = 124;
    private static final int SIZE_BYTES = 12;
    private static final int TYPE_AT = 156;
    /** Far more than a binary of etcd has. */
    private static final long LONGEST = 128L << 20;

    private ReleaseArchive() {}

    /**
     * A regular file by its name, in whatever folder of the archive; empty if it is not in it.
     *
     * @throws IOException if it is no such archive, or cut off
     */
    static Optional<byte[]> file(InputStream archive, String name) throws IOException {
        try (Entries entries = new Entries(archive)) {
            while (entries.next()) {
                if (entries.name.equals(name)) {
                    return Optional.of(entries.content());
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Those of these names that there are.
     *
     * @throws IOException as {@link #file}
     */
    static Set<String> names(InputStream archive, Set<String> names) throws IOException {
        Set<String> found = new HashSet<>();
        try (Entries entries = new Entries(archive)) {
            while (found.size() < names.size() && entries.next()) {
                if (names.contains(entries.name)) {
                    found.add(entries.name);
                }
            }
        }
        return found;
    }

    /** The regular files of an archive, one after the other. */
    private static final class Entries implements AutoCloseable {

        private final InputStream tar;
        /** Of the file, without its folder. */
        private String name = "";

        private int length;
        /** Bytes up to the next header. */
        private long left;

        Entries(InputStream archive) throws IOException {
            tar = new GZIPInputStream(archive);
        }

        /** Goes to the next one; false if there is none. */
        boolean next() throws IOException {
            while (true) {
                tar.skipNBytes(left);
                byte[] header = tar.readNBytes(BLOCK);
                if (header.length < BLOCK || header[0] == 0) {
                    return false;
                }
                long size = size(header);
                left = size + padding(size);
                if (header[TYPE_AT] == '0' || header[TYPE_AT] == 0) {
                    String path = text(header, 0, NAME_BYTES);
                    name = path.substring(path.lastIndexOf('/') + 1);
                    length = (int) size;
                    return true;
                }
            }
        }

        /** In one piece: programs are large, and the heap is not. */
        byte[] content() throws IOException {
            byte[] content = new byte[length];
            if (tar.readNBytes(content, 0, length) < length) {
                throw new IOException("the archive is cut off within " + name);
            }
            left -= length;
            return content;
        }

        @Override
        public void close() throws IOException {
            tar.close();
        }
    }

    /**
     * The folder that all files of a release are in, such as {@code etcd-v3.6.8-linux-amd64}.
     *
     * @throws IOException if it is no such archive
     */
    static String folder(InputStream archive) throws IOException {
        try (InputStream tar = new GZIPInputStream(archive)) {
            String path = text(tar.readNBytes(BLOCK), 0, NAME_BYTES);
            return path.replaceFirst("^\\./", "").replaceFirst("/.*", "");
        }
    }

    private static long padding(long size) {
        return (BLOCK - size % BLOCK) % BLOCK;
    }

    private static long size(byte[] header) throws IOException {
        String octal = text(header, SIZE_AT, SIZE_BYTES).strip();
        if (!octal.matches("[0-7]{1,11}") || Long.parseLong(octal, 8) > LONGEST) {
            throw new IOException("it is not a tar archive of etcd's");
        }
        return Long.parseLong(octal, 8);
    }

    private static String text(byte[] header, int from, int length) {
        int end = from;
        while (end < Math.min(from + length, header.length) && header[end] != 0) {
            end++;
        }
        return new String(header, from, end - from, StandardCharsets.UTF_8);
    }
}
