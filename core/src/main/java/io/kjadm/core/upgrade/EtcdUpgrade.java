package io.kjadm.core.upgrade;

import io.kjadm.core.config.Images;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.EtcdPods;
import io.kjadm.core.etcd.SnapshotSaver;
import io.kjadm.core.etcd.check.DataDirReader;
import io.kjadm.core.etcd.check.V2ContentReader;
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
import io.kjadm.etcd.check.WalIdentity;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding;
import io.kjadm.etcd.upgrade.EtcdUpgradePath;
import io.kjadm.etcd.upgrade.WayBack;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.NameAndUrl;

import java.net.Inet6Address;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
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
        EtcdVersion target = version(Images.of(run.stored().cluster()).etcd());
        try (EtcdCluster cluster = connect(run)) {
            Optional<String> begun = exchangedBefore(run, target, changes);
            if (begun.isPresent()) {
                seeThrough(run, cluster, target, begun.get(), 0, changes, exchange);
                return;
            }
            Seen before = see(cluster, run);
            String text = manifest(run, etcd, before);
            if (!exchange.changes(EtcdPod.NAME, text)) {
                out.step(AREA, "etcd is as wanted: " + target);
                return;
            }
            requireAllowed(run, before, target, out::warn);
            takeSnapshot(run, cluster, before.own(), changes);
            handOver(run, cluster, before);
            // a large snapshot takes minutes, and whom the cluster could spare then it may need now
            requireAllowed(run, see(cluster, run), target, warnedOfBefore -> {});
            seeThrough(run, cluster, target, text, before.health().commit(), changes, exchange);
        }
    }

    /**
     * The manifest that an earlier run has written. Its etcd may be starting, and without it the
     * cluster may have no quorum to be asked about anything.
     */
    private Optional<String> exchangedBefore(
            UpgradeRun run, EtcdVersion target, NodeChanges changes) {
        return changes.changedSteps().contains(STEP)
                ? machine.files()
                        .read(run.installed().paths().manifest(EtcdPod.NAME))
                        .filter(text -> StaticPodText.parse(text)
                                .flatMap(StaticPodText::image)
                                .map(EtcdUpgrade::version)
                                .filter(target::equals)
                                .isPresent())
                : Optional.empty();
    }

    private void seeThrough(
            UpgradeRun run,
            EtcdCluster cluster,
            EtcdVersion target,
            String text,
            long committed,
            NodeChanges changes,
            StaticPodExchange exchange) {
        exchange.exchange(
                changes, EtcdPod.NAME, text, judge(cluster, run, Optional.of(target), committed));
        awaitSteady(cluster);
    }

    /**
     * Gives the member its former manifest back, if it starts with that. One that works, as where
     * the API server is what failed, is restarted only when the others can do without it.
     *
     * @return why it only goes forward; nothing was changed then
     * @throws ClusterException if the others need it for so long, and nothing was changed; or if it
     *     does not come back
     */
    Optional<Problem> rollBack(UpgradeRun run, NodeChanges changes, StaticPodExchange exchange) {
        try (EtcdCluster cluster = connect(run)) {
            Optional<EtcdVersion> former = formerVersion(run, changes);
            Optional<Problem> onlyForward =
                    former.flatMap(version -> onlyForward(run, cluster, version));
            if (onlyForward.isPresent()) {
                return onlyForward;
            }
            awaitOthers(run, cluster);
            atWork(run, cluster).ifPresent(seen -> handOver(run, cluster, seen));
            exchange.restore(changes, EtcdPod.NAME, judge(cluster, run, former, 0));
            awaitSteady(cluster);
            return Optional.empty();
        }
    }

    private Optional<Problem> onlyForward(UpgradeRun run, EtcdCluster cluster, EtcdVersion former) {
        Map<Member, MemberStatus> answers = answers(cluster);
        WayBack way = WayBack.of(
                former,
                version(Images.of(run.stored().cluster()).etcd()),
                clusterVersion(run, answers.values()),
                answers.entrySet().stream()
                        .filter(answer -> !isOwn(run, answer.getKey()))
                        .map(answer -> answer.getValue().version())
                        .toList());
        return switch (way) {
            case WayBack.Open() -> Optional.empty();
            case WayBack.Uncertain(Problem problem) -> {
                out.warn(problem.toString());
                yield Optional.empty();
            }
            case WayBack.ForwardOnly(Problem problem) -> Optional.of(problem);
        };
    }

    private void awaitOthers(UpgradeRun run, EtcdCluster cluster) {
        machine.waiter()
                .until(
                        new Await(
                                AREA,
                                "the other etcd members, which need this one",
                                STEADY_LIMIT,
                                INTERVAL,
                                "bring them back (see 'kjadm etcd status'), then run the same command again"),
                        () -> atWork(run, cluster)
                                .filter(EtcdUpgrade::isNeeded)
                                .map(seen ->
                                        Attempt.<Boolean>notYet(seen.health().unhealthyMembers()))
                                .orElseGet(() -> Attempt.done(true)));
    }

    /** Where it is one of one or two, writes stop for a moment whenever it restarts. */
    private static boolean isNeeded(Seen seen) {
        EtcdHealth health = seen.health();
        return health.quorum().tolerated() > 0 && !health.keepsQuorumWhileAway(seen.own());
    }

    /** Empty if this node's member does not answer, or there is no quorum to be asked. */
    private static Optional<Seen> atWork(UpgradeRun run, EtcdCluster cluster) {
        try {
            Seen seen = see(cluster, run);
            return Optional.of(seen)
                    .filter(it -> it.health().status(it.own().id()).isPresent());
        } catch (ClusterException e) {
            return Optional.empty();
        }
    }

    /** Without a quorum, as in a cluster of one whose etcd does not come up, none does. */
    private static Map<Member, MemberStatus> answers(EtcdCluster cluster) {
        try {
            EtcdHealth health = EtcdHealth.ask(cluster);
            Map<Member, MemberStatus> answers = new HashMap<>();
            health.members()
                    .forEach(member -> health.status(member.id())
                            .ifPresent(status -> answers.put(member, status)));
            return answers;
        } catch (EtcdCallException e) {
            return Map.of();
        }
    }

    private static boolean isOwn(UpgradeRun run, Member member) {
        return member.peerUrls().stream().anyMatch(run.installed().etcd().peerUrls()::contains);
    }

    /** As a member tells it, or the log of this node's, which may not run. */
    private Optional<EtcdVersion> clusterVersion(UpgradeRun run, Collection<MemberStatus> answers) {
        return Stream.concat(
                        answers.stream().flatMap(status -> status.versions().storage().stream()),
                        identity(run).flatMap(WalIdentity::clusterVersion).stream())
                .max(Comparator.naturalOrder());
    }

    private Optional<WalIdentity> identity(UpgradeRun run) {
        return switch (new DataDirReader(machine.files())
                .read(run.installed().etcd().dataDir())) {
            case DataDirectory.Held held -> Optional.of(held.identity());
            default -> Optional.empty();
        };
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
                    .filter(member -> isOwn(run, member))
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
        try (EtcdCluster etcd = connect(run)) {
            return Optional.of(listed(run, see(etcd, run)));
        }
    }

    /** Every member, so that one that loses its data never founds a cluster of its own. */
    private static List<NameAndUrl> listed(UpgradeRun run, Seen seen) {
        return EtcdPods.initialCluster(
                seen.health().members(), seen.own(), run.installed().name());
    }

    private String manifest(UpgradeRun run, LocalEtcd etcd, Seen seen) {
        return manifests.etcd(run.node(), etcd, Optional.of(listed(run, seen)));
    }

    private static EtcdVersion version(String image) {
        String tag = image.substring(image.lastIndexOf(':') + 1);
        int build = tag.lastIndexOf('-');
        return EtcdVersion.parse(build > 0 ? tag.substring(0, build) : tag);
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
        List<Problem> stops = findings.stream()
                .filter(finding -> stops(run, finding))
                .map(EtcdUpgradeFinding::problem)
                .toList();
        findings.stream()
                .filter(finding -> !stops(run, finding))
                .forEach(finding -> warnings.accept(finding.problem().facts()));
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
            EtcdCluster cluster, UpgradeRun run, Optional<EtcdVersion> wanted, long committed) {
        URI metrics = metrics(run);
        Optional<MemberId> own = identity(run).map(WalIdentity::memberId);
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

    /** @param own as its data tells it; empty if that cannot be read */
    private static MemberStatus ownStatus(
            EtcdCluster cluster, UpgradeRun run, Optional<MemberId> own) {
        EtcdCallException last = null;
        for (URI url : run.installed().etcd().localClientUrls()) {
            try {
                MemberStatus status = cluster.status(url);
                if (own.filter(id -> !id.equals(status.memberId())).isEmpty()) {
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
                "it is not member " + own.get(),
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
