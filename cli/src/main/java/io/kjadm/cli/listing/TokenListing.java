package io.kjadm.cli.listing;

import io.kjadm.cli.console.TextTable;
import io.kjadm.cli.output.Fields;
import io.kjadm.manifests.BootstrapTokenSecret;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Bootstrap tokens as {@code token list} shows them.
 *
 * @param now from which remaining times are counted
 */
public record TokenListing(List<BootstrapTokenSecret> tokens, Instant now) {

    private static final List<String> HEADER =
            List.of("TOKEN", "TTL", "EXPIRES", "USAGES", "DESCRIPTION", "EXTRA GROUPS");
    private static final String NONE = "<none>";

    public TokenListing {
        tokens = List.copyOf(tokens);
    }

    /** A table; nothing at all without tokens. */
    public String table() {
        if (tokens.isEmpty()) {
            return "";
        }
        TextTable table = new TextTable(HEADER);
        for (BootstrapTokenSecret token : tokens) {
            table.row(List.of(
                    text(token),
                    token.expiration()
                            .map(end -> remaining(Duration.between(now, end)))
                            .orElse("<forever>"),
                    token.expiration().map(Instant::toString).orElse("<never>"),
                    joined(token.usages()),
                    token.description().isEmpty() ? NONE : token.description(),
                    joined(token.groups())));
        }
        return table.text();
    }

    /** One object per token, with the fields that have a value. */
    public List<Map<String, Object>> objects() {
        return tokens.stream()
                .map(token -> new Fields()
                        .put("token", text(token))
                        .ifAny("description", token.description())
                        .ifAny("expires", token.expiration().map(Instant::toString))
                        .ifAny("usages", token.usages())
                        .ifAny("groups", token.groups())
                        .object("BootstrapToken"))
                .toList();
    }

    /** In the largest unit that fits, as kubectl tells ages. */
    static String remaining(Duration left) {
        if (left.isNegative()) {
            return "<invalid>";
        }
        if (left.toMinutes() < 1) {
            return left.toSeconds() + "s";
        }
        if (left.toHours() < 1) {
            return left.toMinutes() + "m";
        }
        if (left.toDays() < 1) {
            return left.toHours() + "h";
        }
        return left.toDays() < 365 ? left.toDays() + "d" : left.toDays() / 365 + "y";
    }

    private static String text(BootstrapTokenSecret token) {
        return token.id() + "." + token.secret();
    }

    private static String joined(List<String> items) {
        return items.isEmpty() ? NONE : String.join(",", items);
    }

    /** Without the tokens. */
    @Override
    public String toString() {
        return "TokenListing[%d tokens]".formatted(tokens.size());
    }
}
