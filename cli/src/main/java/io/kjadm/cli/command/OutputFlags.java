package io.kjadm.cli.command;

import static io.kjadm.cli.command.FlagOption.all;
import static io.kjadm.cli.command.FlagOption.explained;

import io.kjadm.cli.output.ObjectWriter;
import io.kjadm.cli.output.OutputFormat;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;

import java.util.List;
import java.util.Optional;

/** The flags of commands that answer with objects. */
public final class OutputFlags {

    public static final List<FlagOption> ALL = explained(
            all(Flag.OUTPUT, Flag.ALLOW_MISSING_TEMPLATE_KEYS, Flag.SHOW_MANAGED_FIELDS),
            new FlagOption(
                    Flag.OUTPUT,
                    "Output format: text, json, yaml, kyaml, go-template=…, go-template-file=…, template=…, "
                            + "templatefile=…, jsonpath=…, jsonpath-as-json=… or jsonpath-file=… (default text)"));

    /** The same for commands whose plain form is a table. */
    public static final List<FlagOption> WITH_TABLE = explained(
            ALL,
            new FlagOption(
                    Flag.OUTPUT,
                    "Output format: table, json, yaml, kyaml, go-template=…, jsonpath=… "
                            + "or another that 'kjadm token list' supports (default table)"));

    /** That of commands whose plain form is what they say while they work. */
    static final FlagOption RESULT = new FlagOption(
            Flag.OUTPUT,
            "Output format: text, json, yaml or another that 'kjadm token list' supports (default text). "
                    + "Other formats than text print one object on standard output, and everything else on standard error");

    private OutputFlags() {}

    /** What writes the objects; empty for plain text. */
    public static Optional<ObjectWriter> writer(CommandFlags flags) {
        boolean missingKeysAllowed =
                flags.bool(Flag.ALLOW_MISSING_TEMPLATE_KEYS).orElse(true);
        String format = flags.text(Flag.OUTPUT).orElse("");
        return new OutputFormat(missingKeysAllowed, System.getenv()).writer(format);
    }

    /** What writes objects for programs, where no format was asked for. */
    public static ObjectWriter json() {
        return new OutputFormat(true, System.getenv()).writer("json").orElseThrow();
    }

    /** The same for commands with {@link #WITH_TABLE}; empty for the table. */
    public static Optional<ObjectWriter> writerOrTable(CommandFlags flags) {
        return flags.text(Flag.OUTPUT).filter("table"::equals).isPresent()
                ? Optional.empty()
                : writer(flags);
    }
}
