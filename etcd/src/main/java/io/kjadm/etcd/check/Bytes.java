package io.kjadm.etcd.check;

import java.util.Locale;

/** Amounts of storage as messages tell them. */
final class Bytes {

    static final long MIB = 1L << 20;
    static final long GIB = 1L << 30;

    private Bytes() {}

    /** "850 MiB", "2.1 GiB". */
    static String told(long bytes) {
        return bytes < GIB
                ? "%d MiB".formatted(bytes / MIB)
                : String.format(Locale.ROOT, "%.1f GiB", (double) bytes / GIB);
    }
}
