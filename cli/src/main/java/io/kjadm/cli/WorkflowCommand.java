package io.kjadm.cli;

import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Workflow;

import picocli.CommandLine;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The command of a workflow and its {@code phase} subcommands, out of the same list of phases.
 *
 * @param <R> the run record
 */
final class WorkflowCommand<R> {

    /** Runs the workflow, or one phase of it. */
    interface Action {
        /**
         * @param flags that were set
         * @param words without a flag
         * @param only  the single phase to run
         */
        void run(CommandFlags flags, List<String> words, Optional<OnePhase> only);
    }

    private final Console console;
    private final List<FlagOption> phaseFlags;
    private final Consumer<CommandBuilder> words;
    private final Action action;

    /**
     * @param phaseFlags all flags that phases may have, those of the workflow among them
     * @param words      says which words the command and its phases take
     */
    WorkflowCommand(
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
    CommandLine build(
            String name,
            String description,
            List<FlagOption> flags,
            boolean withPhases,
            Supplier<Workflow<R>> workflow) {
        CommandBuilder command = CommandBuilder.running(
                        name, description, (set, words) -> action.run(set, words, Optional.empty()))
                .flags(flags);
        words.accept(command);
        if (withPhases) {
            Workflow<R> phases = workflow.get();
            command.footer(width -> "\nPhases:\n" + PhaseTable.of(phases).text(width));
            CommandBuilder group = CommandBuilder.group(
                    "phase",
                    "Use this command to invoke a single phase of the %s workflow".formatted(name),
                    console);
            phases.phases().stream()
                    .filter(phase -> !phase.info().hidden())
                    .forEach(phase -> group.subcommand(phase("", phase)));
            command.subcommand(group.build());
        }
        return command.build();
    }

    private CommandLine phase(String prefix, Phase<R> phase) {
        PhaseInfo info = phase.info();
        String fullName = prefix + info.name();
        if (phase.children().isEmpty()) {
            return leaf(info.name(), info, fullName);
        }
        CommandBuilder group = CommandBuilder.group(info.name(), info.description(), console)
                .aliases(info.aliases());
        if (!info.flags().isEmpty()) {
            group.subcommand(leaf(Workflow.ALL, info, fullName));
        }
        phase.children().forEach(child -> group.subcommand(phase(fullName + "/", child)));
        return group.build();
    }

    private CommandLine leaf(String name, PhaseInfo info, String fullName) {
        boolean all = name.equals(Workflow.ALL);
        CommandBuilder command = CommandBuilder.running(
                        name,
                        all ? "All of: " + info.description() : info.description(),
                        (set, words) -> action.run(
                                set, words, Optional.of(new OnePhase(fullName, info.flags()))))
                .flags(phaseFlags.stream()
                        .filter(flag -> info.flags().contains(flag.flag()))
                        .toList());
        if (!all) {
            command.aliases(info.aliases());
        }
        words.accept(command);
        return command.build();
    }
}
