package io.kjadm.core.upgrade;

import io.kjadm.core.config.Images;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.EtcdPods;
import io.kjadm.core.etcd.SnapshotSaver;
import io.kjadm.core.etcd.check.DataDirReader;
import io.kjadm.core.node.Machine;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.node.StaticPodText;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding;
import io.kjadm.etcd.upgrade.EtcdUpgradePath;
import io.kjadm.etcd.upgrade.WayBack;
import io.kjadm.manifests.EtcdPod;

import java.net.Inet6Address;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Gives this node's etcd member another version: only if all others are healthy and etcd's own
 * rules allow it, after a snapshot, as a follower, and seen through until every voter is healthy
 * again. kubeadm restarts a leader as it is, and is content with a majority.
 */
final class EtcdUpgrade {

    static final String STEP = EtcdPod.NAME;

    private static final String AREA = "upgrade";
    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final Duration ELECTION_LIMIT = Duration.ofSeconds(15);
    /** A member that has just come back may go again; raft's connections settle by then. */
    private static final Duration STEADY = Duration.ofSeconds(6);

    private static final Duration STEADY_LIMIT = Duration.ofMinutes(3);

    private final Machine machine;
    private final ManifestStore manifests;
    private final ClusterClients clients;
    private final Reporter out;

    EtcdUpgrade(Machine machine, ManifestStore manifests, ClusterClients clients, Reporter out) {
        this.machine = machine;
        this.manifests = manifests;
        this.clients = clients;
        this.out = out;
    }

    /** The cluster and this node's place in it. */
    private record Seen(EtcdHealth health, Member own) {

        boolean leads() {
            return health.leader().filter(own::equals).isPresent();
        }
    }

    /**
     * Upgrades the member, unless it is as wanted.
     *
     * @throws ClusterException if the cluster cannot do without it now, and nothing was changed; or
     *     if it does not come back as wanted
     */
    void run(UpgradeRun run, LocalEtcd etcd, NodeChanges changes, StaticPodExchange exchange) {
        try (EtcdCluster cluster = connect(run)) {
            Seen before = see(cluster, run);
            String text = manifest(run, etcd, before);
            EtcdVersion target = version(Images.of(run.stored().cluster()).etcd());
            if (!exchange.changes(EtcdPod.NAME, text) && !changes.changedSteps().contains(STEP)) {
                out.step(AREA, "etcd is as wanted: " + target);
                return;
            }
            if (exchange.changes(EtcdPod.NAME, text)) {
                requireAllowed(run, before, target);
                takeSnapshot(run, cluster, before.own(), changes);
                handOver(run, cluster, before);
            }
            long committed = before.health().commit();
            exchange.exchange(
                    changes,
                    EtcdPod.NAME,
                    text,
                    judge(cluster, run, before.own().id(), Optional.of(target), committed));
            awaitSteady(cluster);
        }
    }

    /**
     * Gives the member its former manifest back, if it starts with that.
     *
     * @throws ClusterException if etcd only goes forward, with nothing changed; or if it does not
     *     come back
     */
    void rollBack(UpgradeRun run, NodeChanges changes, StaticPodExchange exchange) {
        try (EtcdCluster cluster = connect(run)) {
            Seen now = see(cluster, run);
            Optional<EtcdVersion> former = formerVersion(run, changes);
            requireWayBack(run, now, former);
            exchange.restore(
                    changes, EtcdPod.NAME, judge(cluster, run, now.own().id(), former, 0));
            awaitSteady(cluster);
        }
    }

    private void requireWayBack(UpgradeRun run, Seen now, Optional<EtcdVersion> former) {
        if (former.isEmpty()) {
            return;
        }
        WayBack way = WayBack.of(
                former.get(),
                version(Images.of(run.stored().cluster()).etcd()),
                clusterVersion(run, now),
                now.health().members().stream()
                        .filter(member -> !member.equals(now.own()))
                        .flatMap(member -> now.health().status(member.id()).stream())
                        .map(MemberStatus::version)
                        .toList());
        switch (way) {
            case WayBack.Open() -> {}
            case WayBack.Uncertain(Problem problem) -> out.warn(problem.toString());
            case WayBack.ForwardOnly(Problem problem) -> throw new ClusterException(problem);
        }
    }

    /** As a member tells it, or the log of this node's, which may not run. */
    private Optional<EtcdVersion> clusterVersion(UpgradeRun run, Seen now) {
        Optional<EtcdVersion> onDisk = switch (new DataDirReader(machine.files())
                .read(run.installed().etcd().dataDir())) {
            case DataDirectory.Held held -> held.identity().clusterVersion();
            default -> Optional.empty();
        };
        return Stream.of(now.health().storageVersion(), onDisk)
                .flatMap(Optional::stream)
                .max(Comparator.naturalOrder());
    }

    /** What the member ran before, by the manifest that was kept. */
    private Optional<EtcdVersion> formerVersion(UpgradeRun run, NodeChanges changes) {
        return changes.former(run.installed().paths().manifest(EtcdPod.NAME))
                .flatMap(StaticPodText::parse)
                .flatMap(StaticPodText::image)
                .map(EtcdUpgrade::version);
    }

    /** By all members that are known: this node's own may be what does not answer. */
    private EtcdCluster connect(UpgradeRun run) {
        return clients.etcd().connect(run.installed().etcd(), Optional.of(run.kubeconfig()), out);
    }

    private static Seen see(EtcdCluster cluster, UpgradeRun run) {
        try {
            EtcdHealth health = EtcdHealth.ask(cluster);
            Member own = health.members().stream()
                    .filter(member -> member.peerUrls().stream()
                            .anyMatch(run.installed().etcd().peerUrls()::contains))
                    .findFirst()
                    .orElseThrow(() -> new ClusterException(
                            "etcd does not list a member of this node",
                            "none has a peer URL of " + run.installed().etcd().peerUrls(),
                            "see 'kjadm etcd member list'"));
            return new Seen(health, own);
        } catch (EtcdCallException e) {
            throw new ClusterException(
                    "etcd does not answer",
                    e.getMessage(),
                    "see 'kjadm etcd status', bring etcd back, then run the same command again",
                    e);
        }
    }

    /** With every member, so that a member that loses its data never founds a cluster of its own. */
    private String manifest(UpgradeRun run, LocalEtcd etcd, Seen seen) {
        return manifests.etcd(
                run.node(),
                etcd,
                Optional.of(EtcdPods.initialCluster(
                        seen.health().members(), seen.own(), run.installed().name())));
    }

    private static EtcdVersion version(String image) {
        String tag = image.substring(image.lastIndexOf(':') + 1);
        int build = tag.lastIndexOf('-');
        return EtcdVersion.parse(build > 0 ? tag.substring(0, build) : tag);
    }

    private void requireAllowed(UpgradeRun run, Seen seen, EtcdVersion target) {
        List<EtcdUpgradeFinding> findings = EtcdUpgradePath.findings(new EtcdUpgradePath.Facts(
                new ClusterFacts(seen.health(), Map.of()),
                target,
                Optional.of(seen.own().id()),
                Map.of()));
        List<Problem> stops = findings.stream()
                .filter(finding -> stops(run, finding))
                .map(EtcdUpgradeFinding::problem)
                .toList();
        findings.stream()
                .filter(finding -> !stops(run, finding))
                .forEach(finding -> out.warn(finding.problem().facts()));
        if (!stops.isEmpty()) {
            throw new ClusterException(
                    "this node's etcd cannot be upgraded now",
                    stops.stream().map(Problem::facts).collect(Collectors.joining("; ")),
                    stops.getFirst().next());
        }
    }

    private static boolean stops(UpgradeRun run, EtcdUpgradeFinding finding) {
        return finding.severity().stops(run.skips(finding.rule().checkName()));
    }

    private void takeSnapshot(
            UpgradeRun run, EtcdCluster cluster, Member own, NodeChanges changes) {
        if (changes.snapshot().isPresent()) {
            return;
        }
        out.during(AREA, "Taking a snapshot of etcd", () -> {
            new SnapshotSaver(machine.files(), out, AREA)
                    .save(
                            cluster,
                            own,
                            run.installed().etcd().ownClientUrls(),
                            changes.snapshotFile());
            return true;
        });
        changes.snapshotTaken();
    }

    /** Otherwise nothing could be written until the others have elected somebody. */
    private void handOver(UpgradeRun run, EtcdCluster cluster, Seen before) {
        Optional<Member> successor = before.health().successorOf(before.own());
        if (!before.leads() || successor.isEmpty()) {
            return;
        }
        MemberId own = before.own().id();
        out.step(AREA, "Transferring etcd's leadership to " + successor.get().label());
        machine.waiter()
                .until(
                        new Await(
                                AREA,
                                "another etcd member to lead",
                                ELECTION_LIMIT,
                                INTERVAL,
                                "see 'kjadm etcd status', then run the same command again"),
                        () -> {
                            Optional<EtcdCallException> failure = EtcdCallException.of(() ->
                                    cluster.moveLeader(own, successor.get().id()));
                            Seen now = see(cluster, run);
                            return now.health().leader().isPresent() && !now.leads()
                                    ? Attempt.done(true)
                                    : Attempt.notYet(failure.map(EtcdCallException::text)
                                            .orElse("this node's member still leads"));
                        });
    }

    private StaticPodExchange.Judge judge(
            EtcdCluster cluster,
            UpgradeRun run,
            MemberId own,
            Optional<EtcdVersion> wanted,
            long committed) {
        URI metrics = metrics(run);
        return new StaticPodExchange.Judge() {
            @Override
            public String problem() {
                try {
                    MemberStatus status = ownStatus(cluster, run, own);
                    if (wanted.filter(status.version()::equals).isEmpty() && wanted.isPresent()) {
                        return "etcd %s answers still".formatted(status.version());
                    }
                    if (status.leaderId().isNone()) {
                        return "it knows no leader";
                    }
                    return status.appliedIndex() < committed
                            ? "it has applied %d of %d entries"
                                    .formatted(status.appliedIndex(), committed)
                            : "";
                } catch (EtcdCallException e) {
                    return e.text();
                }
            }

            /** The metrics come up when the database is loaded. */
            @Override
            public boolean starting() {
                return !machine.health().ask(metrics).isEmpty();
            }
        };
    }

    private static URI metrics(UpgradeRun run) {
        boolean ipv6 = run.node().endpoint().address() instanceof Inet6Address;
        return EtcdUrls.of("http", ipv6 ? "::1" : "127.0.0.1", EtcdPorts.METRICS)
                .resolve("/metrics");
    }

    private static MemberStatus ownStatus(EtcdCluster cluster, UpgradeRun run, MemberId own) {
        EtcdCallException last = null;
        for (URI url : run.installed().etcd().localClientUrls()) {
            try {
                MemberStatus status = cluster.status(url);
                if (status.memberId().equals(own)) {
                    return status;
                }
            } catch (EtcdCallException e) {
                last = e;
            }
        }
        if (last != null) {
            throw last;
        }
        throw new ClusterException(
                "another etcd answers on this machine",
                "it is not member " + own,
                "see 'kjadm etcd status'");
    }

    /** All voters are healthy, and are so for a while: only then the next restart is safe. */
    private void awaitSteady(EtcdCluster cluster) {
        Instant[] since = {null};
        machine.waiter()
                .until(
                        new Await(
                                AREA,
                                "all etcd members to be healthy",
                                STEADY_LIMIT,
                                INTERVAL,
                                "see 'kjadm etcd status', then run the same command again"),
                        () -> {
                            String unhealthy = unhealthy(cluster);
                            Instant now = machine.waiter().now();
                            since[0] = unhealthy.isEmpty()
                                    ? Optional.ofNullable(since[0]).orElse(now)
                                    : null;
                            if (since[0] == null) {
                                return Attempt.notYet(unhealthy);
                            }
                            return Duration.between(since[0], now).compareTo(STEADY) >= 0
                                    ? Attempt.done(true)
                                    : Attempt.notYet("they are, since a moment");
                        });
    }

    private static String unhealthy(EtcdCluster cluster) {
        try {
            EtcdHealth health = EtcdHealth.ask(cluster);
            return health.leader().isEmpty() ? "there is no leader" : health.unhealthyMembers();
        } catch (EtcdCallException e) {
            return e.text();
        }
    }
}
