package io.kjadm.core.phase;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Finds what somebody meant who mistyped a name: a command, a phase, a flag or a feature gate.
 * Counted are letters that are missing, too many or wrong, and neighbours that changed places, each
 * as one mistake (the optimal string alignment distance): {@code inti} is one away from
 * {@code init}.
 */
public final class SimilarNames {

    /** One mistake in so many letters may be a slip; more of them are another word. */
    private static final int LETTERS_PER_MISTAKE = 3;

    private SimilarNames() {}

    /**
     * The nearest of the names, without regard to case; several if they are equally near, none if
     * all are too far. A phase is found by the last part of its name too.
     */
    public static List<String> of(String typed, Collection<String> names) {
        int most = Math.max(1, typed.length() / LETTERS_PER_MISTAKE);
        TreeMap<Integer, List<String>> near = new TreeMap<>();
        for (String name : names) {
            int mistakes = mistakes(typed, name);
            // of a short name no letter may be left that was meant
            if (mistakes <= most && mistakes < name.length() && mistakes < typed.length()) {
                near.merge(mistakes, List.of(name), SimilarNames::both);
            }
        }
        return near.isEmpty()
                ? List.of()
                : near.firstEntry().getValue().stream().distinct().sorted().toList();
    }

    /** The end of a sentence: {@code ; did you mean init?}, or nothing if nothing is similar. */
    public static String guess(String typed, Collection<String> names) {
        List<String> similar = of(typed, names);
        return similar.isEmpty()
                ? ""
                : "; did you mean %s?".formatted(String.join(" or ", similar));
    }

    private static List<String> both(List<String> some, List<String> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    private static int mistakes(String typed, String name) {
        int whole = distance(lower(typed), lower(name));
        int slash = name.lastIndexOf('/');
        return slash < 0 || typed.contains("/")
                ? whole
                : Math.min(whole, distance(lower(typed), lower(name.substring(slash + 1))));
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    /** How many mistakes make one word out of the other. */
    static int distance(String one, String other) {
        int[][] to = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                to[i][j] = i == 0 || j == 0 ? i + j : step(to, one, other, i, j);
            }
        }
        return to[one.length()][other.length()];
    }

    private static int step(int[][] to, String one, String other, int i, int j) {
        int wrong = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
        int least = Math.min(to[i - 1][j - 1] + wrong, 1 + Math.min(to[i - 1][j], to[i][j - 1]));
        boolean swapped = i > 1
                && j > 1
                && one.charAt(i - 1) == other.charAt(j - 2)
                && one.charAt(i - 2) == other.charAt(j - 1);
        return swapped ? Math.min(least, to[i - 2][j - 2] + 1) : least;
    }
}
