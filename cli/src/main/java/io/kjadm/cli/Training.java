package io.kjadm.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What the build runs to train the AOT cache: the common commands, without touching the machine.
 * Nothing here is used on a node.
 */
final class Training {

    private Training() {}

    public static void main(String[] arguments) {
        for (List<String> command : commands()) {
            run(command);
        }
        System.exit(0);
    }

    private static List<List<String>> commands() {
        return List.of(
                List.of("version"),
                List.of("version", "-o", "json"),
                List.of("--help"));
    }

    private static void run(List<String> command) {
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        int status = new Main(new Console(nowhere, nowhere, false)).run(command.toArray(String[]::new));
        if (status != 0) {
            throw new IllegalStateException("training with " + command + " ended with status " + status);
        }
    }
}
