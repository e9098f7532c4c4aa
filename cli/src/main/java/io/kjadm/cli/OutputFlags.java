package io.kjadm.cli;

import io.kjadm.cli.output.ObjectWriter;
import io.kjadm.cli.output.OutputFormat;
import io.kjadm.core.config.CommandFlags;
import java.util.List;
import java.util.Optional;

/** The flags of commands that answer with objects (reference 01 §5.1). */
final class OutputFlags {

    static final List<Flag> ALL = List.of(
            Flag.text("output", "Output format: text, json, yaml, kyaml, go-template=…, go-template-file=…, template=…, "
                    + "templatefile=…, jsonpath=…, jsonpath-as-json=… or jsonpath-file=… (default text)").shortly("o"),
            Flag.onOff("allow-missing-template-keys",
                    "Whether a template may name a field that is missing in the object (default true)"),
            Flag.onOff("show-managed-fields", "Accepted for likeness with kubectl; these objects have no managed fields"));

    private OutputFlags() {}

    /** What writes the objects; empty for plain text. */
    static Optional<ObjectWriter> writer(CommandFlags flags) {
        boolean missingKeysAllowed = flags.bool("allow-missing-template-keys").orElse(true);
        return new OutputFormat(missingKeysAllowed, System.getenv()).writer(flags.text("output").orElse(""));
    }
}
