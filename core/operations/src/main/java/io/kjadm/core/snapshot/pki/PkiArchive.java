package io.kjadm.core.snapshot.pki;

import io.kjadm.core.host.FileMode;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Files that a cluster needs, as a tar archive (POSIX ustar), so that {@code tar} reads it too. */
public final class PkiArchive {

    private static final int BLOCK = 512;
    private static final int NAME_BYTES = 100;
    private static final int MODE_AT = 100;
    private static final int OWNER_AT = 108;
    private static final int SIZE_AT = 124;
    private static final int TIME_AT = 136;
    private static final int SUM_AT = 148;
    private static final int TYPE_AT = 156;
    private static final int MAGIC_AT = 257;
    private static final int PREFIX_AT = 345;
    private static final int PREFIX_BYTES = 155;
    private static final int OTHERS_READ = 0004;
    /** No certificate is as long. */
    private static final long LARGEST = 4L << 20;

    private static final int MOST = 1000;
    /** All files of a bundle together. */
    private static final long LARGEST_BUNDLE = 16L << 20;

    private PkiArchive() {}

    /** Writes them; {@code to} is left open. */
    public static void write(List<PkiFile> files, OutputStream to) throws IOException {
        for (PkiFile file : files) {
            to.write(header(file));
            to.write(file.content());
            to.write(new byte[-file.content().length & BLOCK - 1]);
        }
        to.write(new byte[2 * BLOCK]);
    }

    private static byte[] header(PkiFile file) {
        byte[] name = file.path().toString().getBytes(StandardCharsets.UTF_8);
        if (name.length > NAME_BYTES) {
            throw new IllegalArgumentException("%s is too long a name".formatted(file.path()));
        }
        byte[] header = new byte[BLOCK];
        System.arraycopy(name, 0, header, 0, name.length);
        octal(header, MODE_AT, 8, file.mode() == FileMode.WORLD_READABLE ? 0644 : 0600);
        octal(header, OWNER_AT, 8, 0);
        octal(header, OWNER_AT + 8, 8, 0);
        octal(header, SIZE_AT, 12, file.content().length);
        octal(header, TIME_AT, 12, 0);
        header[TYPE_AT] = '0';
        text(header, MAGIC_AT, "ustar\00000");
        octal(header, SUM_AT, 7, sum(header));
        header[SUM_AT + 7] = ' ';
        return header;
    }

    private static void octal(byte[] header, int at, int length, long value) {
        text(header, at, ("%0" + (length - 1) + "o").formatted(value));
    }

    private static void text(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    /** Its own field counts as blanks. */
    private static long sum(byte[] header) {
        byte[] summed = header.clone();
        Arrays.fill(summed, SUM_AT, SUM_AT + 8, (byte) ' ');
        long sum = 0;
        for (byte one : summed) {
            sum += one & 0xff;
        }
        return sum;
    }

    /**
     * Reads them again.
     *
     * @throws IOException if it is no such archive, or has what would lead out of a folder
     */
    public static List<PkiFile> read(InputStream from) throws IOException {
        List<PkiFile> files = new ArrayList<>();
        long total = 0;
        for (byte[] header = block(from); header[0] != 0; header = block(from)) {
            long size = octal(header, SIZE_AT, 12);
            boolean regular = header[TYPE_AT] == '0' || header[TYPE_AT] == 0;
            if (octal(header, SUM_AT, 8) != sum(header)) {
                throw new IOException("a header in it is damaged");
            }
            total += size;
            if (!regular
                    || size < 0
                    || size > LARGEST
                    || total > LARGEST_BUNDLE
                    || files.size() == MOST) {
                throw new IOException("unexpected entry in the archive");
            }
            byte[] content = from.readNBytes((int) size);
            from.skipNBytes(-size & BLOCK - 1);
            if (content.length < size) {
                throw new IOException("it ends within a file");
            }
            files.add(new PkiFile(
                    path(header),
                    (octal(header, MODE_AT, 8) & OTHERS_READ) != 0
                            ? FileMode.WORLD_READABLE
                            : FileMode.OWNER_ONLY,
                    content));
        }
        return files;
    }

    private static byte[] block(InputStream from) throws IOException {
        byte[] block = from.readNBytes(BLOCK);
        if (block.length < BLOCK) {
            throw new IOException("it ends too early");
        }
        return block;
    }

    private static Path path(byte[] header) throws IOException {
        String prefix = word(header, PREFIX_AT, PREFIX_BYTES);
        String name = word(header, 0, NAME_BYTES);
        try {
            Path path = Path.of(prefix.isEmpty() ? name : prefix + "/" + name);
            if (path.isAbsolute() || !path.normalize().equals(path) || path.startsWith("..")) {
                throw new IOException("%s points outside of its directory".formatted(path));
            }
            return path;
        } catch (InvalidPathException e) {
            throw new IOException("a name in it is not valid", e);
        }
    }

    private static String word(byte[] header, int at, int length) {
        int end = at;
        while (end < at + length && header[end] != 0) {
            end++;
        }
        return new String(header, at, end - at, StandardCharsets.UTF_8);
    }

    private static long octal(byte[] header, int at, int length) throws IOException {
        try {
            return Long.parseLong(word(header, at, length).strip(), 8);
        } catch (NumberFormatException e) {
            throw new IOException("a header in it is damaged", e);
        }
    }
}
