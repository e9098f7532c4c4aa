package io.kjadm.cli.kube;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.Flags;
import io.kjadm.cli.command.OutputFlags;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.listing.UpgradePlanListing;
import io.kjadm.cli.output.ObjectWriter;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.UpgradeSource;
import io.kjadm.core.check.Preflight;
import io.kjadm.core.config.ConfigurationYaml;
import io.kjadm.core.config.UpgradeConfiguration;
import io.kjadm.core.config.UpgradeConfiguration.Target;
import io.kjadm.core.config.VersionResolver;
import io.kjadm.core.error.PreflightException;
import io.kjadm.core.error.PreflightException.FailedCheck;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.net.MachineFacts;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.preflight.machine.MachineChecks;
import io.kjadm.core.upgrade.StoredConfiguration;
import io.kjadm.core.upgrade.VersionPolicy.PreReleases;
import io.kjadm.core.upgrade.check.UpgradeCheckup;
import io.kjadm.core.upgrade.check.UpgradeGoal;
import io.kjadm.core.upgrade.plan.UpgradeCandidate;
import io.kjadm.core.upgrade.plan.UpgradePlan;
import io.kjadm.core.upgrade.plan.VersionOffers;
import io.kjadm.core.value.KubernetesVersion;

import picocli.CommandLine;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * {@code kjadm upgrade plan}: to which versions the cluster may go, what stands in the way, and how
 * it is done.
 */
record UpgradePlanCommand(Console console, Function<Console, Reporter> reporters) {

    private static final String AREA = "upgrade/plan";

    CommandLine build() {
        return CommandBuilder.running(
                        "plan",
                        "Check which versions are available to upgrade to and whether the cluster can be upgraded; changes nothing",
                        this::run)
                .flags(Flags.UPGRADE_PLAN)
                .words("version", 1, "The version to upgrade to, or a label such as stable-1.37")
                .example("Check the upgrade to the latest version", "")
                .example("Check the upgrade to one version", KubernetesVersion.CURRENT.toString())
                .build();
    }

    private void run(CommandFlags flags, List<String> words) {
        Optional<ObjectWriter> writer = OutputFlags.writer(flags);
        Console used = writer.isPresent() ? console.withoutResults() : console;
        Reporter out = reporters.apply(used);
        UpgradeConfiguration config = UpgradeSource.configuration(flags, words, out);
        // what it works with cannot change anything either
        try (Composition composition = new Composition(out, true)) {
            new Preflight(config.plan().ignorePreflightErrors(), out)
                    .run(MachineChecks.privileged(
                            composition.preflightHost(KubernetesPaths.standard())));
            UpgradePlan plan = plan(flags, config, composition);
            UpgradePlanListing listing = new UpgradePlanListing(plan, console.name());
            console.print(writer.map(chosen -> chosen.write(List.of(listing.object())))
                    .orElseGet(listing::text));
            conclude(plan);
        }
    }

    private UpgradePlan plan(
            CommandFlags flags, UpgradeConfiguration config, Composition composition) {
        Reporter out = composition.out();
        UpgradeSource source = UpgradeSource.of(composition, flags, config);
        StoredConfiguration stored = source.stored();
        if (config.plan().printConfig()) {
            out.print(ConfigurationYaml.cluster(stored.cluster()));
        }
        var node = source.node(stored);
        UpgradeCheckup checkup = source.checkup();
        KubernetesVersion current = checkup.clusterVersion(config.timeouts());
        Target target = config.plan().target();
        List<UpgradeCandidate> candidates = out.during(
                AREA,
                "Getting the available versions",
                () -> UpgradeCandidate.of(
                        current,
                        new VersionOffers(new VersionResolver(new MachineFacts()::fetch, out::warn))
                                .to(current, target)));
        out.step("upgrade/versions", "Cluster version: " + current);
        out.step(
                "upgrade/versions",
                (console.name().standsInForKubeadm()
                                ? "kubeadm version: "
                                : "kjadm supports up to: ")
                        + KubernetesVersion.CURRENT);
        if (candidates.isEmpty()) {
            return UpgradePlan.nothing(current);
        }
        UpgradeGoal goal = new UpgradeGoal(
                candidates.getLast().version(),
                PreReleases.of(target.experimental(), target.releaseCandidate()),
                config.plan().etcdUpgrade(),
                UpgradeSource.patches(config),
                config.timeouts());
        out.step("upgrade/versions", "Target version: " + goal.target());
        return UpgradePlan.of(
                current,
                candidates,
                out.during(
                        AREA,
                        "Looking at the cluster and this node",
                        () -> checkup.gather(stored, node, goal)),
                new UpgradePlan.Setting(
                        node.name(), stored::at, config.plan().ignorePreflightErrors()));
    }

    private static void conclude(UpgradePlan plan) {
        if (plan.mayGoOn()) {
            return;
        }
        throw new PreflightException(
                "the upgrade to %s cannot start".formatted(plan.target().orElseThrow()),
                "it is stopped by "
                        + plan.stopping().stream()
                                .map(finding -> finding.rule().checkName())
                                .distinct()
                                .collect(Collectors.joining(", ")),
                "do what the plan advises, then run it again",
                plan.stopping().stream()
                        .map(finding -> new FailedCheck(
                                finding.rule().checkName(), finding.problem().facts()))
                        .toList());
    }
}
