package io.kjadm.cli;

import com.fasterxml.jackson.databind.ObjectMapper;

import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.LogFormat;
import io.kjadm.cli.console.ProgramName;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs command lines of the program in this JVM and keeps what they print. */
public final class TestConsole {

    /**
     * What a command line did.
     *
     * @param status exit status
     * @param out    standard output
     * @param err    standard error
     */
    public record Run(int status, String out, String err) {

        public List<String> outLines() {
            return out.lines().toList();
        }

        /** What follows {@code error: } on standard error, one line; empty if nothing failed. */
        public String error() {
            return err.lines()
                    .filter(line -> line.startsWith("error: "))
                    .map(line -> line.substring("error: ".length()))
                    .findFirst()
                    .orElse("");
        }

        /** The reason of the failure, of a run with {@code --log-format=json}. */
        public String reason() {
            try {
                String last = err.lines().reduce("", (_, line) -> line);
                return new ObjectMapper().readTree(last).path("reason").asText();
            } catch (IOException e) {
                throw new AssertionError(all(), e);
            }
        }

        /** Everything, for the message of an assertion. */
        public String all() {
            return "status %d%nout: %s%nerr: %s".formatted(status, out, err);
        }
    }

    private TestConsole() {}

    public static Run run(String... arguments) {
        return runAs(ProgramName.KJADM, arguments);
    }

    /** Runs a command line of the program as it is called by a name. */
    public static Run runAs(ProgramName name, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(stream(out), stream(err), false, name)
                .logging(LogFormat.of(ArgumentOrder.of(arguments)));
        int status = new Main(console).run(arguments);
        console.out().flush();
        console.err().flush();
        return new Run(
                status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }
}
