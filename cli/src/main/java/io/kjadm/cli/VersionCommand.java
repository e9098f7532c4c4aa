package io.kjadm.cli;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.Flag;

import picocli.CommandLine;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code kjadm version}: tells this program's version and the Kubernetes version it serves. */
final class VersionCommand {

    private final Console console;

    VersionCommand(Console console) {
        this.console = console;
    }

    /**
     * Whether it is asked for in one word. Scripts do that often, and to describe the command line
     * takes longer than to answer.
     */
    static boolean isMeant(String... arguments) {
        return arguments.length == 1 && arguments[0].equals("version");
    }

    CommandLine build() {
        return CommandBuilder.running(
                        "version",
                        "Print the version of kjadm",
                        (flags, words) -> print(flags.text(Flag.OUTPUT).orElse("")))
                .flags(List.of(new FlagOption(Flag.OUTPUT, "Output format: short, yaml or json")))
                .build();
    }

    /** @param output {@code short}, {@code yaml}, {@code json} or nothing */
    void print(String output) {
        ProgramVersion version = ProgramVersion.current();
        console.print(
                switch (output) {
                    case "" ->
                        "kjadm version: %s (serves Kubernetes up to %s, %s)%n"
                                .formatted(
                                        version.version(),
                                        version.kubernetes(),
                                        ProgramVersion.platform());
                    case "short" ->
                        "%s (Kubernetes %s)%n".formatted(version.version(), version.kubernetes());
                    case "yaml" -> yaml(fields(version));
                    case "json" -> json(fields(version));
                    default ->
                        throw new UsageException(
                                "invalid output format \"%s\"".formatted(output),
                                "version supports short, yaml and json",
                                "use -o short, -o yaml, -o json or none");
                });
    }

    private static Map<String, String> fields(ProgramVersion version) {
        String[] numbers = version.kubernetes().substring(1).split("\\.");
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("major", numbers[0]);
        fields.put("minor", numbers[1]);
        fields.put("gitVersion", version.kubernetes());
        fields.put("kjadmVersion", version.version());
        fields.put("buildDate", version.built());
        fields.put("javaVersion", Runtime.version().toString());
        fields.put("platform", ProgramVersion.platform());
        return fields;
    }

    // two levels of plain text: a YAML or JSON library would cost more start-up than the command
    // itself
    private static String yaml(Map<String, String> fields) {
        StringBuilder text = new StringBuilder("clientVersion:\n");
        fields.forEach((name, value) -> text.append("  %s: \"%s\"%n".formatted(name, value)));
        return text.toString();
    }

    private static String json(Map<String, String> fields) {
        StringBuilder text = new StringBuilder("{\n  \"clientVersion\": {");
        String separator = "\n";
        for (Map.Entry<String, String> field : fields.entrySet()) {
            text.append(separator)
                    .append("    \"%s\": \"%s\"".formatted(field.getKey(), field.getValue()));
            separator = ",\n";
        }
        return text.append("\n  }\n}\n").toString();
    }
}
