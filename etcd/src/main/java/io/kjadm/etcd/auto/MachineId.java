package io.kjadm.etcd.auto;

import java.util.regex.Pattern;

/**
 * What a machine calls itself in the log, from its first start on.
 *
 * @param text {@code m-} and 16 hexadecimal digits
 */
public record MachineId(String text) implements Comparable<MachineId> {

    private static final Pattern FORM = Pattern.compile("m-[0-9a-f]{16}");

    public MachineId {
        if (!FORM.matcher(text).matches()) {
            throw new IllegalArgumentException("\"%s\" is not a machine ID".formatted(text));
        }
    }

    /** The first four digits, which make the member's name different from that of another machine. */
    public String digits() {
        return text.substring(2, 6);
    }

    @Override
    public int compareTo(MachineId other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
