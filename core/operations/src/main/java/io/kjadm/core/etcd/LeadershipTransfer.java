package io.kjadm.core.etcd;

import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Transfers leadership away from a member that is restarted or does not serve for a while.
 * Otherwise no write succeeds until the others have elected a leader.
 *
 * <p>The transfer is repeated until another member leads, whichever it is: a reply may be lost, and
 * an election may come first.
 */
public final class LeadershipTransfer {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration INTERVAL = Duration.ofMillis(500);
    /**
     * Looks for which members that know another leader or term are waited for, 20 s. A follower
     * hears of the leader a heartbeat later, on a busy machine after some seconds, and one that is
     * cut off not at all.
     */
    private static final int FOLLOWER_LOOKS = 40;

    private final Waiter waiter;
    private final Reporter out;
    private final String area;

    /** @param area of the messages */
    public LeadershipTransfer(Waiter waiter, Reporter out, String area) {
        this.waiter = waiter;
        this.out = out;
        this.area = area;
    }

    /**
     * Transfers it.
     *
     * @param from the leader
     * @param to   the member that is asked to lead
     * @param next what the operator can do when no other member leads
     * @return the member that leads now; in a dry run the one that would be asked
     * @throws io.kjadm.core.error.ClusterException if no other member leads within 30 s
     */
    public Member away(EtcdCluster cluster, Member from, Member to, String next) {
        out.step(area, "Transferring etcd's leadership to " + to.label());
        return waiter.until(
                        new Await(area, "another etcd member to lead", LIMIT, INTERVAL, next),
                        new Transfer(cluster, from, to)::attempt)
                .orElse(to);
    }

    /** One transfer, with the number of its looks. */
    private static final class Transfer {

        private final EtcdCluster cluster;
        private final Member from;
        private final Member to;
        private int looks;

        private Transfer(EtcdCluster cluster, Member from, Member to) {
            this.cluster = cluster;
            this.from = from;
            this.to = to;
        }

        private Attempt<Member> attempt() {
            Optional<EtcdCallException> failure =
                    EtcdCallException.of(() -> cluster.moveLeader(from.id(), to.id()));
            EtcdHealth health;
            try {
                health = EtcdHealth.ask(cluster);
            } catch (EtcdCallException e) {
                return Attempt.notYet(e.text());
            }
            Optional<Member> leader =
                    health.leader().filter(member -> !member.id().equals(from.id()));
            if (leader.isEmpty()) {
                return Attempt.notYet(
                        failure.map(EtcdCallException::text).orElse(from.label() + " still leads"));
            }
            looks++;
            return agreed(health) || looks > FOLLOWER_LOOKS
                    ? Attempt.done(leader.get())
                    : Attempt.notYet("the members do not agree on the leader yet");
        }

        private static boolean agreed(EtcdHealth health) {
            return health.members().stream()
                            .flatMap(member -> health.status(member.id()).stream())
                            .map(status -> Map.entry(status.leaderId(), status.raftTerm()))
                            .distinct()
                            .count()
                    == 1;
        }
    }
}
