package io.kjadm.core.snapshot.foreign;

import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a file of Gardener's etcd-backup-restore, which tells what is in it:
 * {@code Full-00000000-00812044-1763634299.gz}.
 *
 * @param full   a snapshot; else the changes between two revisions
 * @param from   revision of the first change that is in it
 * @param to     revision of the last one
 * @param taken  in whole seconds
 * @param suffix of the compression, with its dot, or empty
 */
record GardenerName(boolean full, long from, long to, Instant taken, String suffix) {

    private static final Pattern FORM = Pattern.compile(
            "(Full|Incr)-(\\d{8,18})-(\\d{8,18})-(\\d{1,12})(\\.gz|\\.zlib|\\.Z)?(\\.final)?");
    private static final String LZW = ".Z";

    /** Reads one; empty if it is none. */
    static Optional<GardenerName> parse(String name) {
        Matcher matcher = FORM.matcher(name);
        return matcher.matches()
                ? Optional.of(new GardenerName(
                        matcher.group(1).equals("Full"),
                        Long.parseLong(matcher.group(2)),
                        Long.parseLong(matcher.group(3)),
                        Instant.ofEpochSecond(Long.parseLong(matcher.group(4))),
                        Optional.ofNullable(matcher.group(5)).orElse("")))
                : Optional.empty();
    }

    /** Compressed in a way that no JDK reads. */
    boolean lzw() {
        return suffix.equals(LZW);
    }
}
