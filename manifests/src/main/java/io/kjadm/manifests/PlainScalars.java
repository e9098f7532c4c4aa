package io.kjadm.manifests;

import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.resolver.Resolver;

import java.util.regex.Pattern;

/**
 * What an unquoted scalar means when read. As Kubernetes' own reader has it: dates and {@code 1:30}
 * stay text (the YAML library alone would make a date and a number of minutes of them), {@code yes}
 * and {@code on} are truth values.
 */
final class PlainScalars extends Resolver {

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
