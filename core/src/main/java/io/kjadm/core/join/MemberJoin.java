package io.kjadm.core.join;

import io.kjadm.core.config.Timeouts;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.JoinNote;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.Announcement;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberAdder;
import io.kjadm.etcd.NewMember;
import io.kjadm.etcd.Settlement;
import io.kjadm.etcd.WaitReason;
import io.kjadm.etcd.Withdrawal;
import io.kjadm.core.etcd.InitialCluster;
import io.kjadm.manifests.NameAndUrl;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/** One member on its way in: announced, started, followed until it votes; taken back if that fails. */
final class MemberJoin {

    private static final String AREA = "etcd";
    private static final Duration INTERVAL = Duration.ofMillis(250);
    /** Longest wait for other joins: etcd admits one learner at a time, so parallel joins queue up. */
    private static final Duration TURN_LIMIT = Duration.ofMinutes(30);
    /** Catching up may mean receiving the whole database. */
    private static final Duration SETTLE_LIMIT = Duration.ofMinutes(30);
    private static final Duration WITHDRAW_LIMIT = Duration.ofMinutes(2);

    private static final String AFTERWARDS = "; then run 'kjadm reset' on this node and join again";

    private final MemberAdder adder;
    private final EtcdCluster cluster;
    private final NewMember wanted;
    private final JoinNote note;
    private final StalledStart stalled;
    private final Waiter waiter;
    private final Reporter out;

    MemberJoin(MemberAdder adder, EtcdCluster cluster, NewMember wanted, JoinNote note, StalledStart stalled,
            Waiter waiter, Reporter out) {
        this.adder = adder;
        this.cluster = cluster;
        this.wanted = wanted;
        this.note = note;
        this.stalled = stalled;
        this.waiter = waiter;
        this.out = out;
    }

    /**
     * Brings the member in.
     *
     * @param start    writes the manifest with these members as initial cluster
     * @param rollback takes back what is on this node
     * @return the member, as a voter
     */
    Member bringIn(Timeouts timeouts, Consumer<List<NameAndUrl>> start, MemberRollback rollback) {
        try {
            Announced announced = announce(timeouts.etcdApiCall());
            start.accept(InitialCluster.of(announced.members(), announced.member(), wanted.name()));
            out.step(AREA, "Waiting for etcd member %s to start, to catch up and to vote".formatted(announced.member().id()));
            return settle(announced, start, timeouts.etcdApiCall());
        } catch (RuntimeException e) {
            throw takenBack(e, rollback);
        }
    }

    private record Announced(Member member, List<Member> members) {}

    private Announced announce(Duration limit) {
        Instant start = waiter.now();
        Await await = new Await(AREA, "etcd to admit this member", TURN_LIMIT, INTERVAL,
                "run 'etcdctl member list' on a control-plane node to see which member is in the way");
        return waiter.until(await, () -> {
            Announcement answer;
            try {
                answer = adder.announce(cluster, wanted);
            } catch (EtcdCallException e) {
                return again(start, limit, e.text(), INTERVAL);
            }
            return switch (answer) {
                case Announcement.Added(Member member, List<Member> members) -> {
                    note.write(member.id());
                    out.step(AREA, "announced etcd member %s to the cluster".formatted(member.describe()));
                    yield Attempt.done(new Announced(member, members));
                }
                case Announcement.AlreadyThere(Member member, List<Member> members) -> {
                    out.step(AREA, "going on with etcd member %s of an earlier run".formatted(member.describe()));
                    yield Attempt.done(new Announced(member, members));
                }
                case Announcement.MustWait(WaitReason reason, String detail, Duration pause) -> {
                    boolean queueing = reason == WaitReason.TOO_MANY_LEARNERS || reason == WaitReason.MEMBER_NOT_STARTED;
                    yield queueing ? Attempt.notYet(detail, pause) : again(start, limit, detail, pause);
                }
                case Announcement.Refused(String what, String why, String next) -> throw new ClusterException(what, why, next);
            };
        });
    }

    /** Faults pass within {@code timeouts.etcdAPICall} or not at all; waiting one's turn may take longer. */
    private <T> Attempt<T> again(Instant start, Duration limit, String detail, Duration pause) {
        if (Duration.between(start, waiter.now()).compareTo(limit) > 0) {
            throw new ClusterException("etcd does not admit a new member", detail,
                    "see that all etcd members are healthy");
        }
        return Attempt.notYet(detail, pause);
    }

    private Member settle(Announced announced, Consumer<List<NameAndUrl>> start, Duration silenceLimit) {
        Await await = new Await(AREA, "etcd member %s to catch up and vote".formatted(announced.member().id()),
                SETTLE_LIMIT, INTERVAL,
                "check that %s can be reached from the other members and read the log of the etcd container"
                        .formatted(wanted.peerUrl()));
        List<Member>[] written = asHolder(announced.members());
        Instant[] lastSign = {waiter.now()};
        return waiter.until(await, () -> switch (settlement(announced)) {
            case Settlement.Voter(Member member, List<Member> members) -> Attempt.done(member);
            case Settlement.CatchingUp(var id, String reason, var progress) -> {
                if (progress.isPresent() || stalled.showsLife()) {
                    lastSign[0] = waiter.now();
                }
                refuseSilence(announced, lastSign[0], silenceLimit, reason);
                if (progress.isEmpty() && announced.member().learner()) {
                    stalled.help();
                }
                restartWithCurrentMembers(announced, start, written);
                yield Attempt.notYet(progress.map(seen -> reason + ", " + seen).orElse(reason));
            }
            case Settlement.Gone(var id) -> throw new ClusterException(
                    "etcd member %s was removed by somebody else".formatted(id),
                    "it is no longer in the member list", "find out who removed it");
            case Settlement.Failed(var id, String what, String why, String next) -> throw new ClusterException(what, why, next);
        });
    }

    /** A member that receives a large snapshot shows signs of life; one whose container cannot run never does. */
    private void refuseSilence(Announced announced, Instant lastSign, Duration limit, String reason) {
        if (Duration.between(lastSign, waiter.now()).compareTo(limit) > 0) {
            throw new ClusterException("etcd member %s does not start".formatted(announced.member().id()),
                    "nothing on this node has answered for it for %d s; seen from the cluster: %s".formatted(limit.toSeconds(), reason),
                    "read the log of the etcd container ('crictl ps -a', 'crictl logs') and of the kubelet");
        }
    }

    private Settlement settlement(Announced announced) {
        stalled.observe();
        try {
            return adder.settle(cluster, announced.member().id());
        } catch (EtcdCallException e) {
            return new Settlement.CatchingUp(announced.member().id(), e.text(), java.util.Optional.empty());
        }
    }

    /** A member starts only with the exact member list; if that changed before its first start, so must the manifest. */
    private void restartWithCurrentMembers(Announced announced, Consumer<List<NameAndUrl>> start, List<Member>[] written) {
        List<Member> now;
        try {
            now = cluster.members();
        } catch (EtcdCallException e) {
            return;
        }
        boolean started = now.stream().anyMatch(member -> member.id().equals(announced.member().id()) && member.started());
        if (started || InitialCluster.same(now, written[0])) {
            return;
        }
        out.step(AREA, "the member list changed before the member started: writing its manifest anew");
        start.accept(InitialCluster.of(now, announced.member(), wanted.name()));
        written[0] = now;
    }

    @SuppressWarnings("unchecked")
    private static List<Member>[] asHolder(List<Member> members) {
        return new List[] {members};
    }

    private ClusterException takenBack(RuntimeException failure, MemberRollback rollback) {
        boolean interrupted = Thread.interrupted();
        out.step(AREA, "The join failed (%s): taking the etcd member back".formatted(failure.getMessage()));
        String outcome = withdraw(rollback);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return failure instanceof ClusterException known
                ? new ClusterException(known.what(), known.why() + " (" + outcome + ")", known.next() + AFTERWARDS, failure)
                : new ClusterException("the etcd member could not join", failure.getMessage() + " (" + outcome + ")",
                        "see the log of the etcd container" + AFTERWARDS, failure);
    }

    private String withdraw(MemberRollback rollback) {
        Await await = new Await(AREA, "the etcd member to be taken back", WITHDRAW_LIMIT, INTERVAL, "");
        try {
            Withdrawal last = waiter.until(await, () -> {
                Withdrawal answer = withdrawal();
                if (answer instanceof Withdrawal.MustWait(String why, Duration pause)) {
                    return Attempt.notYet(why, pause);
                }
                return Attempt.done(answer);
            });
            return told(last, rollback);
        } catch (ClusterException e) {
            return "whether the member was taken back is not known: %s; look with 'etcdctl member list'".formatted(e.why());
        }
    }

    private Withdrawal withdrawal() {
        try {
            return adder.withdraw(cluster, wanted);
        } catch (EtcdCallException e) {
            return new Withdrawal.MustWait(e.text(), INTERVAL);
        }
    }

    private String told(Withdrawal outcome, MemberRollback rollback) {
        return switch (outcome) {
            case Withdrawal.NothingListed() -> {
                note.remove();
                yield "no etcd member was left behind";
            }
            case Withdrawal.Removed(Member member) -> {
                note.remove();
                yield "etcd member %s, which this run had added, was removed again; %s".formatted(
                        member.id(), rollback.run());
            }
            case Withdrawal.NowVoter(Member member) ->
                    "etcd member %s votes already and stays: run the join again".formatted(member.id());
            case Withdrawal.MustWait(String why, Duration pause) -> why;
            case Withdrawal.Kept(String what, String why, String next) -> what + ": " + why + "; " + next;
        };
    }
}
