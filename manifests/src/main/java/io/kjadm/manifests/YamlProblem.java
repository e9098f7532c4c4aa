package io.kjadm.manifests;

import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

import java.util.Map;

/**
 * Says what is wrong with a YAML text without repeating any of it: the parser quotes lines and
 * words, and one of them may be a token.
 */
public final class YamlProblem {

    /** Beginnings of what the parser says before it quotes. */
    private static final Map<String, String> QUOTING = Map.of(
            "found duplicate key", "a key is given twice",
            "found undefined alias", "an alias has no anchor",
            "found undefined tag handle", "a tag is not known",
            "could not determine a constructor", "a tag is not known",
            "found duplicate anchor", "an anchor is given twice");

    private YamlProblem() {}

    /** What it is, and where if that is known. */
    public static String of(RuntimeException error) {
        if (!(error instanceof MarkedYAMLException marked) || marked.getProblemMark() == null) {
            return String.valueOf(error.getMessage());
        }
        Mark place = marked.getProblemMark();
        return "%s in line %d, column %d"
                .formatted(
                        unquoted(String.valueOf(marked.getProblem())),
                        place.getLine() + 1,
                        place.getColumn() + 1);
    }

    private static String unquoted(String problem) {
        return QUOTING.entrySet().stream()
                .filter(entry -> problem.startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(problem);
    }
}
