package io.kjadm.manifests;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.databind.type.LogicalType;

import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

import java.io.StringReader;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The one writer and reader of YAML. A <em>tree</em> is what YAML can say: {@code Map<String,
 * Object>} with keys in the order read, {@code List<Object>}, {@code String}, numbers, {@code
 * Boolean} and {@code null}.
 *
 * <p>Written text has its keys sorted at every level, lists where they stand, and quotes around
 * each string that one of the YAML readers in use would take for something else. Fields of typed
 * objects that were never set are left out; a {@code null} inside a tree is written, since there
 * somebody put it.
 */
public final class ManifestYaml {

    private static final ObjectMapper JSON = new ObjectMapper()
            // the times of a Lease; a module for all of java.time would be one more library
            .registerModule(new SimpleModule()
                    .addSerializer(ZonedDateTime.class, ToStringSerializer.instance))
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private static final ObjectMapper STRICT = JsonMapper.builder()
            .disable(
                    DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                    DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .withCoercionConfig(
                    LogicalType.Textual,
                    textual -> List.of(
                                    CoercionInputShape.Integer,
                                    CoercionInputShape.Float,
                                    CoercionInputShape.Boolean)
                            .forEach(shape -> textual.setCoercion(shape, CoercionAction.Fail)))
            .build();

    private ManifestYaml() {}

    /** The YAML text, ending with a newline, of a tree or of any typed Kubernetes object. */
    public static String write(Object object) {
        var options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setWidth(Integer.MAX_VALUE);
        options.setSplitLines(false);
        options.setAllowUnicode(true);
        options.setMaxSimpleKeyLength(1024);
        return new Yaml(new QuotingRepresenter(options), options)
                .dump(copy(treeOf(object), TreeMap::new));
    }

    /**
     * Several objects in one text, a {@code ---} line between neighbours and none at either end.
     */
    public static String writeAll(List<?> objects) {
        return objects.stream().map(ManifestYaml::write).collect(Collectors.joining("---\n"));
    }

    /**
     * The tree of the one document in {@code yaml} (JSON is YAML too); {@code null} for an empty
     * document.
     *
     * @throws ManifestException if the text is not YAML, has a key twice, more than one document,
     *         or aliases that stand for too much; it repeats nothing of the text
     */
    public static Object read(String yaml) {
        var options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        // what they stand for is limited, not their number
        options.setMaxAliasesForCollections(Integer.MAX_VALUE);
        var dumper = new DumperOptions();
        var constructor = new NodeConstructor(options);
        try {
            Node root = new Yaml(
                            constructor,
                            new Representer(dumper),
                            dumper,
                            options,
                            new PlainScalars())
                    .compose(new StringReader(yaml));
            if (root == null || root.getTag().equals(Tag.NULL)) {
                return null;
            }
            YamlAliases.check(root);
            return copy(constructor.construct(root));
        } catch (YAMLException e) {
            throw new ManifestException("not valid YAML: " + YamlProblem.of(e), e);
        }
    }

    private static final class NodeConstructor extends SafeConstructor {

        NodeConstructor(LoaderOptions options) {
            super(options);
        }

        Object construct(Node root) {
            return constructDocument(root);
        }
    }

    /**
     * As {@link #read}, for text whose top level has to be an object.
     *
     * @throws ManifestException also if it is a list, a scalar or nothing
     */
    public static Map<String, Object> readObject(String yaml) {
        if (read(yaml) instanceof Map<?, ?> map) {
            return castToObject(map);
        }
        throw new ManifestException(
                "not a YAML object: the top level has to consist of keys and values");
    }

    /** The typed object written in {@code yaml}; unknown fields are ignored. */
    public static <T> T read(String yaml, Class<T> type) {
        return typed(readObject(yaml), type);
    }

    /**
     * The documents of a stream, in order, without the lines that separate them and without blank
     * documents.
     */
    public static List<String> splitDocuments(String stream) {
        var documents = new ArrayList<String>();
        var current = new StringBuilder();
        for (String line : (Iterable<String>) stream.lines()::iterator) {
            if (isSeparator(line)) {
                documents.add(current.toString());
                current.setLength(0);
                continue;
            }
            current.append(line).append('\n');
        }
        documents.add(current.toString());
        return documents.stream().filter(ManifestYaml::hasContent).toList();
    }

    /** The tree of a typed object; a fresh one that may be changed. */
    public static Map<String, Object> tree(Object typed) {
        if (treeOf(typed) instanceof Map<?, ?> map) {
            return castToObject(map);
        }
        throw new ManifestException("not an object: " + typed.getClass().getSimpleName());
    }

    /**
     * The object a tree describes; fields that {@code type} does not know are ignored.
     *
     * @throws ManifestException if a field holds a value of another kind than it may
     */
    public static <T> T typed(Map<String, Object> tree, Class<T> type) {
        try {
            return JSON.convertValue(tree, type);
        } catch (IllegalArgumentException e) {
            throw new ManifestException("not a " + type.getSimpleName() + ": " + firstLine(e), e);
        }
    }

    /**
     * As {@link #typed}, but no number, text or boolean becomes another of these: what an operator
     * wrote is not changed, as {@code 1.10} to {@code "1.1"}.
     *
     * @throws ManifestException naming the field
     */
    static <T> T typedStrictly(Map<String, Object> tree, Class<T> type) {
        try {
            return STRICT.convertValue(tree, type);
        } catch (IllegalArgumentException e) {
            String what = e.getCause() instanceof JsonMappingException problem
                            && !problem.getPath().isEmpty()
                    ? "%s has a value of another type (text needs quotes; numbers, true and false have none)"
                            .formatted(field(problem))
                    : firstLine(e);
            throw new ManifestException("not a " + type.getSimpleName() + ": " + what, e);
        }
    }

    /** Such as {@code spec.containers[0].args[1]}. */
    private static String field(JsonMappingException problem) {
        return problem.getPath().stream()
                .map(step -> step.getFieldName() == null
                        ? "[%d]".formatted(step.getIndex())
                        : "." + step.getFieldName())
                .collect(Collectors.joining())
                .substring(1);
    }

    /** A tree in one line, as JSON; text alone stands without quotes. */
    static String inOneLine(Object tree) {
        if (tree instanceof String text) {
            return text;
        }
        try {
            return JSON.writeValueAsString(tree);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree that is none", e);
        }
    }

    /** The tree of a JSON text. */
    static Object readJson(String json) {
        try {
            return JSON.readValue(json, Object.class);
        } catch (JsonProcessingException e) {
            throw new ManifestException("not valid JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** A copy down to the last list, so that changes to it stay in it; all keys are text in it. */
    static Object copy(Object tree) {
        return copy(tree, LinkedHashMap::new);
    }

    /** @param objects empty ones, whose order is that of the copy's keys */
    private static Object copy(Object tree, Supplier<Map<String, Object>> objects) {
        return switch (tree) {
            case Map<?, ?> map -> {
                Map<String, Object> copy = objects.get();
                map.forEach((key, value) -> copy.put(String.valueOf(key), copy(value, objects)));
                yield copy;
            }
            case List<?> list -> {
                var copy = new ArrayList<Object>();
                list.forEach(item -> copy.add(copy(item, objects)));
                yield copy;
            }
            case null, default -> tree;
        };
    }

    // trees have string keys by construction: copy and Jackson see to it
    @SuppressWarnings("unchecked")
    static Map<String, Object> castToObject(Map<?, ?> map) {
        return (Map<String, Object>) map;
    }

    private static Object treeOf(Object object) {
        return switch (object) {
            case null -> null;
            case Map<?, ?> map -> map;
            case List<?> list -> list;
            case String text -> text;
            default -> JSON.convertValue(object, Object.class);
        };
    }

    private static boolean isSeparator(String line) {
        if (!line.startsWith("---")) {
            return false;
        }
        String rest = line.substring(3);
        return rest.isBlank()
                || Character.isWhitespace(rest.charAt(0)) && rest.strip().startsWith("#");
    }

    private static boolean hasContent(String document) {
        return document.lines()
                .map(String::strip)
                .anyMatch(line -> !line.isEmpty() && !line.startsWith("#"));
    }

    private static String firstLine(Exception e) {
        return e.getMessage().lines().findFirst().orElse("");
    }

    /**
     * What an unquoted scalar means when read. As Kubernetes' own reader has it: dates and {@code 1:30}
     * stay text (the YAML library alone would make a date and a number of minutes of them), {@code yes}
     * and {@code on} are truth values.
     */
    private static final class PlainScalars extends Resolver {

        private static final Pattern TRUTH = Pattern.compile(
                "yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF");
        private static final Pattern WHOLE =
                Pattern.compile("[-+]?(0b[0-1_]+|0x[0-9a-fA-F_]+|0|0[0-7_]+|[1-9][0-9_]*)");
        private static final Pattern FRACTION = Pattern.compile(
                "[-+]?([0-9][0-9_]*\\.[0-9_]*([eE][-+]?[0-9]+)?|[0-9][0-9_]*[eE][-+]?[0-9]+"
                        + "|\\.[0-9][0-9_]*([eE][-+]?[0-9]+)?"
                        + "|\\.(inf|Inf|INF))|\\.(nan|NaN|NAN)");
        private static final Pattern NOTHING = Pattern.compile("~|null|Null|NULL| ");
        private static final Pattern EMPTY = Pattern.compile("");

        @Override
        protected void addImplicitResolvers() {
            addImplicitResolver(Tag.BOOL, TRUTH, "yYnNtTfFoO");
            addImplicitResolver(Tag.INT, WHOLE, "-+0123456789");
            addImplicitResolver(Tag.FLOAT, FRACTION, "-+0123456789.");
            addImplicitResolver(Tag.MERGE, MERGE, "<");
            addImplicitResolver(Tag.NULL, NOTHING, "~nN\0");
            addImplicitResolver(Tag.NULL, EMPTY, null);
        }
    }

    /**
     * Quotes strings that only look like strings. Readers disagree about what is a number, a truth
     * value or a date (YAML 1.1, 1.2 and what lies between), so whatever any of them would convert is
     * quoted; text of several lines becomes a literal block.
     */
    private static final class QuotingRepresenter extends Representer {

        private static final Pattern WORDS = Pattern.compile(
                "y|n|yes|no|on|off|true|false|null|~|=|<<|[-+]?\\.(inf|nan)",
                Pattern.CASE_INSENSITIVE);
        private static final Pattern NUMBER_LIKE = Pattern.compile(
                "[-+]?\\.?[0-9][0-9a-f_xo]*([.:,eE+-][-+0-9a-f_.:]*)?", Pattern.CASE_INSENSITIVE);
        private static final Pattern DATE_LIKE =
                Pattern.compile("[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*");
        private static final Pattern ADDRESS = Pattern.compile("[0-9]+(\\.[0-9]+){3}(:[0-9]+)?");

        QuotingRepresenter(DumperOptions options) {
            super(options);
            representers.put(String.class, this::string);
            nullRepresenter = data -> representScalar(Tag.NULL, "null");
        }

        private Node string(Object data) {
            String text = (String) data;
            if (text.isEmpty() || mayBeMisread(text)) {
                return representScalar(Tag.STR, text, ScalarStyle.DOUBLE_QUOTED);
            }
            return representScalar(
                    Tag.STR, text, text.contains("\n") ? ScalarStyle.LITERAL : ScalarStyle.PLAIN);
        }

        private static boolean mayBeMisread(String text) {
            if (ADDRESS.matcher(text).matches()) {
                return false; // four groups are no number in any dialect
            }
            return WORDS.matcher(text).matches()
                    || NUMBER_LIKE.matcher(text).matches()
                    || DATE_LIKE.matcher(text).matches();
        }
    }
}
