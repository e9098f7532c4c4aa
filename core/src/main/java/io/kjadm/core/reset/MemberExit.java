package io.kjadm.core.reset;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.EtcdOnNode;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberRemoval;
import io.kjadm.etcd.OwnMember;
import io.kjadm.etcd.Removal;
import io.kjadm.etcd.RemovalPlan;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** One node's member on its way out of the cluster: first thought over, then done and confirmed. */
final class MemberExit {

    private static final String AREA = "reset";
    private static final Duration INTERVAL = Duration.ofMillis(500);
    /** A cluster that answers does so at once; an election takes some seconds. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(15);
    /** Somebody else's reset or an election makes a plan look bad for a moment. */
    private static final Duration SECOND_THOUGHT = Duration.ofSeconds(10);

    private final EtcdCluster cluster;
    private final EtcdOnNode etcd;
    private final Waiter waiter;
    private final Reporter out;
    private final MemberRemoval removal = new MemberRemoval();
    private final OwnMember own;

    MemberExit(EtcdCluster cluster, EtcdOnNode etcd, Waiter waiter, Reporter out) {
        this.cluster = cluster;
        this.etcd = etcd;
        this.waiter = waiter;
        this.out = out;
        this.own = new OwnMember(ownId(cluster, etcd).or(etcd::noted), etcd.peerUrls());
    }

    /** How it stands with the member. */
    sealed interface Standing {

        /** It may be removed, or is not listed at all. */
        record Free(RemovalPlan plan) implements Standing {}

        /** It is no longer part of the cluster. */
        record Left() implements Standing {}

        /** The others need it. */
        record Needed(String what, String why, String next) implements Standing {}

        /** Nobody can tell, or it could not be removed. */
        record Unclear(String what, String why, String next) implements Standing {}
    }

    /** A running member knows best who it is: addresses change, and interfaces are several. */
    private static Optional<MemberId> ownId(EtcdCluster cluster, EtcdOnNode etcd) {
        for (URI url : etcd.ownClientUrls()) {
            try {
                return Optional.of(cluster.status(url).memberId());
            } catch (EtcdCallException e) {
                // the next URL, or the manifest, may tell
            }
        }
        return Optional.empty();
    }

    /** Looks whether the member may leave; nothing is changed. */
    Standing preview(Duration limit) {
        if (own.id().isEmpty() && own.peerUrls().isEmpty()) {
            return unclear("it is not known which etcd member is this node's",
                    "neither its manifest nor a running etcd tell");
        }
        Duration patience = limit.compareTo(ANSWER_LIMIT) < 0 ? limit : ANSWER_LIMIT;
        Instant start = waiter.now();
        AtomicReference<Standing> last = new AtomicReference<>(
                unclear("etcd cannot be reached", "no member answered"));
        Await await = new Await(AREA, "etcd to tell its members", patience, INTERVAL, "");
        try {
            waiter.until(await, () -> {
                last.set(look());
                boolean certain = last.get() instanceof Standing.Free
                        || Duration.between(start, waiter.now()).compareTo(SECOND_THOUGHT) >= 0
                                && last.get() instanceof Standing.Needed;
                return certain ? Attempt.done(last.get()) : Attempt.notYet(why(last.get()));
            });
        } catch (ClusterException e) {
            // the last answer tells more than that the time is over
            return last.get();
        }
        return last.get();
    }

    private static String why(Standing standing) {
        return switch (standing) {
            case Standing.Free(RemovalPlan plan) -> plan.toString();
            case Standing.Left() -> "it has left";
            case Standing.Needed(String what, String why, String next) -> what + ": " + why;
            case Standing.Unclear(String what, String why, String next) -> what + ": " + why;
        };
    }

    private Standing look() {
        try {
            EtcdHealth health = EtcdHealth.ask(cluster);
            return standing(health, removal.plan(health, own));
        } catch (EtcdCallException e) {
            return unclear("etcd cannot be reached", e.getMessage());
        }
    }

    private Standing standing(EtcdHealth health, RemovalPlan plan) {
        return switch (plan) {
            case RemovalPlan.NotListed none when namesake(health) -> unclear(
                    "an etcd member named %s is listed under another peer URL than this node's"
                            .formatted(etcd.name().orElseThrow()),
                    "it may be this node's, whose address has changed");
            case RemovalPlan.NotListed none -> new Standing.Free(none);
            case RemovalPlan.LastMember last -> new Standing.Free(last);
            case RemovalPlan.Remove remove -> new Standing.Free(remove);
            case RemovalPlan.MoveLeaderThenRemove move -> new Standing.Free(move);
            case RemovalPlan.Refused(String what, String why, String next) -> health.hasQuorum()
                    ? new Standing.Needed(what, why, next) : new Standing.Unclear(what, why, next);
        };
    }

    private boolean namesake(EtcdHealth health) {
        return etcd.name().filter(name -> health.members().stream()
                .anyMatch(member -> member.name().equals(name))).isPresent();
    }

    private static Standing.Unclear unclear(String what, String why) {
        return new Standing.Unclear(what, why, "see whether a control-plane node that stays lists "
                + "a member for this one (\"kjadm etcd member list\"), and remove it there "
                + "(\"kjadm etcd member remove ID\")");
    }

    /**
     * Removes every entry of this node and reads the member list until none is left. Each attempt
     * plans anew, so what other nodes do meanwhile is taken into account.
     */
    Standing leave(Duration limit) {
        Await await = new Await(AREA, "the etcd member to be out of the cluster", limit, INTERVAL,
                "see that all etcd members are healthy, then run the reset again");
        try {
            Standing standing = waiter.until(await, this::attempt);
            // a dry run reports the wait and goes on as if it had come to an end
            return standing == null ? new Standing.Left() : standing;
        } catch (ClusterException e) {
            return unclear(e.what(), e.why());
        }
    }

    private Attempt<Standing> attempt() {
        try {
            EtcdHealth health = EtcdHealth.ask(cluster);
            return switch (removal.plan(health, own)) {
                case RemovalPlan.NotListed none -> Attempt.done(new Standing.Left());
                case RemovalPlan.LastMember last -> Attempt.done(new Standing.Left());
                case RemovalPlan.Remove remove -> {
                    out.step(AREA, "Removing etcd member " + remove.member().describe());
                    yield after(removal.carryOut(cluster, remove));
                }
                case RemovalPlan.MoveLeaderThenRemove move -> {
                    out.step(AREA, "Handing etcd's leadership to %s, then removing member %s"
                            .formatted(move.successor().label(), move.member().describe()));
                    yield after(removal.carryOut(cluster, move));
                }
                case RemovalPlan.Refused refused -> Attempt.notYet(refused.what() + ": "
                        + refused.why());
            };
        } catch (EtcdCallException e) {
            boolean hopeless = e.errorClass() == ErrorClass.FATAL;
            return hopeless ? Attempt.done(unclear("etcd does not remove the member",
                    e.getMessage())) : Attempt.notYet(e.text());
        }
    }

    private Attempt<Standing> after(Removal done) {
        return switch (done) {
            case Removal.Confirmed confirmed -> {
                out.step(AREA, "etcd no longer lists member " + confirmed.member().id());
                yield attempt();
            }
            case Removal.MustWait(String why, Duration pause) -> Attempt.notYet(why, pause);
            case Removal.StillListed still -> Attempt.done(new Standing.Unclear(
                    "etcd member %s is still listed".formatted(still.member().describe()),
                    still.why(), still.next()));
        };
    }
}
