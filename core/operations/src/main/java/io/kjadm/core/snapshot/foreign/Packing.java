package io.kjadm.core.snapshot.foreign;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** How a snapshot is wrapped in its file. */
enum Packing {
    PLAIN,
    GZIP,
    /** RFC 1950. */
    ZLIB,
    /** An archive with one file. */
    ZIP;

    private static final int BUFFER = 64 * 1024;

    /** Of a file that begins so; there is nothing else that begins as a database of etcd does. */
    static Packing of(byte[] start) {
        if (begins(start, 0x1f, 0x8b)) {
            return GZIP;
        }
        if (begins(start, 'P', 'K', 3, 4)) {
            return ZIP;
        }
        // deflate with a window of up to 32 KiB, and a check sum over both bytes
        boolean zlib = start.length > 1
                && (start[0] & 0x0f) == 8
                && (start[0] & 0xf0) <= 0x70
                && ((start[0] & 0xff) << 8 | start[1] & 0xff) % 31 == 0;
        return zlib ? ZLIB : PLAIN;
    }

    private static boolean begins(byte[] bytes, int... with) {
        if (bytes.length < with.length) {
            return false;
        }
        for (int i = 0; i < with.length; i++) {
            if ((bytes[i] & 0xff) != with[i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * What is inside, as it is read.
     *
     * @throws IOException if it is not wrapped so
     */
    InputStream unpack(InputStream file) throws IOException {
        return switch (this) {
            case PLAIN -> file;
            case GZIP -> new GZIPInputStream(file, BUFFER);
            case ZLIB -> new InflaterInputStream(file);
            case ZIP -> onlyEntry(new ZipInputStream(file));
        };
    }

    private static InputStream onlyEntry(ZipInputStream archive) throws IOException {
        ZipEntry entry = archive.getNextEntry();
        if (entry == null || entry.isDirectory()) {
            throw new IOException("the archive does not begin with a file");
        }
        return new FilterInputStream(archive) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                int read = super.read(bytes, offset, length);
                if (read == -1 && archive.getNextEntry() != null) {
                    throw new IOException("the archive has more than one file");
                }
                return read;
            }
        };
    }
}
