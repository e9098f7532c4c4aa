package io.kjadm.core.config;

import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Writes trees as the YAML that Kubernetes programs write: keys sorted at every level, block style,
 * lists not indented, text that would read as another type in double quotes.
 */
public final class YamlText {

    private YamlText() {}

    /** One document, with a newline at its end. */
    public static String write(Map<String, Object> tree) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setWidth(80);
        LoaderOptions limits = new LoaderOptions();
        Yaml yaml = new Yaml(
                new SafeConstructor(limits),
                new Quoting(options),
                options,
                limits,
                new YamlTypes());
        return yaml.dump(sorted(tree));
    }

    /** Several documents with separators between them. */
    static String join(List<String> documents) {
        return String.join("---\n", documents);
    }

    private static Object sorted(Object value) {
        return switch (value) {
            case Map<?, ?> map -> {
                Map<String, Object> copy = new LinkedHashMap<>();
                YamlTrees.map(map).entrySet().stream()
                        .sorted(Map.Entry.comparingByKey(KEY_ORDER))
                        .forEach(entry -> copy.put(entry.getKey(), sorted(entry.getValue())));
                yield copy;
            }
            case List<?> list -> {
                List<Object> copy = new ArrayList<>();
                list.forEach(item -> copy.add(sorted(item)));
                yield copy;
            }
            case null, default -> value;
        };
    }

    /** Letters by code point and after everything else, runs of digits by their number. */
    private static final Comparator<String> KEY_ORDER = YamlText::compareKeys;

    private static int compareKeys(String a, String b) {
        int i = 0;
        int j = 0;
        while (i < a.length() && j < b.length()) {
            if (isDigit(a.charAt(i)) && isDigit(b.charAt(j))) {
                int endA = digitsEnd(a, i);
                int endB = digitsEnd(b, j);
                int order = compareNumbers(a.substring(i, endA), b.substring(j, endB));
                if (order != 0) {
                    return order;
                }
                i = endA;
                j = endB;
                continue;
            }
            if (a.charAt(i) != b.charAt(j)) {
                boolean letterA = Character.isLetter(a.charAt(i));
                boolean letterB = Character.isLetter(b.charAt(j));
                return letterA == letterB
                        ? Character.compare(a.charAt(i), b.charAt(j))
                        : letterA ? 1 : -1;
            }
            i++;
            j++;
        }
        return Integer.compare(a.length() - i, b.length() - j);
    }

    private static int compareNumbers(String a, String b) {
        String left = a.replaceFirst("^0+", "");
        String right = b.replaceFirst("^0+", "");
        return left.length() != right.length()
                ? Integer.compare(left.length(), right.length())
                : left.compareTo(right);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static int digitsEnd(String text, int from) {
        int end = from;
        while (end < text.length() && isDigit(text.charAt(end))) {
            end++;
        }
        return end;
    }

    /** Puts text in double quotes where it would not come back as text. */
    private static final class Quoting extends Representer {

        /** What other readers take for a time; this program's own has no such type. */
        private static final Pattern TIME = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}"
                + "|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \\t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\\.[0-9]*)?"
                + "([ \\t]*(Z|[-+][0-9]{1,2}(:[0-9]{2})?))?");

        /** What readers of YAML 1.1 take for a number to the base of 60, 90 for 1:30. */
        private static final Pattern BASE_60 =
                Pattern.compile("[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\\.[0-9_]*)?");

        private final YamlTypes types = new YamlTypes();

        Quoting(DumperOptions options) {
            super(options);
        }

        @Override
        protected Node representScalar(Tag tag, String value, DumperOptions.ScalarStyle style) {
            boolean ambiguous = tag.equals(Tag.STR)
                    && (TIME.matcher(value).matches()
                            || BASE_60.matcher(value).matches()
                            || !types.resolve(NodeId.scalar, value, true).equals(Tag.STR));
            return super.representScalar(
                    tag, value, ambiguous ? DumperOptions.ScalarStyle.DOUBLE_QUOTED : style);
        }
    }
}
