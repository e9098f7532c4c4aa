package io.kjadm.cli;

import io.kjadm.cli.output.ObjectWriter;
import io.kjadm.cli.output.OutputFormat;
import io.kjadm.core.config.CommandFlags;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The flags of commands that answer with objects. */
final class OutputFlags {

    static final List<Flag> ALL = List.of(
            Flag.text(
                            "output",
                            "Output format: text, json, yaml, kyaml, go-template=…, go-template-file=…, template=…, "
                                    + "templatefile=…, jsonpath=…, jsonpath-as-json=… or jsonpath-file=… (default text)")
                    .shortOption("o"),
            Flag.onOff(
                    "allow-missing-template-keys",
                    "Whether a template may name a field that is missing in the object (default true)"),
            Flag.onOff(
                    "show-managed-fields",
                    "Accepted for compatibility with kubectl; these objects have no managed fields"));

    /** The same for commands whose plain form is a table. */
    static final List<Flag> WITH_TABLE = Stream.concat(
                    Stream.of(Flag.text(
                                    "output",
                                    "Output format: table, json, yaml, kyaml, go-template=…, jsonpath=… "
                                            + "or another that 'kjadm token list' supports (default table)")
                            .shortOption("o")),
                    ALL.stream().skip(1))
            .toList();

    private OutputFlags() {}

    /** What writes the objects; empty for plain text. */
    static Optional<ObjectWriter> writer(CommandFlags flags) {
        boolean missingKeysAllowed = flags.bool("allow-missing-template-keys").orElse(true);
        String format = flags.text("output").orElse("");
        return new OutputFormat(missingKeysAllowed, System.getenv()).writer(format);
    }

    /** The same for commands with {@link #WITH_TABLE}; empty for the table. */
    static Optional<ObjectWriter> writerOrTable(CommandFlags flags) {
        return flags.text("output").filter("table"::equals).isPresent()
                ? Optional.empty()
                : writer(flags);
    }
}
