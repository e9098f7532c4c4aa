package io.kjadm.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;

/**
 * The commands by name. Building a command costs more than anything else at start-up, so only the one
 * that is called is built; the help, and names that do not exist, build them all.
 */
final class CommandTree {

    private final RootCommand root;
    private final Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();

    CommandTree(Console console) {
        this.root = new RootCommand(console);
        commands.put("version", () -> new CommandLine(new VersionCommand(console)));
    }

    /** The command line that understands these arguments. */
    CommandLine forArguments(String... arguments) {
        CommandLine line = new CommandLine(root);
        String called = firstWord(arguments);
        if (commands.containsKey(called)) {
            line.addSubcommand(called, commands.get(called).get());
        } else {
            commands.forEach((name, command) -> line.addSubcommand(name, command.get()));
        }
        return line;
    }

    /** Verbosity the operator asked for. */
    int verbosity() {
        return root.verbosity;
    }

    private static String firstWord(String... arguments) {
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            if (argument.equals("-v") || argument.equals("--v")) {
                i++;
            } else if (!argument.startsWith("-")) {
                return argument;
            }
        }
        return "";
    }
}
