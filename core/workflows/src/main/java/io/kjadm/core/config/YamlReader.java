package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;
import io.kjadm.manifests.YamlAliases;
import io.kjadm.manifests.YamlProblem;

import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Reads one YAML (or JSON) document into maps with text keys, lists, text, booleans, numbers and
 * nulls. A key given twice is remembered, and its last value counts.
 */
final class YamlReader {

    private static final Pattern TRUE = Pattern.compile("(?i)y|yes|true|on");

    private final List<String> duplicates = new ArrayList<>();

    /**
     * Reads a text.
     *
     * @param name what the text is called in messages
     * @throws UsageException if it is not one YAML document
     */
    Object read(String name, String text) {
        try {
            LoaderOptions limits = new LoaderOptions();
            // what they stand for is limited, not their number
            limits.setMaxAliasesForCollections(Integer.MAX_VALUE);
            Yaml yaml = new Yaml(
                    new SafeConstructor(limits),
                    new Representer(new DumperOptions()),
                    new DumperOptions(),
                    limits,
                    new YamlTypes());
            Node root = yaml.compose(new StringReader(text));
            if (root == null) {
                return null;
            }
            YamlAliases.check(root);
            return value(root, "");
        } catch (YAMLException | NumberFormatException e) {
            throw new UsageException(
                    "%s cannot be read as YAML".formatted(name), YamlProblem.of(e), "");
        }
    }

    /** The paths of the keys that were given more than once. */
    List<String> duplicates() {
        return duplicates;
    }

    private Object value(Node node, String path) {
        return switch (node) {
            case ScalarNode scalar -> scalar(scalar);
            case MappingNode mapping -> map(mapping, path);
            case SequenceNode sequence -> list(sequence, path);
            default -> throw new YAMLException("unexpected node at " + path);
        };
    }

    private List<Object> list(SequenceNode sequence, String path) {
        List<Object> items = new ArrayList<>();
        for (Node item : sequence.getValue()) {
            items.add(value(item, join(path, String.valueOf(items.size()))));
        }
        return items;
    }

    private Map<String, Object> map(MappingNode mapping, String path) {
        Map<String, Object> entries = new LinkedHashMap<>();
        Map<String, Object> merged = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                throw new YAMLException("a key at \"" + path + "\" is not a single word");
            }
            if (key.getTag().equals(Tag.MERGE)) {
                merge(merged, value(tuple.getValueNode(), path));
                continue;
            }
            String here = join(path, key.getValue());
            if (entries.containsKey(key.getValue())) {
                duplicates.add(here);
            }
            entries.put(key.getValue(), value(tuple.getValueNode(), here));
        }
        merged.forEach(entries::putIfAbsent);
        return entries;
    }

    private static void merge(Map<String, Object> merged, Object source) {
        switch (source) {
            case Map<?, ?> map -> YamlTrees.map(map).forEach(merged::putIfAbsent);
            case List<?> maps -> maps.forEach(map -> merge(merged, map));
            case null, default -> throw new YAMLException("only maps can be merged with <<");
        }
    }

    private static Object scalar(ScalarNode node) {
        String text = node.getValue();
        Tag tag = node.getTag();
        if (tag.equals(Tag.NULL)) {
            return null;
        }
        if (tag.equals(Tag.BOOL)) {
            return TRUE.matcher(text).matches();
        }
        if (tag.equals(Tag.INT)) {
            return whole(text.replace("_", ""));
        }
        return tag.equals(Tag.FLOAT) ? fraction(text) : text;
    }

    private static Number whole(String text) {
        boolean negative = text.startsWith("-");
        String digits = text.replaceFirst("^[-+]", "");
        BigInteger value = switch (digits) {
            case String s when s.startsWith("0x") -> new BigInteger(s.substring(2), 16);
            case String s when s.startsWith("0b") -> new BigInteger(s.substring(2), 2);
            case String s when s.startsWith("0o") -> new BigInteger(s.substring(2), 8);
            case String s when s.startsWith("0") && s.length() > 1 -> new BigInteger(s, 8);
            default -> new BigInteger(digits);
        };
        BigInteger signed = negative ? value.negate() : value;
        return signed.bitLength() > 63 ? (Number) signed : (Number) signed.longValue();
    }

    /** A number with a fraction or exponent; whole ones are whole numbers, as in JSON. */
    private static Object fraction(String text) {
        if (text.toLowerCase(Locale.ROOT).matches("[-+]?\\.(inf|nan)")) {
            return text;
        }
        BigDecimal value = new BigDecimal(text);
        boolean whole = value.stripTrailingZeros().scale() <= 0
                && value.precision() < 18
                && value.abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0;
        return whole ? (Object) value.longValue() : (Object) value.doubleValue();
    }

    private static String join(String path, String key) {
        return path.isEmpty() ? key : path + "." + key;
    }
}
