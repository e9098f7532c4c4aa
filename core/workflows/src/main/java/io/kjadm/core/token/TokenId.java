package io.kjadm.core.token;

import io.kjadm.core.config.BootstrapToken;
import io.kjadm.core.error.UsageException;

import java.util.regex.Pattern;

/**
 * The public half of a bootstrap token.
 *
 * @param text six of {@code a-z0-9}
 */
public record TokenId(String text) {

    private static final Pattern SHAPE = Pattern.compile("[a-z0-9]{6}");

    public TokenId {
        if (!SHAPE.matcher(text).matches()) {
            throw new IllegalArgumentException("not the id of a token");
        }
    }

    /**
     * The id out of an id, or out of a whole token.
     *
     * @throws UsageException if it is neither; a mistyped token may still hold most of a secret, so
     *     its second half is not shown
     */
    public static TokenId of(String idOrToken) {
        if (SHAPE.matcher(idOrToken).matches()) {
            return new TokenId(idOrToken);
        }
        int dot = idOrToken.indexOf('.');
        if (BootstrapToken.isToken(idOrToken)) {
            return new TokenId(idOrToken.substring(0, dot));
        }
        throw new UsageException(
                "\"%s\" is neither a bootstrap token nor the id of one"
                        .formatted(dot < 0 ? idOrToken : idOrToken.substring(0, dot) + ".***"),
                "an id has 6 characters out of a-z and 0-9; in a token a dot and 16 more follow",
                "see kjadm token list");
    }
}
