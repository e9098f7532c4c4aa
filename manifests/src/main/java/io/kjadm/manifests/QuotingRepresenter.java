package io.kjadm.manifests;

import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

import java.util.regex.Pattern;

/**
 * Quotes strings that only look like strings. Readers disagree about what is a number, a truth
 * value or a date (YAML 1.1, 1.2 and what lies between), so whatever any of them would convert is
 * quoted; text of several lines becomes a literal block.
 */
final class QuotingRepresenter extends Representer {

    private static final Pattern WORDS = Pattern.compile(
            "y|n|yes|no|on|off|true|false|null|~|=|<<|[-+]?\\.(inf|nan)", Pattern.CASE_INSENSITIVE);
    private static final Pattern NUMBER_LIKE = Pattern.compile(
            "[-+]?\\.?[0-9][0-9a-f_xo]*([.:,eE+-][-+0-9a-f_.:]*)?", Pattern.CASE_INSENSITIVE);
    private static final Pattern DATE_LIKE = Pattern.compile("[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*");
    private static final Pattern ADDRESS = Pattern.compile("[0-9]+(\\.[0-9]+){3}");

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
