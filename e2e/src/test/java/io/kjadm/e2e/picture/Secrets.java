package io.kjadm.e2e.picture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Knows bootstrap tokens, certificate keys and CA hashes by their shape and puts names in their
 * place. Nobody has to say which values are secret, and none is forgotten.
 */
final class Secrets {

    /** A word starts here: after something else than a letter, or after a colour was chosen. */
    private static final String EDGE = "(?:(?<![a-z0-9])|(?<=\033\\[[0-9;:?]{0,20}[A-Za-z]))";

    private static final Pattern SHAPES = Pattern.compile("(?<hash>sha256:[0-9a-f]{64})"
            + "|" + EDGE + "(?<token>[a-z0-9]{6}\\.[a-z0-9]{16})(?![a-z0-9])"
            + "|" + EDGE + "(?<key>[0-9a-f]{64})(?![a-z0-9])");

    /** Fills up a name to the length of its secret; not a character, so no program writes it. */
    private static final String FILLER = "\uffff";

    private Secrets() {}

    /** The same pieces without secrets. A secret may begin in one piece and end in another. */
    static List<String> masked(List<String> pieces) {
        String whole = SHAPES.matcher(String.join("", pieces)).replaceAll(Secrets::nameAsLong);
        var masked = new ArrayList<String>();
        int start = 0;
        for (String piece : pieces) {
            int end = start + piece.length();
            masked.add(whole.substring(start, end).replace(FILLER, ""));
            start = end;
        }
        return masked;
    }

    private static String nameAsLong(MatchResult secret) {
        String name = name(secret);
        return name + FILLER.repeat(secret.group().length() - name.length());
    }

    private static String name(MatchResult secret) {
        if (secret.group("hash") != null) {
            return "sha256:HASH";
        }
        return secret.group("token") != null ? "TOKEN" : "KEY";
    }
}
