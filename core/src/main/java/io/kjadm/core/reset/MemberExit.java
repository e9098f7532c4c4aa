package io.kjadm.core.reset;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.EtcdOnNode;
import io.kjadm.core.etcd.ResetState;
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
import io.kjadm.etcd.Removal;
import io.kjadm.etcd.RemovalPlan;
import io.kjadm.etcd.check.DataDirectory;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** One node's member on its way out of the cluster: first thought over, then done and confirmed. */
final class MemberExit {

    private static final String AREA = "reset";
    private static final Duration INTERVAL = Duration.ofMillis(500);
    /** A cluster that answers does so at once; an election takes some seconds. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(15);
    /** Somebody else's reset or an election makes a plan look bad for a moment. */
    private static final Duration SECOND_THOUGHT = Duration.ofSeconds(4);

    static final String ASK_ELSEWHERE = "check whether a control-plane node that stays lists "
            + "a member for this one (\"kjadm etcd member list\"), and remove it there "
            + "(\"kjadm etcd member remove ID\")";

    private final EtcdCluster cluster;
    private final EtcdOnNode etcd;
    private final Waiter waiter;
    private final Reporter out;
    private final MemberRemoval removal = new MemberRemoval();
    private final ResetJournal journal;
    private final MemberIdentity identity;
    private final NotedJoin noted;
    private final OwnMember own;
    /** What was in the way the last time, if it was a decision and not a silence. */
    private Optional<Standing> refusal = Optional.empty();

    private boolean removed;

    MemberExit(
            EtcdCluster cluster,
            EtcdOnNode etcd,
            DataDirectory data,
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

    /** How it stands with the member. */
    sealed interface Standing {

        /** It may be removed, or is not listed at all. */
        record Free(RemovalPlan plan, Optional<String> clusterId) implements Standing {}

        /** It is no longer part of the cluster. */
        record Left() implements Standing {}

        /** It is all that there is of the cluster. */
        record Last(Member member) implements Standing {}

        /** The others need it. */
        record Needed(String what, String why, String next) implements Standing {}

        /**
         * The others are down, and this node's etcd is of no use without them nor they without it.
         */
        record Stranded(String what, String why, String next) implements Standing {}

        /** What is noted on this node is about another cluster. */
        record Foreign(String what, String why, String next) implements Standing {}

        /** What is listed under this node's address is not shown to be this node's. */
        record Unproven(String what, String why, String next) implements Standing {}

        /** Nobody can tell, or it could not be removed. */
        record Unclear(String what, String why, String next) implements Standing {}

        /** Nobody can tell, and not even this node's own etcd answers. */
        record Silent(String what, String why, String next) implements Standing {}
    }

    /** This node's member, if it is the only voter; reads the member list once. */
    static Optional<Member> onlyVoter(EtcdCluster cluster, EtcdOnNode etcd, DataDirectory data) {
        OwnMember own =
                MemberIdentity.find(cluster, etcd, data, Optional.empty()).own();
        EtcdHealth unasked = new EtcdHealth(cluster.members(), Map.of(), Map.of());
        return new MemberRemoval().plan(unasked, own) instanceof RemovalPlan.LastMember(Member last)
                ? Optional.of(last)
                : Optional.empty();
    }

    /** The member as it is listed, or was by the word of an earlier run. */
    Optional<MemberId> memberId() {
        return own.id();
    }

    /** Looks whether the member may leave; nothing is changed. */
    Standing preview(Duration limit) {
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
        AtomicReference<Standing> last =
                new AtomicReference<>(silent("etcd cannot be reached", "no member answered"));
        Await await = new Await(AREA, "etcd to return the member list", patience, INTERVAL, "");
        try {
            waiter.until(await, () -> {
                last.set(look());
                boolean thoughtTwice =
                        Duration.between(start, waiter.now()).compareTo(SECOND_THOUGHT) >= 0;
                boolean certain = switch (last.get()) {
                    case Standing.Free free -> true;
                    case Standing.Left left -> true;
                    case Standing.Last only -> true;
                    case Standing.Foreign foreign -> true;
                    case Standing.Needed needed -> thoughtTwice;
                    case Standing.Stranded stranded -> thoughtTwice;
                    case Standing.Unproven unproven -> thoughtTwice;
                    case Standing.Unclear unclear -> false;
                    case Standing.Silent silent -> false;
                };
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
            case Standing.Free(RemovalPlan plan, Optional<String> clusterId) -> plan.toString();
            case Standing.Left() -> "it was removed";
            case Standing.Last(Member member) -> member.describe() + " is the last";
            case Standing.Needed(String what, String why, String next) -> what + ": " + why;
            case Standing.Stranded(String what, String why, String next) -> what + ": " + why;
            case Standing.Foreign(String what, String why, String next) -> what + ": " + why;
            case Standing.Unproven(String what, String why, String next) -> what + ": " + why;
            case Standing.Unclear(String what, String why, String next) -> what + ": " + why;
            case Standing.Silent(String what, String why, String next) -> what + ": " + why;
        };
    }

    private Standing look() {
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

    private Standing standing(EtcdHealth health) {
        return foreign(health).orElseGet(() -> standing(health, plan(health)));
    }

    private Optional<Standing> foreign(EtcdHealth health) {
        return journal.entry()
                .flatMap(ResetEntry::clusterId)
                .filter(noted ->
                        !health.clusterIds().isEmpty() && !health.clusterIds().contains(noted))
                .map(noted -> new Standing.Foreign(
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
        return noted.among(health.members())
                .map(member -> OwnMember.known(member.id()))
                .orElse(own);
    }

    private Standing standing(EtcdHealth health, RemovalPlan plan) {
        Optional<String> late = noted.late(health.members());
        if (late.isPresent()) {
            return unclear(
                    "whether a join of this node that did not end has added a member is "
                            + "not certain yet",
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
                new Standing.Unproven(
                        "%s is listed under this node's address, and is not shown to be this node's"
                                .formatted(member.describe()),
                        why,
                        "if it is another machine's, leave it alone and reset with --force; if it is "
                                + "this node's, remove it on a control-plane node that stays "
                                + "(\"kjadm etcd member remove " + member.id() + "\")");
            case RemovalPlan.LastMember last -> free(last, health);
            case RemovalPlan.Feasible feasible -> free(feasible, health);
            case RemovalPlan.Promoted(Member member) ->
                throw new IllegalStateException("a reset takes voters, too: " + member);
            case RemovalPlan.Refused(String what, String why, String next) ->
                health.hasQuorum()
                        ? new Standing.Needed(what, why, next)
                        : new Standing.Stranded(what, why, next);
        };
    }

    private boolean namesake(EtcdHealth health) {
        return etcd.name()
                .filter(name -> health.members().stream()
                        .anyMatch(member -> member.name().equals(name)))
                .isPresent();
    }

    private static Standing.Free free(RemovalPlan plan, EtcdHealth health) {
        return new Standing.Free(plan, health.clusterIds().stream().findFirst());
    }

    private static Standing.Unclear unclear(String what, String why) {
        return new Standing.Unclear(what, why, ASK_ELSEWHERE);
    }

    /**
     * Not silent if this node's etcd answers for itself: it may have lost the others, which may
     * list it.
     */
    private Standing silent(String what, String why) {
        return identity.running().isPresent()
                ? unclear(what, why)
                : new Standing.Silent(what, why, ASK_ELSEWHERE);
    }

    /**
     * Removes every entry of this node and reads the member list until none is left. Each attempt
     * plans anew, so what other nodes do meanwhile is taken into account.
     */
    Standing leave(Duration limit) {
        Await await = new Await(
                AREA,
                "the etcd member to be out of the cluster",
                limit,
                INTERVAL,
                "check that all etcd members are healthy, then run the reset again");
        try {
            // a dry run reports the wait and goes on as if it had come to an end
            return waiter.until(await, this::attempt).orElseGet(Standing.Left::new);
        } catch (ClusterException e) {
            return refusal.orElseGet(() -> unclear(e.what(), e.why()));
        }
    }

    /**
     * As it stands, or that etcd needs this node's member to go on: one that stays listed may be
     * stopped only if the others are a quorum of all that are listed.
     */
    Standing unlessNeeded(Standing standing) {
        return switch (standing) {
            case Standing.Unclear _, Standing.Silent _ -> needed().orElse(standing);
            case Standing.Free _,
                    Standing.Left _,
                    Standing.Last _,
                    Standing.Needed _,
                    Standing.Stranded _,
                    Standing.Foreign _,
                    Standing.Unproven _ -> standing;
        };
    }

    private Optional<Standing> needed() {
        Optional<EtcdHealth> known = members();
        if (known.isEmpty()) {
            return identity.running()
                    .map(status -> new Standing.Stranded(
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
                                health.ailing().isEmpty() ? "none" : health.ailing());
        String next = "bring the other voters back";
        return Optional.of(
                health.hasQuorum()
                        ? new Standing.Needed(what, why, next + ", then " + "reset again")
                        : new Standing.Stranded(what, why, next));
    }

    private Optional<EtcdHealth> members() {
        try {
            return Optional.of(EtcdHealth.ask(cluster));
        } catch (EtcdCallException e) {
            return remembered();
        }
    }

    private Attempt<Standing> attempt() {
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

    private Attempt<Standing> after(EtcdHealth health, Removal done) {
        return switch (done) {
            case Removal.Confirmed confirmed -> {
                removed = true;
                out.step(
                        AREA,
                        "etcd no longer lists member " + confirmed.member().id());
                yield attempt();
            }
            case Removal.Declined(RemovalPlan.NotListed none) -> Attempt.done(new Standing.Left());
            // ours has left, and somebody else has the address by now
            case Removal.Declined(RemovalPlan.Unproven other)
            when removed -> Attempt.done(new Standing.Left());
            case Removal.Declined(RemovalPlan.LastMember last) ->
                Attempt.done(new Standing.Last(last.member()));
            case Removal.Declined(RemovalPlan.Refused refused) -> {
                refusal = Optional.of(standing(health, refused));
                yield Attempt.notYet(refused.what() + ": " + refused.why());
            }
            case Removal.Declined(RemovalPlan.Declined other) ->
                Attempt.done(standing(health, other));
            case Removal.MustWait wait -> {
                refusal = Optional.of(wait)
                        .filter(Removal.MustWait::refused)
                        .map(no -> new Standing.Needed(
                                "etcd does not remove the member",
                                no.why(),
                                "check that all etcd members are healthy, then reset again"));
                yield Attempt.notYet(wait.why(), wait.pause());
            }
            case Removal.StillListed still ->
                Attempt.done(new Standing.Unclear(
                        "etcd member %s is still listed"
                                .formatted(still.member().describe()),
                        still.why(),
                        still.next()));
        };
    }
}
