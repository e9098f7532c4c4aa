package io.kjadm.core.standalone;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
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
     * The regular files of these names, in whatever folder of the archive; those that are not in it
     * are missing.
     *
     * @throws IOException if it is no such archive, or cut off
     */
    static Map<String, byte[]> files(InputStream archive, Set<String> names) throws IOException {
        Map<String, byte[]> found = new LinkedHashMap<>();
        try (InputStream tar = new GZIPInputStream(archive)) {
            while (found.size() < names.size()) {
                byte[] header = tar.readNBytes(BLOCK);
                if (header.length < BLOCK || header[0] == 0) {
                    break;
                }
                long size = size(header);
                String path = text(header, 0, NAME_BYTES);
                String name = path.substring(path.lastIndexOf('/') + 1);
                boolean regular = header[TYPE_AT] == '0' || header[TYPE_AT] == 0;
                if (regular && names.contains(name)) {
                    // in one piece: programs are large, and the heap is not
                    byte[] content = new byte[(int) size];
                    if (tar.readNBytes(content, 0, content.length) < size) {
                        throw new IOException("the archive is cut off within " + path);
                    }
                    found.put(name, content);
                    tar.skipNBytes(padding(size));
                } else {
                    tar.skipNBytes(size + padding(size));
                }
            }
        }
        return found;
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
