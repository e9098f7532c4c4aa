package io.kjadm.etcd.auto;

/**
 * What a machine calls itself in the log, from its first start on.
 *
 * @param text {@code m-} and 16 hexadecimal digits
 */
public record MachineId(String text) implements Comparable<MachineId> {

    private static final String PREFIX = "m-";
    private static final int LENGTH = 18;

    public MachineId {
        if (!isOne(text)) {
            throw new IllegalArgumentException("\"%s\" is not a machine ID".formatted(text));
        }
    }

    /** Whether a text is the ID of a machine; asked for each object of a store at each look. */
    public static boolean isOne(String text) {
        if (text.length() != LENGTH || !text.startsWith(PREFIX)) {
            return false;
        }
        for (int i = PREFIX.length(); i < LENGTH; i++) {
            char digit = text.charAt(i);
            if ((digit < '0' || digit > '9') && (digit < 'a' || digit > 'f')) {
                return false;
            }
        }
        return true;
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
