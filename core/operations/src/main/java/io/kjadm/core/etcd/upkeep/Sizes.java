package io.kjadm.core.etcd.upkeep;

import io.fabric8.kubernetes.api.model.Quantity;

import java.util.Locale;
import java.util.OptionalLong;

/** Sizes as an operator reads them. */
public final class Sizes {

    private static final long KIBI = 1024;

    private Sizes() {}

    /** Reads a size as Kubernetes writes it, {@code 100Mi} or a plain number; empty if it is none. */
    public static OptionalLong parse(String text) {
        if (!text.matches("\\d+(\\.\\d+)?([kKMGT]i?)?")) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Quantity.getAmountInBytes(
                        Quantity.parse(text.replace('K', 'k').replace("ki", "Ki")))
                .longValue());
    }

    /** In KiB below a MiB, in MiB from there. */
    public static String text(long bytes) {
        return bytes < KIBI * KIBI
                ? String.format(Locale.ROOT, "%.1f KiB", bytes / (double) KIBI)
                : String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (KIBI * KIBI));
    }
}
