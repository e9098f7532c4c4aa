package io.kjadm.cli;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ProgramVersion;
import io.kjadm.cli.wiring.NamedRelease;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.Flag;

import picocli.CommandLine;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * {@code kjadm version}: tells this program's version and the Kubernetes version it serves. The
 * objects are kubeadm's ({@code cmd/kubeadm/app/cmd/version.go}) with one field more.
 */
record VersionCommand(Console console) {

    private static final String SHORT = "short";

    /** What YAML would read as a number or a time without quotes. */
    private static final Pattern NO_TEXT =
            Pattern.compile("[0-9.+-]*(e[0-9+-]*)?|[0-9]{4}-[0-9]{2}-[0-9]{2}.*");

    /**
     * The format if nothing else is asked for, in the words that scripts use. They do that often,
     * and to describe the command line takes longer than to answer.
     */
    static Optional<String> meant(String... arguments) {
        return switch (String.join(" ", arguments)) {
            case "version" -> Optional.of("");
            case "version -o short",
                    "version -o=short",
                    "version -oshort",
                    "version --output short",
                    "version --output=short" -> Optional.of(SHORT);
            default -> Optional.empty();
        };
    }

    CommandLine build() {
        return CommandBuilder.running(
                        "version",
                        "Print the version of kjadm",
                        (flags, words) -> print(flags.text(Flag.OUTPUT).orElse("")))
                .flags(List.of(new FlagOption(Flag.OUTPUT, "Output format: short, yaml or json")))
                .example("Print the Kubernetes version only", "-o short")
                .build();
    }

    /** @param output {@code short}, {@code yaml}, {@code json} or nothing */
    void print(String output) {
        String release = NamedRelease.ofMachine();
        console.print(
                switch (output) {
                    case "" -> plain(release);
                    case SHORT -> release + "\n";
                    case "yaml" -> yaml(fields(release));
                    case "json" -> json(fields(release));
                    default ->
                        throw new UsageException(
                                "invalid output format \"%s\"".formatted(output),
                                "version supports short, yaml and json",
                                "use -o short, -o yaml, -o json or none");
                });
    }

    private String plain(String release) {
        if (console.name().standsInForKubeadm()) {
            return "kubeadm version: " + goSyntax(fields(release)) + "\n";
        }
        return "kjadm version: %s (serves Kubernetes up to %s, %s)%n"
                .formatted(ProgramVersion.current().version(), release, ProgramVersion.platform());
    }

    /** As Go prints its record of a version; the compatibility versions belong to servers. */
    private static String goSyntax(Map<String, String> fields) {
        return ("&version.Info{Major:\"%s\", Minor:\"%s\", EmulationMajor:\"\", EmulationMinor:\"\", "
                        + "MinCompatibilityMajor:\"\", MinCompatibilityMinor:\"\", GitVersion:\"%s\", "
                        + "GitCommit:\"%s\", GitTreeState:\"%s\", BuildDate:\"%s\", GoVersion:\"%s\", "
                        + "Compiler:\"%s\", Platform:\"%s\"}")
                .formatted(fields.values().toArray());
    }

    /** kubeadm's fields in their order, and that of this program at the end. */
    private static Map<String, String> fields(String release) {
        ProgramVersion version = ProgramVersion.current();
        String[] numbers = release.substring(1).split("\\.");
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("major", numbers[0]);
        fields.put("minor", numbers[1]);
        fields.put("gitVersion", release);
        fields.put("gitCommit", version.commit());
        fields.put("gitTreeState", version.treeState());
        fields.put("buildDate", version.built());
        fields.put("goVersion", "none (Java %d)".formatted(Runtime.version().feature()));
        fields.put("compiler", "javac");
        fields.put("platform", ProgramVersion.platform());
        fields.put("kjadmVersion", version.version());
        return fields;
    }

    // two levels of plain text: a YAML or JSON library would cost more start-up than the command
    // itself
    private static String yaml(Map<String, String> fields) {
        StringBuilder text = new StringBuilder("clientVersion:\n");
        new TreeMap<>(fields)
                .forEach((name, value) -> text.append(
                        (NO_TEXT.matcher(value).matches() ? "  %s: \"%s\"%n" : "  %s: %s%n")
                                .formatted(name, value)));
        return text.append('\n').toString();
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
