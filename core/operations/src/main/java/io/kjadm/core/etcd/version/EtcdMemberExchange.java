package io.kjadm.core.etcd.version;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.EtcdPods;
import io.kjadm.core.etcd.LeadershipTransfer;
import io.kjadm.core.etcd.MemberAdoption;
import io.kjadm.core.etcd.SnapshotSaver;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.WalIdentity;
import io.kjadm.manifests.NameAndUrl;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Exchanges this node's etcd member for one of another version, whoever decides that it may be: as
 * a follower, and seen through until every voter is healthy again; and puts the former one back.
 * kubeadm restarts a leader as it is, and is content with a majority.
 */
public final class EtcdMemberExchange {

    private static final String AREA = "upgrade";
    private static final Duration INTERVAL = Duration.ofMillis(500);
    /** A member that has just come back may go again; raft's connections settle by then. */
    public static final Duration STEADY = Duration.ofSeconds(6);

    private static final Duration STEADY_LIMIT = Duration.ofMinutes(3);
    /** How old the snapshot may be when the member is exchanged. */
    private static final Duration SNAPSHOT_AGE = Duration.ofMinutes(1);

    private static final int SNAPSHOTS = 3;

    private final Machine machine;
    private final EtcdServer server;
    private final Reporter out;

    public EtcdMemberExchange(Machine machine, EtcdServer server, Reporter out) {
        this.machine = machine;
        this.server = server;
        this.out = out;
    }

    /** The cluster and this node's place in it. */
    public record Seen(EtcdHealth health, Member own) {

        /** What this node's member runs, if it answers. */
        Optional<EtcdVersion> running() {
            return health.status(own.id()).map(MemberStatus::version);
        }

        boolean leads() {
            return health.leader().filter(own::equals).isPresent();
        }
    }

    public EtcdCluster connect() {
        return server.connect();
    }

    public Seen see(EtcdCluster cluster) {
        try {
            EtcdHealth health = EtcdHealth.ask(cluster);
            Member own = health.members().stream()
                    .filter(this::isOwn)
                    .findFirst()
                    .orElseThrow(() -> new ClusterException(
                            "etcd does not list a member of this node",
                            "none has a peer URL of " + server.host().state().peerUrls(),
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

    /** As {@link EtcdServer#exchanged} tells it. */
    public Optional<String> exchangedBefore(EtcdVersion target, NodeChanges changes) {
        return server.exchanged(target, changes);
    }

    /**
     * What the member is to be.
     *
     * @param text      what it is run by: its manifest, or its environment
     * @param committed what it must hold
     * @param steady    how long all voters have to be healthy in the end
     */
    public record Wanted(EtcdVersion version, String text, long committed, Duration steady) {}

    /**
     * Exchanges it, unless an earlier run has, and waits until the member works.
     *
     * @throws ClusterException if it does not come back as wanted
     */
    public void seeThrough(EtcdCluster cluster, Wanted wanted, NodeChanges changes) {
        server.exchange(
                changes,
                wanted.text(),
                judge(cluster, Optional.of(wanted.version()), wanted.committed()));
        awaitSteady(cluster, wanted.steady());
    }

    /**
     * Gives the member its former version back, as {@link EtcdRollBack#run} does.
     *
     * @return why it only goes forward; what was tried is in place then
     */
    public Optional<Problem> rollBack(EtcdVersion tried, NodeChanges changes) {
        return new EtcdRollBack(machine, server, this, out).run(tried, changes);
    }

    /**
     * Waits until the others can do without this node's member, if it works, and hands leadership
     * over.
     *
     * @throws ClusterException if they need it for so long
     */
    void spare(EtcdCluster cluster) {
        new EtcdRollBack(machine, server, this, out).spare(cluster);
    }

    /** Whether a member is this node's. */
    public boolean isOwn(Member member) {
        return server.host().state().hasPeerUrlOf(member);
    }

    Optional<WalIdentity> identity() {
        return switch (new DataDirReader(machine.files())
                .read(server.host().state().dataDir())) {
            case DataDirectory.Held held -> Optional.of(held.identity());
            default -> Optional.empty();
        };
    }

    /** Every member, so that one that loses its data never founds a cluster of its own. */
    public List<NameAndUrl> listed(Seen seen) {
        return EtcdPods.initialCluster(seen.health().members(), seen.own(), server.name());
    }

    /** The version that an image's tag tells. */
    public static EtcdVersion version(String image) {
        String tag = image.substring(image.lastIndexOf(':') + 1);
        int build = tag.lastIndexOf('-');
        return EtcdVersion.parse(build > 0 ? tag.substring(0, build) : tag);
    }

    /**
     * Takes a snapshot in this run and hands leadership over, then asks again whether the cluster
     * can do without the member: a large snapshot takes minutes. A snapshot that is more than a
     * minute old by then is taken again.
     *
     * @param allowed throws if the member may not be exchanged
     * @return the cluster as it is now
     * @throws ClusterException if the snapshot is too old each time
     */
    public Seen prepare(
            EtcdCluster cluster, Seen before, NodeChanges changes, Consumer<Seen> allowed) {
        new MemberAdoption(machine.files(), out)
                .mark(cluster, server.host().state(), machine.waiter().now());
        Seen now = before;
        for (int tries = 0; tries < SNAPSHOTS; tries++) {
            Instant taken = takeSnapshot(cluster, now.own(), changes);
            handOver(cluster, now);
            now = see(cluster);
            allowed.accept(now);
            if (Duration.between(taken, machine.waiter().now()).compareTo(SNAPSHOT_AGE) <= 0) {
                return now;
            }
        }
        throw new ClusterException(
                "the snapshot of etcd is more than a minute old",
                "%d were taken, and what follows took longer each time".formatted(SNAPSHOTS),
                "see why etcd or this machine is slow ('kjadm etcd status'), then run the same command again");
    }

    /** Takes a verified snapshot of the member and keeps it beside the journal. */
    private Instant takeSnapshot(EtcdCluster cluster, Member own, NodeChanges changes) {
        out.during(AREA, "Taking a snapshot of etcd", () -> {
            new SnapshotSaver(machine.files(), out, AREA)
                    .save(
                            cluster,
                            own,
                            server.host().state().ownClientUrls(),
                            changes.snapshotFile());
            return true;
        });
        changes.snapshotTaken();
        return machine.waiter().now();
    }

    /** Transfers leadership to another voter, if this node's member has it and there is one. */
    void handOver(EtcdCluster cluster, Seen before) {
        if (before.leads()) {
            before.health()
                    .successorOf(before.own())
                    .ifPresent(successor -> new LeadershipTransfer(machine.waiter(), out, AREA)
                            .away(
                                    cluster,
                                    before.own(),
                                    successor,
                                    "see 'kjadm etcd status', then run the same command again"));
        }
    }

    ComponentJudge judge(EtcdCluster cluster, Optional<EtcdVersion> wanted, long committed) {
        Optional<MemberId> own = identity().map(WalIdentity::memberId);
        return new ComponentJudge() {
            @Override
            public String problem() {
                try {
                    MemberStatus status = ownStatus(cluster, own);
                    if (wanted.filter(status.version()::equals).isEmpty() && wanted.isPresent()) {
                        return "etcd %s is still running".formatted(status.version());
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
                return !machine.health().ask(server.host().metrics()).isEmpty();
            }
        };
    }

    /** @param own as its data tells it; empty if that cannot be read */
    private MemberStatus ownStatus(EtcdCluster cluster, Optional<MemberId> own) {
        EtcdCallException last = null;
        for (URI url : server.host().state().localClientUrls()) {
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
    void awaitSteady(EtcdCluster cluster, Duration steady) {
        Instant[] since = {null};
        machine.waiter()
                .until(
                        new Await(
                                AREA,
                                "all etcd members to be healthy",
                                STEADY_LIMIT.plus(steady),
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
                            return Duration.between(since[0], now).compareTo(steady) >= 0
                                    ? Attempt.done(true)
                                    : Attempt.notYet("healthy, waiting until stable");
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
