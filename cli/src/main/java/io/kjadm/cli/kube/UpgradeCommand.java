package io.kjadm.cli.kube;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.Flags;
import io.kjadm.cli.command.OnePhase;
import io.kjadm.cli.command.WorkflowCommand;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ConsoleConfirmation;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.cli.wiring.UpgradeSource;
import io.kjadm.core.check.Check;
import io.kjadm.core.config.ConfigurationYaml;
import io.kjadm.core.config.UpgradeConfiguration;
import io.kjadm.core.config.UpgradeConfiguration.NodeUpgrade;
import io.kjadm.core.config.VersionResolver;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.net.MachineFacts;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.upgrade.UpgradeRun;
import io.kjadm.core.upgrade.UpgradeRunLoader;
import io.kjadm.core.upgrade.UpgradeWorkflow;
import io.kjadm.core.upgrade.VersionPolicy.PreReleases;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import picocli.CommandLine;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** {@code kjadm upgrade apply} and {@code kjadm upgrade node}. */
public record UpgradeCommand(Console console, Function<Console, Reporter> reporters) {

    /** Pairs that a renewal makes. */
    private static final int KEYS = 11;

    /**
     * What was typed.
     *
     * @param first whether it is {@code apply}
     */
    private record Call(
            boolean first, CommandFlags flags, Optional<String> version, Optional<OnePhase> only) {}

    public CommandLine build(boolean withPhases) {
        CommandBuilder group = CommandBuilder.group(
                "upgrade",
                "Upgrade your cluster smoothly to a newer version with this command",
                console);
        return group.subcommand(new UpgradePlanCommand(console, reporters).build())
                .subcommand(new UpgradeDiffCommand(console, reporters).build())
                .subcommand(apply(withPhases))
                .subcommand(node(withPhases))
                .build();
    }

    private CommandLine apply(boolean withPhases) {
        return new WorkflowCommand<UpgradeRun>(
                        console,
                        Flags.UPGRADE_APPLY,
                        command -> command.words(
                                "version",
                                1,
                                "The version to upgrade to, or a label such as stable-1"),
                        (flags, words, only) -> run(true, flags, words, only))
                .build(
                        new WorkflowCommand.Text(
                                        "apply",
                                        "Upgrade your Kubernetes cluster to the specified version")
                                .example(
                                        "Upgrade the cluster, on its first control-plane node",
                                        KubernetesVersion.CURRENT.toString())
                                .example(
                                        "Show what would be done",
                                        KubernetesVersion.CURRENT + " --dry-run")
                                .example(
                                        "Keep manual changes to the static pod manifests",
                                        KubernetesVersion.CURRENT + " --yes --adopt-changes")
                                .phasesTake(KubernetesVersion.CURRENT.toString()),
                        Flags.UPGRADE_APPLY,
                        withPhases,
                        () -> unused().apply());
    }

    private CommandLine node(boolean withPhases) {
        return new WorkflowCommand<UpgradeRun>(
                        console,
                        Flags.UPGRADE_NODE,
                        command -> {},
                        (flags, words, only) -> run(false, flags, words, only))
                .build(
                        new WorkflowCommand.Text(
                                        "node",
                                        "Upgrade this node to the version that 'kjadm upgrade apply' installed")
                                .example(
                                        "Upgrade this node, after 'kjadm upgrade apply' on the first one",
                                        "")
                                .example("Show what would be done", "--dry-run"),
                        Flags.UPGRADE_NODE,
                        withPhases,
                        () -> unused().node());
    }

    /** For the help, which lists the phases. */
    private UpgradeWorkflow unused() {
        return workflow(
                new Composition(reporters.apply(console), true),
                run -> List.of(),
                Confirmation.GIVEN);
    }

    private void run(
            boolean first, CommandFlags flags, List<String> words, Optional<OnePhase> only) {
        RunOutput output =
                new RunOutput(first ? "upgrade apply" : "upgrade node", flags, console, reporters);
        Call call = new Call(first, flags, words.stream().findFirst(), only);
        output.around(() -> run(call, output));
    }

    private static void run(Call call, RunOutput output) {
        boolean first = call.first();
        CommandFlags flags = call.flags();
        Optional<String> version = call.version();
        Optional<OnePhase> only = call.only();
        Reporter out = output.out();
        UpgradeConfiguration given = only.isPresent()
                ? Composition.loader(out)
                        .upgradePhase(Composition.configurationFile(flags), flags, version)
                : Composition.loader(out)
                        .upgrade(Composition.configurationFile(flags), flags, version);
        boolean dry = (first ? given.apply().node() : given.node()).dryRun();
        Optional<AssumedNode> assumed = dry
                ? AssumedNode.of(flags, first, given.apply().target().version())
                : Optional.empty();
        // there is no member to ask
        UpgradeConfiguration config = assumed.isPresent() ? given.withoutEtcd() : given;
        NodeUpgrade settings = first ? config.apply().node() : config.node();
        output.dryRun(dry);
        try (Composition composition = new Composition(
                        out, output.noted(ports(dry, assumed, out)), output.timings())
                .changing(ChangingCommand.UPGRADING)) {
            Path kubeconfig = flags.path(Flag.KUBECONFIG)
                    .orElseGet(() -> usualKubeconfig(first, composition.ports().observed()));
            UpgradeSource source = new UpgradeSource(composition, kubeconfig, config.timeouts());
            UpgradeWorkflow workflows = workflow(
                    composition,
                    new UpgradeChecks(
                            source.checkup(),
                            PreReleases.of(
                                    config.apply().target().experimental(),
                                    config.apply().target().releaseCandidate())),
                    first && config.apply().interactive()
                            ? new ConsoleConfirmation(output.console())
                            : Confirmation.GIVEN);
            Workflow<UpgradeRun> workflow = first ? workflows.apply() : workflows.node();
            Selection selection = only.map(OnePhase::selection)
                    .orElseGet(() -> Selection.allBut(settings.skipPhases()));
            workflow.selected(selection);
            UpgradeRunLoader loader = new UpgradeRunLoader(
                    composition.ports().files(),
                    composition.clients(),
                    composition.ports().observer(),
                    composition.ports().waiter(),
                    Failpoints.ofProcess(),
                    out);
            source.requireCredentials();
            UpgradeRun start = out.during(
                    "upgrade",
                    "Looking at this node and its cluster",
                    () -> first
                            ? loader.apply(
                                    config,
                                    kubeconfig,
                                    new VersionResolver(new MachineFacts()::fetch, out::warn)
                                            ::resolve)
                            : loader.node(config, kubeconfig));
            if (first && config.apply().printConfig()) {
                out.print(ConfigurationYaml.cluster(start.stored().cluster()));
            }
            HostFiles files = composition.ports().observed();
            output.about(subject(start, files));
            UpgradeRun done = output.following(workflow, known -> subject(known, files))
                    .run(start, selection, out);
            done.changes()
                    .end(composition.ports().waiter().now())
                    .ifPresent(kept -> out.step(
                            "upgrade", "The previous files of this node are kept in " + kept));
            if (only.isEmpty()) {
                tellEnd(done, out);
            }
        }
    }

    private static RunSubject subject(UpgradeRun run, HostFiles files) {
        LocalEtcdState etcd = run.installed().etcd();
        return RunSubject.node(
                        run.installed().name(),
                        run.controlPlane(),
                        Optional.of(run.target().toString()))
                .upgradedFrom(run.from().toString())
                .withEtcd(() -> etcd.external() || !etcd.manifest()
                        ? Optional.empty()
                        : RunSubject.member(files, etcd.dataDir()));
    }

    private static void tellEnd(UpgradeRun done, Reporter out) {
        KubernetesVersion target = done.target();
        if (done.order().first()) {
            out.print("\nSUCCESS! A control plane node of your cluster was upgraded to \"%s\".\n"
                    .formatted(target));
            out.print(
                    "Now run 'kjadm upgrade node' on the other control-plane nodes, one after the other,");
            out.print("then upgrade the kubelets with your package manager.");
        } else {
            out.step("upgrade", "This node was upgraded to " + target);
            out.step("upgrade", "Now upgrade the kubelet package and restart the kubelet");
        }
    }

    private static Ports ports(boolean dry, Optional<AssumedNode> assumed, Reporter out) {
        return assumed.map(node -> node.ports(out))
                .orElseGet(() -> dry ? Ports.dry(out) : Ports.real(out));
    }

    private static Path usualKubeconfig(boolean first, HostFiles files) {
        KubernetesPaths paths = KubernetesPaths.standard();
        return first || files.exists(paths.adminConf()) ? paths.adminConf() : paths.kubeletConf();
    }

    private static UpgradeWorkflow workflow(
            Composition composition,
            Function<UpgradeRun, List<Check>> checks,
            Confirmation confirmation) {
        return new UpgradeWorkflow(
                composition.ports().machine(),
                composition.stores(KeyPairPool.onDemand(KeyAlgorithm.DEFAULT)),
                composition.health(),
                composition.cluster(),
                new UpgradeWorkflow.Before(
                        composition.preflightHost(KubernetesPaths.standard()),
                        composition.etcdCheckup(),
                        checks,
                        confirmation),
                algorithm -> KeyPairPool.started(algorithm, KEYS));
    }
}
