package io.kjadm.core.config;

import io.kjadm.core.value.GoDuration;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads bootstrap tokens; what is left out gets its default, except for the token itself. */
final class BootstrapTokenReader {

    /** What a token looks like, for messages. */
    static final String SHAPE =
            "a token is 6 characters, a dot and 16 characters out of a-z and 0-9";

    private static final Pattern GROUP =
            Pattern.compile("system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]");

    private BootstrapTokenReader() {}

    static List<BootstrapToken> tokens(TreeView view) {
        List<BootstrapToken> tokens = view.objects("bootstrapTokens").stream()
                .map(BootstrapTokenReader::token)
                .toList();
        return tokens.isEmpty() ? List.of(BootstrapToken.defaults()) : tokens;
    }

    private static BootstrapToken token(TreeView view) {
        String text = view.textOr("token", "");
        if (view.has("token") && !BootstrapToken.isToken(text)) {
            view.invalidSecret("token", SHAPE);
        }
        Optional<Instant> expires = Optional.ofNullable((Instant) view.tree().get("expires"));
        if (expires.isPresent() && view.has("ttl")) {
            view.invalid("", "ttl, expires", "ttl and expires are mutually exclusive");
        }
        Optional<Duration> ttl = view.duration("ttl");
        // kubeadm makes such a token live for ever: the last thing somebody means who counts
        // wrongly
        ttl.filter(Duration::isNegative)
                .ifPresent(time -> view.invalid(
                        "ttl",
                        GoDuration.text(time),
                        "the time to live cannot be negative; with 0 the token never expires"));
        List<String> usages = view.texts("usages");
        if (usages.isEmpty()) {
            usages = BootstrapToken.DEFAULT_USAGES;
        }
        return new BootstrapToken(
                text,
                view.text("description"),
                expires.isPresent()
                        ? Optional.empty()
                        : ttl.or(() -> Optional.of(BootstrapToken.DEFAULT_TTL)),
                expires,
                checkedUsages(view, usages),
                groups(view, usages));
    }

    private static List<String> checkedUsages(TreeView view, List<String> usages) {
        List<String> unknown = usages.stream()
                .filter(usage -> !BootstrapToken.DEFAULT_USAGES.contains(usage))
                .sorted()
                .toList();
        if (!unknown.isEmpty()) {
            view.invalid(
                    "usages",
                    usages,
                    "unknown %s, valid are %s".formatted(unknown, BootstrapToken.DEFAULT_USAGES));
        }
        return usages;
    }

    /** Groups mean something for authentication only, so there alone they have a default. */
    private static List<String> groups(TreeView view, List<String> usages) {
        boolean authenticates = usages.contains(BootstrapToken.USAGE_AUTHENTICATION);
        List<String> groups = view.texts("groups");
        if (groups.isEmpty()) {
            return authenticates ? BootstrapToken.DEFAULT_GROUPS : groups;
        }
        if (!authenticates) {
            view.invalid("groups", groups, "groups need the usage authentication");
        }
        groups.stream()
                .filter(group -> !GROUP.matcher(group).matches())
                .forEach(group -> view.invalid(
                        "groups",
                        groups,
                        "group \"%s\" must match %s".formatted(group, GROUP.pattern())));
        return groups;
    }
}
