package io.kjadm.cli.output;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A Go template, as far as {@link GoTemplateParser} and {@link GoTemplateFunctions} know the
 * language.
 */
final class GoTemplate {

    private final List<Consumer<GoTemplateRun>> parts;
    private final boolean missingKeysAllowed;

    private GoTemplate(List<Consumer<GoTemplateRun>> parts, boolean missingKeysAllowed) {
        this.parts = parts;
        this.missingKeysAllowed = missingKeysAllowed;
    }

    /**
     * Reads a template.
     *
     * @param missingKeysAllowed whether a key that an object does not have gives
     *         {@code <no value>}, or fails
     * @throws io.kjadm.core.error.UsageException if it is not understood
     */
    static GoTemplate parse(String template, boolean missingKeysAllowed) {
        return new GoTemplate(GoTemplateParser.parse(template), missingKeysAllowed);
    }

    /** The template filled in. */
    String render(Object root) {
        GoTemplateRun run = new GoTemplateRun(root, missingKeysAllowed);
        run.nested(Map.of(), parts);
        return run.toString();
    }
}
