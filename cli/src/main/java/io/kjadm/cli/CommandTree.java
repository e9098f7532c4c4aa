package io.kjadm.cli;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ConsoleReporter;
import io.kjadm.cli.console.EventReporter;
import io.kjadm.cli.console.LogConfiguration;
import io.kjadm.cli.etcd.EtcdCommand;
import io.kjadm.cli.etcd.ManualCommands;
import io.kjadm.cli.kube.CertsCommand;
import io.kjadm.cli.kube.ConfigCommand;
import io.kjadm.cli.kube.InitCommand;
import io.kjadm.cli.kube.JoinCommand;
import io.kjadm.cli.kube.KubeconfigCommand;
import io.kjadm.cli.kube.ResetCommand;
import io.kjadm.cli.kube.TokenCommand;
import io.kjadm.cli.kube.UpgradeCommand;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.SimilarNames;

import picocli.CommandLine;

import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The commands by name. Building a command costs more than anything else at start-up, so only the
 * one that is called is built; the help, and names that do not exist, build them all.
 */
public final class CommandTree {

    /** Who mistypes it is told only if it is there. */
    private static final List<String> PHASE = List.of("phase");

    private final Console console;
    private final RootCommand root;
    private final Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();
    private boolean withPhases;

    public CommandTree(Console console) {
        this.console = console;
        this.root = new RootCommand(console);
        commands.put("init", () -> new InitCommand(console, this::reporter).build(withPhases));
        commands.put("join", () -> new JoinCommand(console, this::reporter).build(withPhases));
        commands.put("reset", () -> new ResetCommand(console, this::reporter).build(withPhases));
        commands.put(
                "upgrade", () -> new UpgradeCommand(console, this::reporter).build(withPhases));
        commands.put("token", () -> new TokenCommand(console, this::reporter).build());
        commands.put("etcd", () -> new EtcdCommand(console, this::reporter).build(withPhases));
        commands.put("certs", () -> new CertsCommand(console, this::reporter).build());
        commands.put("kubeconfig", () -> new KubeconfigCommand(console, this::reporter).build());
        commands.put("config", () -> new ConfigCommand(console, this::reporter).build());
        commands.put("completion", () -> new CompletionCommand(console, this::another).build());
        commands.put("help", () -> new HelpCommand(console, this::another).build());
        commands.put("alpha", this::alpha);
        commands.put("version", () -> new VersionCommand(console).build());
    }

    /** Of all commands, in the order of the help. */
    public static List<String> names() {
        return List.copyOf(new CommandTree(new Console(
                        OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), false))
                .commands.keySet());
    }

    /** kubeadm has it even while it holds nothing; scripts look there first. */
    private CommandLine alpha() {
        CommandLine[] self = new CommandLine[1];
        self[0] = CommandBuilder.running(
                        "alpha",
                        "Experimental subcommands; there are none",
                        (flags, words) -> self[0].usage(console.out()))
                .ignoredWords()
                .example("Show the experimental subcommands", "")
                .build();
        return self[0];
    }

    /** Made when a command runs: only then the verbosity is known. */
    private Reporter reporter(Console console) {
        LogConfiguration.logging(root.verbosity(), console.events());
        return console.events()
                .<Reporter>map(events ->
                        new EventReporter(console, events, root.verbosity(), System::nanoTime))
                .orElseGet(() -> new ConsoleReporter(console, root.verbosity()));
    }

    /**
     * The command line that understands these arguments.
     *
     * @param arguments in the order of {@link ArgumentOrder}
     */
    public CommandLine forArguments(String... arguments) {
        List<String> words = List.of(arguments);
        withPhases = words.stream()
                .anyMatch(word -> isHelp(word) || !SimilarNames.of(word, PHASE).isEmpty());
        String called = arguments.length == 0 ? "" : arguments[0];
        if (!commands.containsKey(called)) {
            return all();
        }
        CommandLine line = root.build();
        line.addSubcommand(called, commands.get(called).get());
        console.terminal().help().applyTo(line);
        return line;
    }

    /**
     * Every command with every phase, in a tree of its own: the one that is running is left alone.
     */
    private CommandLine another() {
        CommandTree whole = new CommandTree(console);
        whole.withPhases = true;
        return whole.all();
    }

    private CommandLine all() {
        CommandLine line = root.build();
        commands.forEach((name, command) -> line.addSubcommand(name, command.get()));
        console.terminal().help().applyTo(line);
        return line;
    }

    /** Runs the command that was called. */
    int execute(CommandLine.ParseResult parsed) {
        try {
            return root.execute(parsed, new ManualCommands(console, this::reporter));
        } catch (KjadmException e) {
            throw new CommandLine.ExecutionException(
                    parsed.commandSpec().commandLine(), e.getMessage(), e);
        }
    }

    /** Verbosity the operator asked for. */
    int verbosity() {
        return root.verbosity();
    }

    static boolean isHelp(String argument) {
        return argument.equals("--help") || argument.equals("-h");
    }
}
