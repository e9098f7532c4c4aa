package io.kjadm.core.value;

import java.util.regex.Pattern;

/** Words of commands in units of systemd. */
public final class SystemdWords {

    /** What systemd takes as it is. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=,@?&+~-]+");

    /** A line end would begin another setting. */
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    private SystemdWords() {}

    /** A word of a command as a unit has it, by {@code systemd.service(5)}, "Command lines". */
    public static String quoted(String word) {
        String escaped = word.replace("%", "%%");
        return PLAIN.matcher(word).matches()
                ? escaped
                : "\"%s\""
                        .formatted(CONTROL.matcher(escaped.replace("\\", "\\\\")
                                        .replace("\"", "\\\"")
                                        .replace("$", "$$"))
                                .replaceAll(found -> "\\\\x%02x"
                                        .formatted((int) found.group().charAt(0))));
    }
}
