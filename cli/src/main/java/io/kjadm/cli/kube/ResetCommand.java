package io.kjadm.cli.kube;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.Flags;
import io.kjadm.cli.command.OnePhase;
import io.kjadm.cli.command.WorkflowCommand;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ConsoleConfirmation;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.CriSockets;
import io.kjadm.core.config.ResetConfiguration;
import io.kjadm.core.error.HostException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.reset.ResetRun;
import io.kjadm.core.reset.ResetRunLoader;
import io.kjadm.core.reset.ResetWorkflow;
import io.kjadm.core.upgrade.InstalledNode;
import io.kjadm.etcd.MemberIds;
import io.kjadm.manifests.TextResource;

import picocli.CommandLine;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** {@code kjadm reset}: makes a node an ordinary machine again. */
public record ResetCommand(Console console, Function<Console, Reporter> reporters) {

    public CommandLine build(boolean withPhases) {
        return new WorkflowCommand<ResetRun>(
                        console, Flags.RESET, CommandBuilder::ignoredWords, this::run)
                .build(
                        new WorkflowCommand.Text(
                                        "reset",
                                        "Performs a best effort revert of changes made to this host by 'kjadm init' or 'kjadm join'")
                                .example("Reset this node, after confirmation", "")
                                .example("Show what would be done", "--dry-run")
                                .example(
                                        "Reset the last control-plane node, which ends the cluster",
                                        "--force --force-last-member"),
                        Flags.RESET,
                        withPhases,
                        () -> workflow(
                                new Composition(reporters.apply(console), true),
                                Confirmation.GIVEN));
    }

    private void run(CommandFlags flags, List<String> words, Optional<OnePhase> only) {
        RunOutput output = new RunOutput("reset", flags, console, reporters);
        output.around(() -> run(flags, words, only, output));
    }

    private static void run(
            CommandFlags flags, List<String> words, Optional<OnePhase> only, RunOutput output) {
        Reporter out = output.out();
        words.forEach(word -> out.warn("argument \"%s\" is ignored".formatted(word)));
        ResetConfiguration config =
                Composition.loader(out).reset(Composition.configurationFile(flags), flags);
        Path kubeconfig =
                flags.path(Flag.KUBECONFIG).orElse(KubernetesPaths.standard().adminConf());
        output.dryRun(config.dryRun());
        try (Composition composition = new Composition(
                        out,
                        output.noted(config.dryRun() ? Ports.dry(out) : Ports.real(out)),
                        output.timings())
                .changing()) {
            Workflow<ResetRun> workflow = workflow(
                    composition,
                    ConsoleConfirmation.unless(
                            config.force() || config.dryRun(), output.console()));
            Selection selection = only.map(OnePhase::selection)
                    .orElseGet(() -> Selection.allBut(config.skipPhases()));
            workflow.selected(selection);
            Ports ports = composition.ports();
            ResetRun start = out.during(
                    "reset",
                    "Looking at this node and its cluster",
                    () -> new ResetRunLoader(
                                    ports.files(),
                                    composition.clients(),
                                    ports.machine().runtimes(),
                                    ports.waiter())
                            .start(
                                    config,
                                    kubeconfig,
                                    only.map(OnePhase::takesSocket).orElse(true)
                                            ? CriSockets::detect
                                            : CriSockets::firstAnswering,
                                    out));
            RunSubject subject = subject(start, ports.observed());
            output.about(subject);
            ResetRun done = output.following(workflow, _ -> subject).run(start, selection, out);
            if (only.isEmpty()) {
                out.print(TextResource.filled(ResetRun.class, "cleaned.txt", Map.of()));
            }
            done.conclude();
        }
    }

    /** What the node was: afterwards no file tells it. */
    private static RunSubject subject(ResetRun run, HostFiles files) {
        Optional<MemberIds> member = run.etcd().external()
                ? Optional.empty()
                : RunSubject.member(files, run.etcd().dataDir());
        return RunSubject.node(
                        name(run, files),
                        run.etcd().setup().controlPlane(),
                        run.cluster().map(ClusterConfiguration::kubernetesVersion))
                .withEtcd(() -> member);
    }

    private static String name(ResetRun run, HostFiles files) {
        try {
            return InstalledNode.name(files, run.paths().kubeletConf());
        } catch (HostException e) {
            return run.etcd().name().orElse("");
        }
    }

    private static Workflow<ResetRun> workflow(Composition composition, Confirmation confirmation) {
        return ResetWorkflow.of(
                composition.ports().machine(),
                composition.cluster(),
                composition.preflightHost(KubernetesPaths.standard()),
                confirmation,
                Failpoints.ofProcess());
    }
}
