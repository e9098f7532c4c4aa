package io.kjadm.core.etcd.leave;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.leave.RemovalState.Reason;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberRemoval;
import io.kjadm.etcd.OwnMember;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Removal;
import io.kjadm.etcd.RemovalPlan;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** One node's member on its way out of the cluster: first thought over, then done and confirmed. */
public final class OwnMemberRemoval {

    private static final String AREA = "reset";
    private static final Duration INTERVAL = Duration.ofMillis(500);
    /** A cluster that answers does so at once; an election takes some seconds. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(15);
    /** Somebody else's reset or an election makes a plan look bad for a moment. */
    private static final Duration CONFIRM_LIMIT = Duration.ofSeconds(4);

    public static final String ASK_ELSEWHERE =
            "check where a member runs that stays whether one is "
                    + "listed for this machine (\"kjadm etcd member list\"), and remove it there "
                    + "(\"kjadm etcd member remove ID\")";

    private final EtcdCluster cluster;
    private final LocalEtcdState etcd;
    private final Waiter waiter;
    private final Reporter out;
    private final MemberRemoval removal = new MemberRemoval();
    private final ResetJournal journal;
    private final MemberIdentity identity;
    private final NotedJoin noted;
    private final OwnMember own;
    /** What was in the way the last time, if it was a decision and not a silence. */
    private Optional<RemovalState> refusal = Optional.empty();

    private boolean removed;

    /**
     * @param cluster that it leaves
     * @param etcd    what this machine's files tell of it
     * @param data    whose data is on the disk
     * @param journal in which each step is before it is taken
     */
    public OwnMemberRemoval(
            EtcdCluster cluster,
            LocalEtcdState etcd,
            OwnData data,
            ResetJournal journal,
            Waiter waiter,
            Reporter out) {
        this.cluster = cluster;
        this.etcd = etcd;
        this.journal = journal;
        this.waiter = waiter;
        this.out = out;
        this.identity = MemberIdentity.find(cluster, etcd, data, journal.entry());
        this.noted = new NotedJoin(etcd.join(), waiter);
        this.own = identity.own();
    }

    /** This node's member, if it is the only voter; reads the member list once. */
    public static Optional<Member> onlyVoter(
            EtcdCluster cluster, LocalEtcdState etcd, OwnData data) {
        OwnMember own =
                MemberIdentity.find(cluster, etcd, data, Optional.empty()).own();
        EtcdHealth unasked = new EtcdHealth(cluster.members(), Map.of(), Map.of());
        return new MemberRemoval().plan(unasked, own) instanceof RemovalPlan.LastMember(Member last)
                ? Optional.of(last)
                : Optional.empty();
    }

    /** The member as it is listed, or was by the word of an earlier run. */
    public Optional<MemberId> memberId() {
        return own.id();
    }

    /** Looks whether the member may leave; nothing is changed. */
    public RemovalState preview(Duration limit) {
        Optional<String> contradiction = identity.contradiction();
        if (contradiction.isPresent()) {
            return unclear("it is unknown which etcd member is this node's", contradiction.get());
        }
        if (own.id().isEmpty() && own.peerUrls().isEmpty() && etcd.adding().isEmpty()) {
            return silent(
                    "it is unknown which etcd member is this node's",
                    "neither its manifest nor a running etcd identifies it");
        }
        boolean inHaste = limit.compareTo(ANSWER_LIMIT) < 0 && etcd.adding().isEmpty();
        Duration patience = inHaste ? limit : ANSWER_LIMIT;
        Instant start = waiter.now();
        AtomicReference<RemovalState> last =
                new AtomicReference<>(silent("etcd cannot be reached", "no member answered"));
        Await await = new Await(AREA, "etcd to return the member list", patience, INTERVAL, "");
        try {
            waiter.until(await, () -> {
                last.set(look());
                boolean thoughtTwice =
                        Duration.between(start, waiter.now()).compareTo(CONFIRM_LIMIT) >= 0;
                return last.get() instanceof RemovalState.Blocked(Reason reason, Problem problem)
                                && !isCertain(reason, thoughtTwice)
                        ? Attempt.notYet(problem.facts())
                        : Attempt.done(last.get());
            });
        } catch (ClusterException e) {
            // the last answer tells more than that the time is over
            return last.get();
        }
        return last.get();
    }

    private static boolean isCertain(Reason reason, boolean thoughtTwice) {
        return switch (reason) {
            case OTHER_CLUSTER -> true;
            case NEEDED_FOR_QUORUM, QUORUM_LOST, UNPROVEN -> thoughtTwice;
            case UNKNOWN, UNREACHABLE -> false;
        };
    }

    private RemovalState look() {
        try {
            return standing(EtcdHealth.ask(cluster));
        } catch (EtcdCallException e) {
            return remembered()
                    .filter(health -> !health.hasQuorum())
                    .map(this::standing)
                    .orElseGet(() -> silent("etcd cannot be reached", e.getMessage()));
        }
    }

    /** What this node's own etcd remembers of the members while they agree about nothing. */
    private Optional<EtcdHealth> remembered() {
        for (URI url : etcd.localClientUrls()) {
            try {
                return Optional.of(EtcdHealth.ask(cluster, cluster.membersKnownTo(url)));
            } catch (EtcdCallException e) {
                // the next URL may answer
            }
        }
        return Optional.empty();
    }

    private RemovalState standing(EtcdHealth health) {
        return foreign(health).orElseGet(() -> standing(health, plan(health)));
    }

    private Optional<RemovalState> foreign(EtcdHealth health) {
        return journal.entry()
                .flatMap(ResetEntry::clusterId)
                .filter(noted ->
                        !health.clusterIds().isEmpty() && !health.clusterIds().contains(noted))
                .map(noted -> RemovalState.blocked(
                        Reason.OTHER_CLUSTER,
                        "an unfinished reset of this node belongs to another etcd cluster, "
                                + noted,
                        "the etcd of this node is of cluster "
                                + String.join(", ", health.clusterIds()),
                        "if this node was set up again since, delete the directory kjadm-reset in "
                                + "/etc/kubernetes/tmp, then reset again"));
    }

    private RemovalPlan plan(EtcdHealth health) {
        return removal.plan(health, leaving(health));
    }

    /** What an unfinished join has added goes before the member that runs. */
    private OwnMember leaving(EtcdHealth health) {
        return noted.among(health).map(member -> OwnMember.known(member.id())).orElse(own);
    }

    private RemovalState standing(EtcdHealth health, RemovalPlan plan) {
        Optional<String> late = noted.late(health);
        if (late.isPresent()) {
            return unclear(
                    "it is not certain yet whether an interrupted join of this node has added "
                            + "a member",
                    late.get());
        }
        return switch (plan) {
            case RemovalPlan.NotListed none
            when namesake(health) ->
                unclear(
                        "an etcd member named %s is listed under another peer URL than this node's"
                                .formatted(etcd.name().orElseThrow()),
                        "it may be this node's, whose address has changed");
            case RemovalPlan.NotListed none -> free(none, health);
            case RemovalPlan.Unproven(Member member, String why) ->
                RemovalState.blocked(
                        Reason.UNPROVEN,
                        "%s is listed under this node's address, and is not shown to be this node's"
                                .formatted(member.describe()),
                        why,
                        "if it is another machine's, leave it alone and reset with --force; if it is "
                                + "this node's, remove it where a member runs that stays "
                                + "(\"kjadm etcd member remove " + member.id() + "\")");
            case RemovalPlan.LastMember last -> free(last, health);
            case RemovalPlan.Remove remove -> free(remove, health);
            case RemovalPlan.Promoted(Member member) ->
                throw new IllegalStateException("a reset takes voters, too: " + member);
            case RemovalPlan.Refused(Problem problem) ->
                new RemovalState.Blocked(
                        health.hasQuorum() ? Reason.NEEDED_FOR_QUORUM : Reason.QUORUM_LOST,
                        problem);
        };
    }

    private boolean namesake(EtcdHealth health) {
        return etcd.name()
                .filter(name -> health.members().stream()
                        .anyMatch(member -> member.name().equals(name)))
                .isPresent();
    }

    private static RemovalState.Allowed free(RemovalPlan plan, EtcdHealth health) {
        return new RemovalState.Allowed(plan, health.clusterIds().stream().findFirst());
    }

    private static RemovalState unclear(String what, String why) {
        return RemovalState.blocked(Reason.UNKNOWN, what, why, ASK_ELSEWHERE);
    }

    /**
     * Not silent if this node's etcd answers for itself: it may have lost the others, which may
     * list it.
     */
    private RemovalState silent(String what, String why) {
        return identity.running().isPresent()
                ? unclear(what, why)
                : RemovalState.blocked(Reason.UNREACHABLE, what, why, ASK_ELSEWHERE);
    }

    /**
     * Removes every entry of this node and reads the member list until none is left. Each attempt
     * plans anew, so what other nodes do meanwhile is taken into account.
     */
    public RemovalState leave(Duration limit) {
        Await await = new Await(
                AREA,
                "the etcd member to be out of the cluster",
                limit,
                INTERVAL,
                "check that all etcd members are healthy, then run the reset again");
        try {
            // a dry run reports the wait and goes on as if it had come to an end
            return waiter.until(await, this::attempt).orElseGet(RemovalState.Removed::new);
        } catch (ClusterException e) {
            return refusal.orElseGet(() -> unclear(e.what(), e.why()));
        }
    }

    /**
     * Looks again behind the last snapshot of a cluster that ends with this member: another machine
     * may have joined while it was taken.
     */
    public RemovalState end(Duration limit) {
        return switch (preview(limit)) {
            case RemovalState.Allowed(RemovalPlan.LastMember _, var _) ->
                new RemovalState.Removed();
            case RemovalState.Allowed _ -> anotherHasJoined();
            case RemovalState other -> other;
        };
    }

    /** Why a cluster does not end that was about to. */
    public static RemovalState.Blocked anotherHasJoined() {
        return RemovalState.blocked(
                Reason.NEEDED_FOR_QUORUM,
                "this machine's etcd member is no longer the only one",
                "another member was added while the cluster was about to end",
                "see 'kjadm etcd member list', then run the same command again");
    }

    /**
     * As it stands, or that etcd needs this node's member to go on: one that stays listed may be
     * stopped only if the others are a quorum of all that are listed.
     */
    public RemovalState unlessNeeded(RemovalState standing) {
        return standing.isBlockedBy(Reason.UNKNOWN) || standing.isBlockedBy(Reason.UNREACHABLE)
                ? needed().orElse(standing)
                : standing;
    }

    private Optional<RemovalState> needed() {
        Optional<EtcdHealth> known = members();
        if (known.isEmpty()) {
            return identity.running()
                    .map(status -> RemovalState.blocked(
                            Reason.QUORUM_LOST,
                            "etcd member %s runs on this node and may be listed"
                                    .formatted(status.memberId()),
                            "its etcd does not report the other members, which may need it",
                            ASK_ELSEWHERE));
        }
        EtcdHealth health = known.get();
        List<Member> others = health.voters().stream()
                .filter(voter -> own.id().filter(voter.id()::equals).isEmpty())
                .toList();
        if (others.size() == health.voters().size()) {
            return Optional.empty();
        }
        long well = others.stream().filter(health::healthy).count();
        if (well >= health.quorum().size()) {
            return Optional.empty();
        }
        String what = "etcd member %s stays listed, and etcd needs it"
                .formatted(own.id().map(MemberId::toString).orElse(""));
        String why =
                "of the other voters %d are healthy, %d are needed while it is listed; unhealthy: %s"
                        .formatted(
                                well,
                                health.quorum().size(),
                                health.unhealthyMembers().isEmpty()
                                        ? "none"
                                        : health.unhealthyMembers());
        String next = "bring the other voters back";
        return Optional.of(
                health.hasQuorum()
                        ? RemovalState.blocked(
                                Reason.NEEDED_FOR_QUORUM, what, why, next + ", then reset again")
                        : RemovalState.blocked(Reason.QUORUM_LOST, what, why, next));
    }

    private Optional<EtcdHealth> members() {
        try {
            return Optional.of(EtcdHealth.ask(cluster));
        } catch (EtcdCallException e) {
            return remembered();
        }
    }

    private Attempt<RemovalState> attempt() {
        try {
            refusal = Optional.empty();
            EtcdHealth health = EtcdHealth.ask(cluster);
            return after(health, removal.attempt(cluster, health, leaving(health), noting()));
        } catch (EtcdCallException e) {
            boolean hopeless = e.errorClass() == ErrorClass.FATAL;
            return hopeless
                    ? Attempt.done(unclear("etcd does not remove the member", e.getMessage()))
                    : Attempt.notYet(e.text());
        }
    }

    private Removal.Progress noting() {
        return new Removal.Progress() {
            @Override
            public void handingOver(Member leader, Member successor) {
                journal.enter(ResetState.HANDOVER);
                out.step(AREA, "Transferring etcd's leadership to " + successor.label());
            }

            @Override
            public void removing(Member member) {
                journal.enter(ResetState.REMOVING);
                out.step(AREA, "Removing etcd member " + member.describe());
            }
        };
    }

    private Attempt<RemovalState> after(EtcdHealth health, Removal done) {
        return switch (done) {
            case Removal.Confirmed confirmed -> {
                removed = true;
                out.step(
                        AREA,
                        "etcd no longer lists member " + confirmed.member().id());
                yield attempt();
            }
            case Removal.Declined(RemovalPlan.NotListed none) ->
                Attempt.done(new RemovalState.Removed());
            // ours has left, and somebody else has the address by now
            case Removal.Declined(RemovalPlan.Unproven other)
            when removed -> Attempt.done(new RemovalState.Removed());
            case Removal.Declined(RemovalPlan.LastMember last) -> Attempt.done(free(last, health));
            case Removal.Declined(RemovalPlan.Refused refused) -> {
                refusal = Optional.of(standing(health, refused));
                yield Attempt.notYet(refused.problem().facts());
            }
            case Removal.Declined(RemovalPlan.Declined other) ->
                Attempt.done(standing(health, other));
            case Removal.MustWait wait -> {
                refusal = Optional.of(wait)
                        .filter(Removal.MustWait::refused)
                        .map(no -> RemovalState.blocked(
                                Reason.NEEDED_FOR_QUORUM,
                                "etcd does not remove the member",
                                no.why(),
                                "check that all etcd members are healthy, then reset again"));
                yield Attempt.notYet(wait.why(), wait.pause());
            }
            case Removal.StillListed still ->
                Attempt.done(RemovalState.blocked(
                        Reason.UNKNOWN,
                        "etcd member %s is still listed"
                                .formatted(still.member().describe()),
                        still.why(),
                        still.next()));
        };
    }
}
