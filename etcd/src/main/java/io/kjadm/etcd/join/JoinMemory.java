package io.kjadm.etcd.join;

import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What one run of the program has seen and sent. Losing it in a crash costs time, never safety:
 * what must not be forgotten is in the journal.
 *
 * @param since the first look of this run
 * @param seen whether our member was listed at any look
 * @param manifestWritten whether this run has written the manifest
 * @param absence since when every list has lacked our member, under one leader
 * @param promoteSent when the last promotion was sent
 * @param removed the learner of ours whose removal this run has sent
 * @param refusal how the last change failed
 * @param learnerProgress our member
 * @param silentSince since when the member list cannot be read
 * @param troubleSince since when a fault keeps us from being added
 * @param queueingSince since when we wait for our turn
 * @param votesSince since when our member is listed as a voter
 * @param withdrawingSince since when the join is being rolled back
 * @param blocker the learner of somebody else that stands in the way
 * @param calls what came of calling the peer ports of others
 */
record JoinMemory(
        Instant since,
        boolean seen,
        boolean manifestWritten,
        Optional<Absence> absence,
        Optional<Instant> promoteSent,
        Optional<MemberId> removed,
        Optional<Refusal> refusal,
        Optional<LearnerProgress> learnerProgress,
        Optional<Instant> silentSince,
        Optional<Instant> troubleSince,
        Optional<Instant> queueingSince,
        Optional<Instant> votesSince,
        Optional<Instant> withdrawingSince,
        Optional<Blocker> blocker,
        Optional<Calls> calls) {

    /** A change was proposed under a term and may surface as long as that term lasts. */
    record Absence(Instant since, long term) {}

    /** How the last change failed. */
    record Refusal(ErrorClass errorClass, String text, Instant at) {

        boolean lasting() {
            return errorClass == ErrorClass.NEEDS_HUMAN || errorClass == ErrorClass.FATAL;
        }
    }

    /**
     * @param applied how far it was when it moved last
     * @param movedAt when that was, or the first look
     * @param knock what came of the last look for its peer port
     */
    record Blocker(
            MemberId id, long applied, boolean answers, Instant movedAt, Optional<Knock> knock) {}

    record Knock(Instant at, boolean listens) {}

    /**
     * @param at when the last answer was there
     * @param called whom
     * @param unreached why not, of each of them that was not reached
     * @param fresh whether no look has come after them but the one that is decided upon
     */
    record Calls(
            Instant at, Set<MemberId> called, Map<MemberId, String> unreached, boolean fresh) {}

    static JoinMemory begun(Instant now) {
        return new JoinMemory(
                now,
                false,
                false,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** After one more look. */
    JoinMemory looked(
            Instant now,
            NewMember wanted,
            Optional<JoinEntry> journal,
            ClusterView view,
            LocalMemberHealth life,
            boolean withdrawing) {
        Optional<Instant> withdrawn = withdrawing ? first(withdrawingSince, now) : withdrawingSince;
        if (!(view instanceof ClusterView.Seen(EtcdHealth health))) {
            return new JoinMemory(
                    since,
                    seen,
                    manifestWritten,
                    absence,
                    promoteSent,
                    removed,
                    refusal,
                    journal.flatMap(JoinEntry::memberId)
                            .map(id -> learnerProgress
                                    .orElseGet(() -> LearnerProgress.begun(now))
                                    .looked(now, Optional.empty(), Optional.empty(), life)),
                    first(silentSince, now),
                    troubleSince,
                    queueingSince,
                    votesSince,
                    withdrawn,
                    blocker,
                    calls);
        }
        Optional<Member> own = own(wanted, journal, health.members());
        boolean expected = journal.map(entry -> entry.state().mayBeListed()).orElse(false);
        Optional<LearnerProgress> followed = journal.flatMap(JoinEntry::memberId)
                .map(id -> learnerProgress
                        .orElseGet(() -> LearnerProgress.begun(now))
                        .looked(now, health.status(id), health.leaderStatus(), life));
        return new JoinMemory(
                since,
                seen || own.isPresent(),
                manifestWritten,
                expected && own.isEmpty() ? absent(now, health) : Optional.empty(),
                promoteSent,
                removed,
                refusal,
                followed,
                Optional.empty(),
                troubleSince,
                queueingSince,
                own.filter(Member::voter).flatMap(voter -> first(votesSince, now)),
                withdrawn,
                blocking(now, own, health),
                calls);
    }

    /**
     * Our member as listed: by its ID, or, while that is not known, by our URL and by not having
     * been there before.
     */
    static Optional<Member> own(
            NewMember wanted, Optional<JoinEntry> journal, List<Member> members) {
        return journal.filter(entry -> entry.state().mayBeListed())
                .flatMap(entry -> members.stream()
                        .filter(member -> entry.memberId()
                                .map(member.id()::equals)
                                .orElseGet(() ->
                                        wanted.hasUrlOf(member) && !entry.wasListedBefore(member)))
                        .findFirst());
    }

    private Optional<Absence> absent(Instant now, EtcdHealth health) {
        if (health.leaderTerm().isEmpty()) {
            return absence;
        }
        long term = health.leaderTerm().getAsLong();
        return absence.filter(before -> before.term() == term)
                .or(() -> Optional.of(new Absence(now, term)));
    }

    private Optional<Blocker> blocking(Instant now, Optional<Member> own, EtcdHealth health) {
        Optional<Member> other = health.members().stream()
                .filter(Member::learner)
                .filter(member -> own.filter(member::equals).isEmpty())
                .findFirst();
        return other.map(member -> {
            long applied = health.status(member.id())
                    .map(status -> status.appliedIndex())
                    .orElse(0L);
            boolean answers = health.status(member.id()).isPresent();
            // one that is level with the leader only waits for whoever added it to promote it
            boolean level = health.leaderStatus()
                    .filter(leader -> leader.raftIndex() - applied <= LearnerProgress.LAG_LIMIT)
                    .isPresent();
            return blocker.filter(before -> before.id().equals(member.id())
                            && (level || before.applied() >= applied)
                            && (before.answers() || !answers))
                    .map(before -> new Blocker(
                            before.id(),
                            before.applied(),
                            answers,
                            before.movedAt(),
                            before.knock()))
                    .orElseGet(() ->
                            new Blocker(member.id(), applied, answers, now, Optional.empty()));
        });
    }

    /** After a decision: how long it has been waited for what. */
    JoinMemory decided(Instant now, JoinDecision decision) {
        return with(calls.map(made -> new Calls(made.at(), made.called(), made.unreached(), false)))
                .waited(now, decision);
    }

    private JoinMemory waited(Instant now, JoinDecision decision) {
        return switch (decision) {
            case JoinDecision.Wait wait
            when wait.reason().fault() -> waiting(first(troubleSince, now), queueingSince);
            case JoinDecision.Wait wait
            when wait.reason().queueing() -> waiting(Optional.empty(), first(queueingSince, now));
            case JoinDecision.RemoveBlockingLearner way ->
                waiting(first(troubleSince, now), queueingSince);
            case JoinDecision.Wait wait -> waiting(Optional.empty(), Optional.empty());
            case JoinDecision other -> this;
        };
    }

    private JoinMemory waiting(Optional<Instant> trouble, Optional<Instant> queueing) {
        return new JoinMemory(
                since,
                seen,
                manifestWritten,
                absence,
                promoteSent,
                removed,
                refusal,
                learnerProgress,
                silentSince,
                trouble,
                queueing,
                votesSince,
                withdrawingSince,
                blocker,
                calls);
    }

    /** After a change was answered. */
    JoinMemory answered(Optional<EtcdCallException> failure, Instant now) {
        return failed(failure.map(e -> new Refusal(e.errorClass(), e.text(), now)));
    }

    /** After a removal that did not come to its end. */
    JoinMemory refused(ErrorClass cause, String why, Instant now) {
        return failed(Optional.of(new Refusal(cause, why, now)));
    }

    private JoinMemory failed(Optional<Refusal> how) {
        return new JoinMemory(
                since,
                seen,
                manifestWritten,
                absence,
                promoteSent,
                removed,
                how,
                learnerProgress,
                silentSince,
                troubleSince,
                queueingSince,
                votesSince,
                withdrawingSince,
                blocker,
                calls);
    }

    JoinMemory promoted(Instant now) {
        return new JoinMemory(
                since,
                seen,
                manifestWritten,
                absence,
                Optional.of(now),
                removed,
                refusal,
                learnerProgress,
                silentSince,
                troubleSince,
                queueingSince,
                votesSince,
                withdrawingSince,
                blocker,
                calls);
    }

    JoinMemory removed(MemberId id) {
        return new JoinMemory(
                since,
                seen,
                manifestWritten,
                absence,
                promoteSent,
                Optional.of(id),
                refusal,
                learnerProgress,
                silentSince,
                troubleSince,
                queueingSince,
                votesSince,
                withdrawingSince,
                blocker,
                calls);
    }

    JoinMemory called(List<Member> voters, Map<MemberId, String> unreached, Instant now) {
        return with(Optional.of(new Calls(
                now,
                voters.stream().map(Member::id).collect(Collectors.toUnmodifiableSet()),
                Map.copyOf(unreached),
                true)));
    }

    private JoinMemory with(Optional<Calls> made) {
        return new JoinMemory(
                since,
                seen,
                manifestWritten,
                absence,
                promoteSent,
                removed,
                refusal,
                learnerProgress,
                silentSince,
                troubleSince,
                queueingSince,
                votesSince,
                withdrawingSince,
                blocker,
                made);
    }

    JoinMemory knocked(MemberId id, boolean listens, Instant now) {
        return new JoinMemory(
                since,
                seen,
                manifestWritten,
                absence,
                promoteSent,
                removed,
                refusal,
                learnerProgress,
                silentSince,
                troubleSince,
                queueingSince,
                votesSince,
                withdrawingSince,
                blocker.map(known -> known.id().equals(id)
                        ? new Blocker(
                                id,
                                known.applied(),
                                known.answers(),
                                known.movedAt(),
                                Optional.of(new Knock(now, listens)))
                        : known),
                calls);
    }

    JoinMemory wroteManifest() {
        return new JoinMemory(
                since,
                seen,
                true,
                absence,
                promoteSent,
                removed,
                refusal,
                learnerProgress,
                silentSince,
                troubleSince,
                queueingSince,
                votesSince,
                withdrawingSince,
                blocker,
                calls);
    }

    private static Optional<Instant> first(Optional<Instant> known, Instant now) {
        return known.or(() -> Optional.of(now));
    }
}
