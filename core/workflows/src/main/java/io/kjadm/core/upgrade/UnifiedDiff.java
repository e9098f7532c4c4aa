package io.kjadm.core.upgrade;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;

import java.util.List;
import java.util.stream.Collectors;

/** The difference of two texts in the format of {@code diff -u}. */
public final class UnifiedDiff {

    private static final String RESET = "\033[0m";

    private UnifiedDiff() {}

    /**
     * The difference, each line ended; empty if there is none. Whether the last line is ended makes
     * none.
     *
     * @param from the name of the old text, without tabs or line ends
     * @param to likewise of the new text
     * @param contextLines how many unchanged lines are shown before and after a change, 0 or more
     */
    public static String of(
            String from, String oldText, String to, String newText, int contextLines) {
        List<String> before = oldText.lines().toList();
        List<String> after = newText.lines().toList();
        return UnifiedDiffUtils.generateUnifiedDiff(
                        from, to, before, DiffUtils.diff(before, after), contextLines)
                .stream()
                .map(line -> line + "\n")
                .collect(Collectors.joining());
    }

    /** The same for a terminal, in the colours of {@code git diff}. */
    public static String coloured(String diff) {
        var text = new StringBuilder();
        boolean header = true;
        for (String line : diff.lines().toList()) {
            // within a hunk a line may begin with "-- " as well
            header = header && !line.startsWith("@@");
            String colour = header ? "\033[1m" : colour(line);
            text.append(colour.isEmpty() ? line : colour + line + RESET).append('\n');
        }
        return text.toString();
    }

    private static String colour(String line) {
        return switch (line.isEmpty() ? ' ' : line.charAt(0)) {
            case '@' -> "\033[36m";
            case '-' -> "\033[31m";
            case '+' -> "\033[32m";
            default -> "";
        };
    }
}
