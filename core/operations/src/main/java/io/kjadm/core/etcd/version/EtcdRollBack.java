package io.kjadm.core.etcd.version;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.version.EtcdMemberExchange.Seen;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.check.WalIdentity;
import io.kjadm.etcd.upgrade.WayBack;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Gives this node's etcd member its former version back, where that still starts. */
record EtcdRollBack(Machine machine, EtcdServer server, EtcdMemberExchange member, Reporter out) {

    private static final String AREA = "upgrade";
    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final Duration OTHERS_LIMIT = Duration.ofMinutes(3);

    /**
     * Gives the member its former version back, if it starts with that. One that works, as where
     * the API server is what failed, is restarted only when the others can do without it.
     *
     * <p>The last member may raise the cluster's version between the decision and its end: its
     * former version refuses to start then, by its log, and what was tried is put in place again.
     *
     * @param tried what it was to run
     * @return why it only goes forward; what was tried is in place then
     * @throws ClusterException if the others need it for so long, and nothing was changed; or if it
     *     does not come back
     */
    Optional<Problem> run(EtcdVersion tried, NodeChanges changes) {
        try (EtcdCluster cluster = member.connect()) {
            Optional<EtcdVersion> former = server.former(changes);
            Optional<Problem> onlyForward =
                    former.flatMap(version -> onlyForward(cluster, version, tried));
            if (onlyForward.isPresent()) {
                // an earlier run may have put the former one back before that was known
                server.goForward(changes);
                return onlyForward;
            }
            spare(cluster);
            try {
                server.restore(changes, member.judge(cluster, former, 0));
            } catch (ClusterException e) {
                Optional<Problem> risen =
                        former.flatMap(version -> onlyForward(cluster, version, tried));
                if (risen.isEmpty()) {
                    throw e;
                }
                out.step(AREA, "The cluster's version has risen: etcd %s again".formatted(tried));
                server.goForward(changes);
                return risen;
            }
            member.awaitSteady(cluster, EtcdMemberExchange.STEADY);
            return Optional.empty();
        }
    }

    private Optional<Problem> onlyForward(
            EtcdCluster cluster, EtcdVersion former, EtcdVersion tried) {
        Map<Member, MemberStatus> answers = answers(cluster);
        WayBack way = WayBack.of(
                former,
                tried,
                clusterVersion(answers.values()),
                answers.entrySet().stream()
                        .filter(answer -> !member.isOwn(answer.getKey()))
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

    /**
     * Has the others do without this node's member, if it works.
     *
     * @throws ClusterException if they need it for so long
     */
    void spare(EtcdCluster cluster) {
        awaitOthers(cluster);
        atWork(cluster).ifPresent(seen -> member.handOver(cluster, seen));
    }

    private void awaitOthers(EtcdCluster cluster) {
        machine.waiter()
                .until(
                        new Await(
                                AREA,
                                "the other etcd members, which need this one",
                                OTHERS_LIMIT,
                                INTERVAL,
                                "bring them back (see 'kjadm etcd status'), then run the same command again"),
                        () -> atWork(cluster)
                                .filter(EtcdRollBack::isNeeded)
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
    private Optional<Seen> atWork(EtcdCluster cluster) {
        try {
            Seen seen = member.see(cluster);
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

    /** As a member tells it, or the log of this node's, which may not run. */
    private Optional<EtcdVersion> clusterVersion(Collection<MemberStatus> answers) {
        return Stream.concat(
                        answers.stream().flatMap(status -> status.versions().storage().stream()),
                        member.identity().flatMap(WalIdentity::clusterVersion).stream())
                .max(Comparator.naturalOrder());
    }
}
