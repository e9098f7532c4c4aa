package io.kjadm.core.config;

import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.resolver.Resolver;

import java.util.regex.Pattern;

/**
 * What an unquoted YAML scalar is. Kubernetes reads YAML 1.1, in which {@code y} and {@code n} are
 * booleans too; dates stay text, as they do once Kubernetes has made JSON of them.
 */
final class YamlTypes extends Resolver {

    private static final Pattern YES_OR_NO = Pattern.compile(
            "y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF");
    private static final Pattern WHOLE_NUMBER =
            Pattern.compile("[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]*|[1-9][0-9_]*)");
    private static final Pattern NUMBER =
            Pattern.compile("[-+]?(?:\\.[0-9]+|[0-9]+(?:\\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
                    + "|[-+]?\\.(?:inf|Inf|INF)|\\.(?:nan|NaN|NAN)");
    private static final Pattern NOTHING = Pattern.compile("~|null|Null|NULL| ?");

    @Override
    protected void addImplicitResolvers() {
        addImplicitResolver(Tag.BOOL, YES_OR_NO, "yYnNtTfFoO");
        addImplicitResolver(Tag.INT, WHOLE_NUMBER, "-+0123456789");
        addImplicitResolver(Tag.FLOAT, NUMBER, "-+0123456789.");
        addImplicitResolver(Tag.MERGE, Pattern.compile("<<"), "<");
        addImplicitResolver(Tag.NULL, NOTHING, "~nN\0");
        addImplicitResolver(Tag.NULL, Pattern.compile(""), null);
    }
}
