package io.kjadm.cli.output;

import io.kjadm.core.config.YamlText;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.TextInput;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The formats of {@code -o}. */
public final class OutputFormat {

    private static final String API_VERSION = "output.kubeadm.k8s.io/v1alpha3";
    private static final String OWN_API_VERSION = "output.kjadm.io/v1alpha1";

    private static final String TEXT = "text";
    private static final int JSON_INDENT = 4;
    private static final List<String> KNOWN = List.of(
            TEXT,
            "json",
            "yaml",
            "kyaml",
            "go-template",
            "go-template-file",
            "template",
            "templatefile",
            "jsonpath",
            "jsonpath-as-json",
            "jsonpath-file");

    /** Those that may be written in capitals, as in kubeadm. */
    private static final Set<String> IN_ANY_CASE = Set.of("json", "yaml", "kyaml");

    private final boolean missingKeysAllowed;
    private final boolean kyamlEnabled;

    /**
     * What the formats depend on.
     *
     * @param missingKeysAllowed whether a template may name what an object does not have
     * @param environment        where {@code KUBECTL_KYAML=false} takes kyaml away
     */
    public OutputFormat(boolean missingKeysAllowed, Map<String, String> environment) {
        this.missingKeysAllowed = missingKeysAllowed;
        this.kyamlEnabled =
                !environment.getOrDefault("KUBECTL_KYAML", "").equalsIgnoreCase("false");
    }

    /** An object of kubeadm's with its header in front. */
    public static Map<String, Object> object(String kind, Map<String, Object> fields) {
        return object(kind, API_VERSION, fields);
    }

    /** An object that only this program knows, with its header in front. */
    public static Map<String, Object> ownObject(String kind, Map<String, Object> fields) {
        return object(kind, OWN_API_VERSION, fields);
    }

    private static Map<String, Object> object(
            String kind, String apiVersion, Map<String, Object> fields) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("kind", kind);
        object.put("apiVersion", apiVersion);
        object.putAll(fields);
        return object;
    }

    /**
     * The writer of a format; empty for plain text, which every command writes in its own way.
     *
     * @param format a name, followed by {@code =} and a template or the file of one where that is
     *         needed
     * @throws UsageException if there is no such format, or the template is wrong
     */
    public Optional<ObjectWriter> writer(String format) {
        int equals = format.indexOf('=');
        String name = equals < 0 ? format : format.substring(0, equals);
        Optional<String> template =
                equals < 0 ? Optional.empty() : Optional.of(format.substring(equals + 1));
        String small = name.toLowerCase(Locale.ROOT);
        return switch (IN_ANY_CASE.contains(small) ? small : name) {
            case "", TEXT -> plain(name, template, null);
            case "json" ->
                plain(
                        name,
                        template,
                        objects -> each(
                                objects, object -> JsonText.write(object, JSON_INDENT) + "\n"));
            case "yaml" ->
                plain(
                        name,
                        template,
                        objects -> String.join(
                                "---\n", objects.stream().map(YamlText::write).toList()));
            case "kyaml" -> plain(name, template, kyaml());
            case "go-template", "template" -> Optional.of(goTemplate(given(name, template)));
            case "go-template-file", "templatefile" ->
                Optional.of(goTemplate(file(given(name, template))));
            case "jsonpath" -> Optional.of(jsonPath(given(name, template)));
            case "jsonpath-file" -> Optional.of(jsonPath(file(given(name, template))));
            case "jsonpath-as-json" -> Optional.of(jsonPathAsJson(given(name, template)));
            default -> throw unknown(name);
        };
    }

    private static Optional<ObjectWriter> plain(
            String name, Optional<String> template, ObjectWriter writer) {
        if (template.isPresent()) {
            throw new UsageException(
                    "output format \"%s\" takes no template".formatted(name),
                    "",
                    "leave out what follows the \"=\"");
        }
        return Optional.ofNullable(writer);
    }

    private ObjectWriter kyaml() {
        if (!kyamlEnabled) {
            throw new UsageException(
                    "output format \"kyaml\" is switched off",
                    "KUBECTL_KYAML is false",
                    "use yaml, or unset KUBECTL_KYAML");
        }
        return objects -> each(objects, KyamlText::write);
    }

    private ObjectWriter goTemplate(String text) {
        GoTemplate template = GoTemplate.parse(text, missingKeysAllowed);
        return objects -> each(objects, template::render);
    }

    private ObjectWriter jsonPath(String text) {
        JsonPath path = JsonPath.parse(text, missingKeysAllowed);
        return objects -> each(objects, path::render);
    }

    private ObjectWriter jsonPathAsJson(String text) {
        JsonPath path = JsonPath.parse(text, missingKeysAllowed);
        return objects -> each(objects, object -> path.renderJson(object, JSON_INDENT));
    }

    private static String each(
            List<Map<String, Object>> objects, Function<Map<String, Object>, String> writer) {
        return String.join("", objects.stream().map(writer).toList());
    }

    private static String given(String name, Optional<String> template) {
        return template.filter(text -> !text.isEmpty())
                .orElseThrow(() -> new UsageException(
                        "output format \"%s\" needs a template".formatted(name),
                        "",
                        name.endsWith("file")
                                ? "write -o %s=FILE".formatted(name)
                                : "write -o %s=TEMPLATE".formatted(name)));
    }

    private static String file(String name) {
        try {
            return TextInput.of(Path.of(name));
        } catch (IOException e) {
            throw new UsageException(
                    "the template %s cannot be read".formatted(name),
                    TextInput.reason(e),
                    "check the path given with -o",
                    e);
        }
    }

    private UsageException unknown(String name) {
        List<String> usable = KNOWN.stream()
                .filter(known -> kyamlEnabled || !known.equals("kyaml"))
                .toList();
        return new UsageException(
                "unknown output format \"%s\"".formatted(name),
                "",
                "use one of " + String.join(", ", usable));
    }
}
