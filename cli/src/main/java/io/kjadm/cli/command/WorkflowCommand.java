package io.kjadm.cli.command;

import io.kjadm.cli.console.Console;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Workflow;

import picocli.CommandLine;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The command of a workflow and its {@code phase} subcommands, out of the same list of phases.
 *
 * @param <R> the run record
 */
public final class WorkflowCommand<R> {

    /** Runs the workflow, or one phase of it. */
    public interface Action {
        /**
         * @param flags that were set
         * @param words without a flag
         * @param only  the single phase to run
         */
        void run(CommandFlags flags, List<String> words, Optional<OnePhase> only);
    }

    /**
     * What the help says of the command.
     *
     * @param phaseWords what has to be typed after the name of each of its phases
     */
    public record Text(
            String name, String description, String phaseWords, List<Examples.Example> examples) {

        public Text {
            examples = List.copyOf(examples);
        }

        public Text(String name, String description) {
            this(name, description, "", List.of());
        }

        /** The same with one more example: what it does, and what is typed after the name. */
        public Text example(String purpose, String words) {
            return new Text(
                    name,
                    description,
                    phaseWords,
                    Stream.concat(
                                    examples.stream(),
                                    Stream.of(new Examples.Example(purpose, words)))
                            .toList());
        }

        public Text phasesTake(String words) {
            return new Text(name, description, words, examples);
        }

        private List<Examples.Example> phaseExamples(List<Flag> flags) {
            List<Examples.Example> all = new ArrayList<>();
            all.add(new Examples.Example("Run this phase", phaseWords));
            if (flags.contains(Flag.CONFIG)) {
                all.add(new Examples.Example(
                        "Run this phase with a configuration file",
                        phaseWords + " --config config.yaml"));
            }
            if (flags.contains(Flag.DRY_RUN)) {
                all.add(new Examples.Example(
                        "Show what this phase would change", phaseWords + " --dry-run"));
            }
            return all;
        }
    }

    private final Console console;
    private final List<FlagOption> phaseFlags;
    private final Consumer<CommandBuilder> words;
    private final Action action;

    /**
     * @param phaseFlags all flags that phases may have, those of the workflow among them
     * @param words      says which words the command and its phases take
     */
    public WorkflowCommand(
            Console console,
            List<FlagOption> phaseFlags,
            Consumer<CommandBuilder> words,
            Action action) {
        this.console = console;
        this.phaseFlags = List.copyOf(phaseFlags);
        this.words = words;
        this.action = action;
    }

    /**
     * The command.
     *
     * @param withPhases whether anybody will look at the subcommands; they cost start-up time
     */
    public CommandLine build(
            Text text, List<FlagOption> flags, boolean withPhases, Supplier<Workflow<R>> workflow) {
        CommandBuilder command = CommandBuilder.running(
                        text.name(),
                        text.description(),
                        (set, words) -> action.run(set, words, Optional.empty()))
                .flags(flags)
                .examples(text.examples());
        words.accept(command);
        if (withPhases) {
            Workflow<R> phases = workflow.get();
            command.footer(width -> "\nPhases:\n" + PhaseTable.of(phases).text(width));
            CommandBuilder group = CommandBuilder.group(
                    "phase",
                    "Use this command to invoke a single phase of the %s workflow"
                            .formatted(text.name()),
                    console);
            phases.phases().stream()
                    .filter(phase -> !phase.info().hidden())
                    .forEach(phase -> group.subcommand(phase(text, "", phase)));
            command.subcommand(group.build());
        }
        return command.build();
    }

    private CommandLine phase(Text text, String prefix, Phase<R> phase) {
        PhaseInfo info = phase.info();
        String fullName = prefix + info.name();
        if (phase.children().isEmpty()) {
            return leaf(text, info.name(), info, fullName);
        }
        CommandBuilder group = CommandBuilder.group(info.name(), info.description(), console)
                .aliases(info.aliases());
        if (!info.flags().isEmpty()) {
            group.subcommand(leaf(text, Workflow.ALL, info, fullName));
        }
        phase.children().forEach(child -> group.subcommand(phase(text, fullName + "/", child)));
        return group.build();
    }

    private CommandLine leaf(Text text, String name, PhaseInfo info, String fullName) {
        boolean all = name.equals(Workflow.ALL);
        CommandBuilder command = CommandBuilder.running(
                        name,
                        all ? "All of: " + info.description() : info.description(),
                        (set, words) -> action.run(
                                set, words, Optional.of(new OnePhase(fullName, info.flags()))))
                .flags(phaseFlags.stream()
                        .filter(flag -> info.flags().contains(flag.flag()))
                        .toList())
                .examples(text.phaseExamples(info.flags()));
        if (!all) {
            command.aliases(info.aliases());
        }
        words.accept(command);
        return command.build();
    }

    /**
     * The phases of a workflow as the help lists them: names in one column, children as {@code /name}
     * below their parent as in kubeadm, and what they do in another.
     */
    private record PhaseTable(List<Row> rows) {

        private static final String INDENT = "  ";
        private static final String GAP = "  ";
        /** A column of single words is harder to read than lines that are too long. */
        private static final int NARROWEST = 20;

        /** A name as it is shown, and a description. */
        record Row(String name, String description) {}

        public PhaseTable {
            rows = List.copyOf(rows);
        }

        static PhaseTable of(Workflow<?> workflow) {
            List<Row> rows = new ArrayList<>();
            workflow.phases().forEach(phase -> collect(phase, "", "", rows));
            return new PhaseTable(rows);
        }

        private static void collect(Phase<?> phase, String indent, String slash, List<Row> rows) {
            PhaseInfo info = phase.info();
            if (info.hidden()) {
                return;
            }
            rows.add(new Row(indent + slash + info.name(), info.description()));
            phase.children().forEach(child -> collect(child, indent + INDENT, "/", rows));
        }

        /** All lines, each ended, and as wide as that at most unless a single word is wider. */
        String text(int width) {
            int names = rows.stream().mapToInt(row -> row.name().length()).max().orElse(0);
            int room = Math.max(NARROWEST, width - INDENT.length() - names - GAP.length());
            StringBuilder text = new StringBuilder();
            for (Row row : rows) {
                String name = row.name();
                for (String line : Examples.broken(row.description(), room)) {
                    text.append(INDENT)
                            .append(name)
                            .append(" ".repeat(names - name.length()))
                            .append(GAP)
                            .append(line)
                            .append('\n');
                    name = "";
                }
            }
            return text.toString();
        }
    }
}
