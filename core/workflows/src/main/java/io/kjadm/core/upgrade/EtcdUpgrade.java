package io.kjadm.core.upgrade;

import io.kjadm.core.config.Images;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.AddedFlags;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.check.V2ContentReader;
import io.kjadm.core.etcd.version.EtcdMemberExchange;
import io.kjadm.core.etcd.version.EtcdMemberExchange.Seen;
import io.kjadm.core.etcd.version.EtcdMemberExchange.Wanted;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule;
import io.kjadm.etcd.upgrade.EtcdUpgradePath;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.NameAndUrl;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Gives this node's etcd member the version that goes with a version of Kubernetes: only if all
 * others are healthy and etcd's own rules allow it, and after a snapshot.
 */
record EtcdUpgrade(Machine machine, ManifestStore manifests, ClusterClients clients, Reporter out) {

    static final String STEP = EtcdPod.NAME;

    private static final String AREA = "upgrade";

    private EtcdMemberExchange member(UpgradeRun run) {
        return new EtcdMemberExchange(
                machine,
                new EtcdPodServer(
                        machine,
                        clients,
                        run.installed(),
                        run.kubeconfig(),
                        run.timeouts().upgradeManifests(),
                        out),
                out);
    }

    private static EtcdVersion target(UpgradeRun run) {
        return EtcdMemberExchange.version(Images.of(run.stored().cluster()).etcd());
    }

    /**
     * Upgrades the member, unless it is as wanted.
     *
     * @throws ClusterException if the cluster cannot do without it now, and nothing was changed; or
     *     if it does not come back as wanted
     */
    void run(
            UpgradeRun run,
            LocalEtcd etcd,
            NodeChanges changes,
            StaticPodExchange exchange,
            HeldLock held) {
        EtcdVersion target = target(run);
        EtcdMemberExchange member = member(run);
        try (EtcdCluster cluster = member.connect()) {
            Optional<String> begun = member.exchangedBefore(target, changes);
            if (begun.isPresent()) {
                member.seeThrough(
                        cluster,
                        new Wanted(target, begun.get(), 0, EtcdMemberExchange.STEADY),
                        changes);
                return;
            }
            Seen before = member.see(cluster);
            String text = manifests.etcd(run.node(), etcd, Optional.of(member.listed(before)));
            if (!exchange.changes(EtcdPod.NAME, text)) {
                out.step(AREA, "etcd is up to date: " + target);
                return;
            }
            requireData(run, text);
            requireCompany(run, text, before);
            requireAllowed(run, before, target, out::warn);
            member.prepare(
                    cluster,
                    before,
                    changes,
                    now -> requireAllowed(run, now, target, warnedOfBefore -> {}));
            held.requireHeld();
            member.seeThrough(
                    cluster,
                    new Wanted(target, text, before.health().commit(), EtcdMemberExchange.STEADY),
                    changes);
        }
    }

    /**
     * Gives the member its former manifest back, as {@link EtcdMemberExchange#rollBack} does.
     *
     * @return why it only goes forward; what was tried is in place then
     */
    Optional<Problem> rollBack(UpgradeRun run, NodeChanges changes) {
        return member(run).rollBack(target(run), changes);
    }

    /**
     * What the manifest will list.
     *
     * @return empty if etcd is no part of the run, or an earlier run has exchanged its manifest
     */
    Optional<List<NameAndUrl>> membersToBeListed(UpgradeRun run, NodeChanges changes) {
        if (!run.settings().scope().etcdUpgrade()
                || !(run.stored().cluster().etcd() instanceof LocalEtcd)
                || changes.changedSteps().contains(STEP)) {
            return Optional.empty();
        }
        EtcdMemberExchange member = member(run);
        try (EtcdCluster etcd = member.connect()) {
            return Optional.of(member.listed(member.see(etcd)));
        }
    }

    /** Who has moved them may have changed the manifest alone. */
    private void requireData(UpgradeRun run, String text) {
        InstalledNode node = run.installed();
        node.etcd()
                .dataLeftBehind(machine.files(), node.paths().manifest(EtcdPod.NAME), text)
                .ifPresent(problem -> {
                    throw new ClusterException(problem);
                });
    }

    /** What the cluster's configuration or a patch adds would count at each start from now on. */
    private static void requireCompany(UpgradeRun run, String text, Seen seen) {
        StaticPodText.parse(text)
                .map(pod -> AddedFlags.of(
                        run.installed().paths().manifest(EtcdPod.NAME),
                        run.installed().etcd().dataDir(),
                        pod::flagOrSwitch))
                .flatMap(AddedFlags::startProblem)
                .filter(_ -> seen.health().members().size() > 1)
                .ifPresent(problem -> {
                    throw new ClusterException(problem.with(
                            "", AddedFlags.REMOVE_CONFIGURED + ", then run the command again"));
                });
    }

    private void requireAllowed(
            UpgradeRun run, Seen seen, EtcdVersion target, Consumer<String> warnings) {
        List<EtcdUpgradeFinding> findings = EtcdUpgradePath.findings(new EtcdUpgradePath.Facts(
                new ClusterFacts(seen.health(), Map.of()),
                target,
                Optional.of(seen.own().id()),
                new V2ContentReader(machine.files())
                        .before(
                                target,
                                seen.health(),
                                seen.own(),
                                run.installed().etcd().dataDir())));
        List<EtcdUpgradeFinding> stops =
                findings.stream().filter(finding -> stops(run, finding)).toList();
        findings.stream()
                .filter(finding -> !stops(run, finding))
                // preflight has told them
                .filter(finding -> finding.rule() != Rule.KNOWN_DEFECTS)
                .forEach(finding -> warnings.accept(finding.problem().facts()));
        if (!stops.isEmpty()) {
            throw new ClusterException(
                    stops.getFirst().rule(),
                    "this node's etcd cannot be upgraded now",
                    stops.stream()
                            .map(finding -> finding.problem().facts())
                            .collect(Collectors.joining("; ")),
                    stops.getFirst().problem().next());
        }
    }

    private static boolean stops(UpgradeRun run, EtcdUpgradeFinding finding) {
        if (finding.rule() == Rule.PATCH_FIRST && run.settings().dryRun()) {
            return false; // no member has the patch release that a dry run says it would get
        }
        return finding.severity().stops(run.skips(finding.rule().checkName()));
    }
}
