package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.value.Timeouts;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What {@code token create} is asked for.
 *
 * @param tokens         to be made, each with its text; the first is the one that is printed
 * @param certificateKey that goes into a printed join command
 * @param timeouts       of the requests
 */
public record TokenRequest(
        List<BootstrapToken> tokens, Optional<String> certificateKey, Timeouts timeouts) {

    private static final String LIST_PATH = "bootstrapTokens";

    public TokenRequest {
        tokens = List.copyOf(tokens);
    }

    /** The tokens of an InitConfiguration in a file; nothing is looked up. */
    public static TokenRequest of(
            ConfigurationFile file, CommandFlags flags, ConfigurationLoader loader) {
        InitConfiguration init =
                loader.init(Optional.of(file), flags, LoadOptions.OFFLINE).init();
        return new TokenRequest(init.bootstrapTokens(), Optional.empty(), init.timeouts());
    }

    /**
     * One token, out of flags. They go through the checks of a file.
     *
     * @param text the token itself; made up if empty
     * @throws UsageException naming the flags with a wrong value
     */
    public static TokenRequest of(
            CommandFlags flags, Optional<String> text, Consumer<String> warnings) {
        if (text.filter(given -> !given.isEmpty() && !BootstrapToken.isToken(given))
                .isPresent()) {
            throw new UsageException(
                    "the given token is not valid",
                    BootstrapTokenReader.SHAPE,
                    "kjadm token generate prints one that is");
        }
        Document document = new StrictDecoder(false, true, warnings).check(document(flags, text));
        FieldErrors errors = FieldErrors.none();
        TreeView view = TreeView.of(document, errors);
        List<BootstrapToken> tokens = BootstrapTokenReader.tokens(view);
        Optional<String> key = CommonReader.certificateKey(view);
        errors.throwIfAny(document.source());
        return new TokenRequest(
                tokens.stream().map(BootstrapToken::withTextIfMissing).toList(),
                key,
                Timeouts.DEFAULTS);
    }

    private static Document document(CommandFlags flags, Optional<String> text) {
        Map<String, Object> token = new LinkedHashMap<>();
        text.filter(given -> !given.isEmpty()).ifPresent(given -> token.put("token", given));
        flags.text(Flag.TTL).ifPresent(given -> token.put("ttl", given));
        flags.text(Flag.DESCRIPTION)
                .filter(given -> !given.isEmpty())
                .ifPresent(given -> token.put("description", given));
        putList(token, "usages", flags, Flag.USAGES);
        putList(token, "groups", flags, Flag.GROUPS);
        Map<String, Object> tree = new LinkedHashMap<>(Map.of(LIST_PATH, List.of(token)));
        flags.text(Flag.CERTIFICATE_KEY).ifPresent(given -> tree.put("certificateKey", given));
        return Document.of(
                "the command line",
                Document.INIT,
                tree,
                Map.of(
                        LIST_PATH + ".0.ttl",
                        Flag.TTL.toString(),
                        LIST_PATH + ".0.usages",
                        Flag.USAGES.toString(),
                        LIST_PATH + ".0.groups",
                        Flag.GROUPS.toString(),
                        "certificateKey",
                        Flag.CERTIFICATE_KEY.toString()));
    }

    private static void putList(
            Map<String, Object> token, String field, CommandFlags flags, Flag flag) {
        if (flags.isSet(flag)) {
            token.put(field, flags.list(flag));
        }
    }

    /** Without tokens and key. */
    @Override
    public String toString() {
        return "TokenRequest[%d tokens]".formatted(tokens.size());
    }
}
