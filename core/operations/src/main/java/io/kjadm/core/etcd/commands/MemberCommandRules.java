package io.kjadm.core.etcd.commands;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.commands.Verdict.Allowed;
import io.kjadm.core.etcd.commands.Verdict.Needless;
import io.kjadm.core.etcd.commands.Verdict.Refused;
import io.kjadm.core.lock.LockRecord;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberRemoval;
import io.kjadm.etcd.OwnMember;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.RemovalPlan;
import io.kjadm.etcd.join.ReplicationProgress;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Decides what an operator's command may do to the members: facts in, verdict out. Nothing here
 * asks or changes anything.
 */
public final class MemberCommandRules {

    /** A join that takes longer than this may be taken for lost, if the operator says so. */
    static final Duration OLD = Duration.ofMinutes(10);

    private final MemberRemoval removal = new MemberRemoval();

    /**
     * The member that an operator means: by ID, or by name where only one has it.
     *
     * @throws UsageException if no member or more than one is meant
     */
    public static Member member(List<Member> members, String word) {
        String hexadecimal = word.strip()
                .toLowerCase(Locale.ROOT)
                .replaceFirst("^0x", "")
                .replaceFirst("^0+(?=.)", "");
        List<Member> meant = members.stream()
                .filter(member -> member.id().toString().equals(hexadecimal)
                        || member.started() && member.name().equals(word))
                .toList();
        if (meant.size() == 1) {
            return meant.getFirst();
        }
        throw meant.isEmpty()
                ? new UsageException(
                        CommonReason.UNKNOWN_MEMBER,
                        "no etcd member has the ID or the name \"%s\"".formatted(word),
                        "the members are " + Member.describeAll(members),
                        "name one of these")
                : new UsageException(
                        CommonReason.UNKNOWN_MEMBER,
                        "\"%s\" matches more than one etcd member".formatted(word),
                        Member.describeAll(meant),
                        "name the member by its ID");
    }

    /**
     * Removal of a member that the operator names. A learner may go while there is a quorum; a
     * voter only if the healthy voters that remain are a quorum of what remains, and nobody is
     * joining, as a member must start with the list it was given.
     */
    public Verdict remove(EtcdHealth health, Member member, MembershipLeaseStatus lock) {
        Optional<Refused> busy = busy(lock);
        if (busy.isPresent()) {
            return busy.get();
        }
        Optional<Member> joining =
                health.learners().stream().filter(learner -> !learner.started()).findFirst();
        if (member.voter() && joining.isPresent()) {
            return new Refused(
                    new Problem(
                            CommonReason.JOINING,
                            "voter %s is not removed while a learner has not started"
                                    .formatted(member.describe()),
                            "%s has to start with the member list it was added to"
                                    .formatted(joining.get().describe()),
                            "wait for its join to finish, or run 'kjadm etcd member cleanup' if it is not going to start, then try again"));
        }
        return switch (removal.plan(health, OwnMember.asListed(member))) {
            case RemovalPlan.NotListed notListed -> absent(member);
            case RemovalPlan.Unproven unproven -> absent(member);
            case RemovalPlan.LastMember last ->
                new Refused(new Problem(
                        CommonReason.ONLY_VOTER,
                        "%s is the only voter".formatted(last.member().describe()),
                        "without it there is no cluster",
                        "to end the cluster, run 'kjadm reset' on its node"));
            case RemovalPlan.Remove remove ->
                new Allowed(remove.successor()
                        .map(successor ->
                                "it transfers its leadership to %s, and the others keep a quorum"
                                        .formatted(successor.label()))
                        .orElse(
                                remove.member().learner()
                                        ? "a learner has no vote"
                                        : "the other voters keep a quorum"));
            case RemovalPlan.Promoted(Member voter) ->
                new Refused(new Problem(
                        CommonReason.PROMOTED,
                        "%s has been promoted since".formatted(voter.describe()),
                        "it is a voter now, and was to be removed as a learner",
                        "keep it, or run the command again"));
            case RemovalPlan.Refused(Problem problem) -> new Refused(problem);
        };
    }

    private static Needless absent(Member member) {
        return new Needless("member %s is not listed".formatted(member.id()));
    }

    /**
     * Promotion of a learner that the operator names, before its lag is looked at: it runs, the
     * cluster is well, and stays writable with it as a voter.
     */
    Verdict promote(EtcdHealth health, Member member, MembershipLeaseStatus lock) {
        if (member.voter()) {
            return new Needless("member %s is already a voter".formatted(member.describe()));
        }
        Optional<Refused> busy = busy(lock);
        if (busy.isPresent()) {
            return busy.get();
        }
        String what = "learner %s is not promoted".formatted(member.describe());
        if (!member.started()) {
            return new Refused(new Problem(
                    CommonReason.NOT_STARTED,
                    what,
                    "it has never started, and as a voter it would count for the quorum",
                    "start its etcd, or remove it: kjadm etcd member cleanup --id " + member.id()));
        }
        if (health.status(member.id()).isEmpty()) {
            return new Refused(new Problem(
                    CommonReason.NO_ANSWER,
                    what,
                    "it does not answer: " + health.silences().get(member.id()),
                    "find out why its etcd does not run, or remove it: kjadm etcd member remove "
                            + member.id()));
        }
        if (!health.alarms().isEmpty()) {
            return new Refused(new Problem(
                    CommonReason.ALARM,
                    what,
                    "etcd raises an alarm: " + String.join(", ", health.alarms()),
                    Alarm.WAY_OUT));
        }
        if (!health.hasQuorum()) {
            return new Refused(new Problem(
                    CommonReason.NO_QUORUM,
                    what,
                    health.quorumText() + ": " + health.unhealthyMembers(),
                    "bring the other voters back first"));
        }
        if (health.leader().isEmpty()) {
            return new Refused(new Problem(
                    CommonReason.NO_LEADER,
                    what,
                    "the voters do not agree on a leader: " + health.leadersNamed(),
                    "wait for the election to end, then try again"));
        }
        // with one voter more the quorum grows by one at most, and the learner is healthy
        return new Allowed("%d of %d voters will be healthy"
                .formatted(health.healthyVoters() + 1, health.quorum().plusOne().voters()));
    }

    /**
     * Removal of a learner that nobody named as such: only one without any sign of life. With
     * {@code insist} also one that may be joining just now, if it has not started yet or its join
     * is old; never one that follows.
     */
    Verdict cleanUp(LearnerFacts facts, boolean insist) {
        Member learner = facts.learner();
        if (!learner.learner()) {
            return new Refused(new Problem(
                    "%s is not a learner".formatted(learner.describe()),
                    "a cleanup never removes a voter",
                    "to remove it, run 'kjadm etcd member remove %s'".formatted(learner.id())));
        }
        String what = "learner %s stays".formatted(learner.describe());
        String explicitly = "'kjadm etcd member remove %s'".formatted(learner.id());
        if (facts.follows()) {
            return new Refused(new Problem(
                    CommonReason.FOLLOWS,
                    what,
                    "it follows the leader: "
                            + facts.after().map(ReplicationProgress::toString).orElseThrow(),
                    "make it a voter with 'kjadm etcd member promote %s', or, if it is not needed, run %s"
                            .formatted(learner.id(), explicitly)));
        }
        Optional<String> life = signOfLife(facts);
        if (life.isEmpty()) {
            return new Allowed(
                    learner.started()
                            ? "it does not answer"
                            : "it has never started, and nothing listens " + "at its peer URL");
        }
        boolean old = facts.age().filter(age -> age.compareTo(OLD) > 0).isPresent();
        boolean overridable = !learner.started() || old;
        if (insist && overridable) {
            return new Allowed(life.get()
                    + (old
                            ? ", for more than %d min".formatted(OLD.toMinutes())
                            : ", but it has never started"));
        }
        return new Refused(new Problem(
                CommonReason.JOINING,
                what,
                life.get(),
                overridable
                        ? "wait for its join to finish; if no node is joining, add --yes"
                        : "wait for its join to finish; if no node is joining, run " + explicitly));
    }

    private static Optional<String> signOfLife(LearnerFacts facts) {
        if (facts.owner().filter(LearnerOwner::alive).isPresent()) {
            return Optional.of("it is being joined by " + facts.owner().get().who());
        }
        if (facts.after().isPresent()) {
            return Optional.of(
                    "its etcd responds but makes no progress: " + facts.after().get());
        }
        if (facts.peerOpen()) {
            return Optional.of(
                    "something listens at its peer URL: its etcd may be receiving the data");
        }
        return Optional.empty();
    }

    /** One change at a time in the whole cluster. */
    public static Optional<Refused> busy(MembershipLeaseStatus lock) {
        return switch (lock) {
            case MembershipLeaseStatus.Held held
            when held.alive() ->
                Optional.of(
                        new Refused(
                                new Problem(
                                        CommonReason.LOCK_HELD,
                                        "etcd's members are being changed by " + held.holder(),
                                        "it holds the Lease %s/%s%s"
                                                .formatted(
                                                        LockRecord.NAMESPACE,
                                                        LockRecord.NAME,
                                                        held.since()
                                                                .map(since -> " since " + since)
                                                                .orElse("")),
                                        "wait until it is done; if its process was killed, the Lease expires a minute after it was last renewed")));
            case MembershipLeaseStatus.Held dead -> Optional.empty();
            case MembershipLeaseStatus.Free free -> Optional.empty();
            case MembershipLeaseStatus.Unknown unknown -> Optional.empty();
        };
    }
}
