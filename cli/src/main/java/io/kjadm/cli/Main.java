package io.kjadm.cli;

import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.Failures;
import io.kjadm.cli.console.LogFormat;
import io.kjadm.core.error.Causes;
import io.kjadm.core.error.HostException;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Optional;

/**
 * Entry point: parses, runs one command, and turns any failure into a message and exit status 1.
 */
public final class Main {

    private final Console console;
    private final Failures failures;

    /** @param console of the format that the command line asks for */
    public Main(Console console) {
        this.console = console;
        this.failures = new Failures(console);
    }

    public static void main(String[] arguments) {
        Console console = Console.ofProcess().logging(LogFormat.of(ArgumentOrder.of(arguments)));
        // logs, and whoever else knows only these two, must not tear the live line either
        System.setOut(console.out());
        System.setErr(console.err());
        SignalHandler interruption = SignalHandler.watch(Thread.currentThread(), console);
        int status = 1;
        try {
            status = new Main(console).run(arguments);
        } finally {
            interruption.finished();
        }
        System.exit(status);
    }

    /**
     * Runs one command line; 0 or 1, as in kubeadm. Nothing is thrown: picocli
     * hands over exceptions, but no errors of the JVM.
     */
    public int run(String... arguments) {
        CommandTree tree = new CommandTree(console);
        try {
            Optional<String> version = VersionCommand.meant(arguments);
            if (version.isPresent()) {
                new VersionCommand(console).print(version.get());
                return delivered(0);
            }
            return delivered(execute(tree, ArgumentOrder.of(arguments)));
        } catch (Throwable failure) {
            failures.print(failure, tree.verbosity());
            return 1;
        } finally {
            console.live().end();
        }
    }

    /** A script must not take for a result what is none, or half of one. */
    private int delivered(int status) {
        if (status == 0 && console.lostResults().isPresent()) {
            IOException lost = console.lostResults().get();
            throw new HostException(
                    "could not write the result to standard output",
                    Causes.words(lost),
                    "make room where it is written; what the command did stays done",
                    lost);
        }
        return status;
    }

    private int execute(CommandTree tree, String... arguments) {
        CommandLine line = tree.forArguments(arguments);
        line.setExpandAtFiles(false);
        line.setOverwrittenOptionsAllowed(true);
        line.setOut(writer(console.out()));
        line.setErr(writer(console.err()));
        line.setExecutionStrategy(tree::execute);
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            failures.print(failure, tree.verbosity());
            return 1;
        });
        line.setParameterExceptionHandler((failure, args) -> usage(failure));
        return line.execute(arguments) == 0 ? 0 : 1;
    }

    /** Hands texts over as such: a stream that gets bytes cannot name commands in them. */
    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(
                new Writer() {
                    @Override
                    public void write(char[] text, int from, int length) {
                        stream.print(new String(text, from, length));
                    }

                    @Override
                    public void flush() {
                        stream.flush();
                    }

                    @Override
                    public void close() {
                        stream.close();
                    }
                },
                true);
    }

    private int usage(ParameterException failure) {
        failures.printUsage(
                UsageErrors.describe(failure),
                "See '%s --help' for usage."
                        .formatted(failure.getCommandLine().getCommandSpec().qualifiedName()));
        return 1;
    }
}
