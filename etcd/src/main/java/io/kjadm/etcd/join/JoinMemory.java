package io.kjadm.etcd.join;

import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one run of the program has seen and sent. Losing it in a crash costs time, never safety:
 * what must not be forgotten is in the journal.
 *
 * @param since the first look of this run
 * @param seen whether our member was listed at any look
 * @param absence since when every list has lacked our member, under one leader
 * @param learnerProgress our member
 * @param blocker the learner of somebody else that stands in the way
 * @param sent what this run has done
 * @param waits since when something has been as it is
 */
record JoinMemory(
        Instant since,
        boolean seen,
        Optional<Absence> absence,
        Optional<LearnerProgress> learnerProgress,
        Optional<Blocker> blocker,
        Sent sent,
        Waits waits) {

    /** A change was proposed under a term and may surface as long as that term lasts. */
    record Absence(Instant since, long term) {}

    /**
     * What this run has done.
     *
     * @param manifestWritten whether it has written the manifest
     * @param promotion when it sent the last promotion
     * @param removed the learner of ours whose removal it has sent
     * @param refusal how the last change failed
     * @param calls what came of calling the peer ports of others
     */
    record Sent(
            boolean manifestWritten,
            Optional<Instant> promotion,
            Optional<MemberId> removed,
            Optional<Refusal> refusal,
            Optional<PeerReach> calls) {

        private Sent failing(Optional<Refusal> how) {
            return new Sent(manifestWritten, promotion, removed, how, calls);
        }

        private Sent calling(Optional<PeerReach> reach) {
            return new Sent(manifestWritten, promotion, removed, refusal, reach);
        }
    }

    /**
     * Since when something has been as it is.
     *
     * @param silent the member list cannot be read
     * @param trouble a fault keeps us from being added
     * @param queueing we wait for our turn
     * @param voter our member is listed as a voter
     * @param rollingBack the join is being rolled back
     */
    record Waits(
            Optional<Instant> silent,
            Optional<Instant> trouble,
            Optional<Instant> queueing,
            Optional<Instant> voter,
            Optional<Instant> rollingBack) {

        /** Whether a fault has kept us from being added for so long. */
        boolean inTroubleFor(Duration limit, Instant now) {
            return trouble.filter(since -> JoinDeadlines.passed(since, now, limit))
                    .isPresent();
        }
    }

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
            MemberId id, long applied, boolean answers, Instant movedAt, Optional<Knock> knock) {

        private Blocker knocked(Knock last) {
            return new Blocker(id, applied, answers, movedAt, Optional.of(last));
        }
    }

    record Knock(Instant at, boolean listens) {}

    static JoinMemory begun(Instant now) {
        return new JoinMemory(
                now,
                false,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                new Sent(
                        false,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()),
                new Waits(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()));
    }

    private JoinMemory with(Optional<Blocker> other, Sent done, Waits since) {
        return new JoinMemory(this.since, seen, absence, learnerProgress, other, done, since);
    }

    private JoinMemory with(Sent done) {
        return with(blocker, done, waits);
    }

    /** After one more look. */
    JoinMemory looked(
            Instant now,
            NewMember wanted,
            Optional<JoinEntry> journal,
            ClusterView view,
            LocalMemberHealth life,
            boolean rollingBack) {
        Optional<Instant> rolledBack =
                rollingBack ? first(waits.rollingBack(), now) : waits.rollingBack();
        Optional<EtcdHealth> health = view instanceof ClusterView.Seen(EtcdHealth listed)
                ? Optional.of(listed)
                : Optional.empty();
        Optional<LearnerProgress> followed = journal.flatMap(JoinEntry::memberId)
                .map(id -> learnerProgress
                        .orElseGet(() -> LearnerProgress.begun(now))
                        .looked(
                                now,
                                health.flatMap(listed -> listed.status(id)),
                                health.flatMap(EtcdHealth::leaderStatus),
                                life));
        if (health.isEmpty()) {
            return new JoinMemory(
                    since,
                    seen,
                    absence,
                    followed,
                    blocker,
                    sent,
                    new Waits(
                            first(waits.silent(), now),
                            waits.trouble(),
                            waits.queueing(),
                            waits.voter(),
                            rolledBack));
        }
        Optional<Member> own = own(wanted, journal, health.get().members());
        boolean expected = journal.map(entry -> entry.state().mayBeListed()).orElse(false);
        return new JoinMemory(
                since,
                seen || own.isPresent(),
                expected && own.isEmpty() ? absent(now, health.get()) : Optional.empty(),
                followed,
                blocking(now, own, health.get()),
                sent,
                new Waits(
                        Optional.empty(),
                        waits.trouble(),
                        waits.queueing(),
                        own.filter(Member::voter).flatMap(voter -> first(waits.voter(), now)),
                        rolledBack));
    }

    /**
     * Our member as listed: by its ID, or, while that is not known, by our URL and by not having
     * been there before. One that is started here is started once its ID is noted: whatever has
     * started at our URL before is the member of another machine that has this one's address.
     */
    static Optional<Member> own(
            NewMember wanted, Optional<JoinEntry> journal, List<Member> members) {
        return journal.filter(entry -> entry.state().mayBeListed())
                .flatMap(entry -> members.stream()
                        .filter(member -> entry.memberId()
                                .map(member.id()::equals)
                                .orElseGet(() -> wanted.hasUrlOf(member)
                                        && !entry.wasListedBefore(member)
                                        && !(wanted.here() && member.started())))
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
        return with(
                blocker, sent.calling(sent.calls().map(PeerReach::aged)), waited(now, decision));
    }

    private Waits waited(Instant now, JoinDecision decision) {
        return switch (decision) {
            case JoinDecision.Wait wait
            when wait.reason().fault() -> waiting(first(waits.trouble(), now), waits.queueing());
            case JoinDecision.Wait wait
            when wait.reason().queueing() ->
                waiting(Optional.empty(), first(waits.queueing(), now));
            case JoinDecision.RemoveBlockingLearner way ->
                waiting(first(waits.trouble(), now), waits.queueing());
            case JoinDecision.Wait wait -> waiting(Optional.empty(), Optional.empty());
            case JoinDecision other -> waits;
        };
    }

    private Waits waiting(Optional<Instant> trouble, Optional<Instant> queueing) {
        return new Waits(waits.silent(), trouble, queueing, waits.voter(), waits.rollingBack());
    }

    /** After a change was answered. */
    JoinMemory answered(Optional<EtcdCallException> failure, Instant now) {
        return with(sent.failing(failure.map(e -> new Refusal(e.errorClass(), e.text(), now))));
    }

    /** After a removal that did not come to its end. */
    JoinMemory refused(ErrorClass cause, String why, Instant now) {
        return with(sent.failing(Optional.of(new Refusal(cause, why, now))));
    }

    JoinMemory promoted(Instant now) {
        return with(new Sent(
                sent.manifestWritten(),
                Optional.of(now),
                sent.removed(),
                sent.refusal(),
                sent.calls()));
    }

    JoinMemory removed(MemberId id) {
        return with(new Sent(
                sent.manifestWritten(),
                sent.promotion(),
                Optional.of(id),
                sent.refusal(),
                sent.calls()));
    }

    JoinMemory called(List<Member> voters, Map<MemberId, String> unreached, Instant now) {
        return with(sent.calling(Optional.of(PeerReach.called(voters, unreached, now))));
    }

    JoinMemory knocked(MemberId id, boolean listens, Instant now) {
        return with(
                blocker.map(known ->
                        known.id().equals(id) ? known.knocked(new Knock(now, listens)) : known),
                sent,
                waits);
    }

    JoinMemory wroteManifest() {
        return with(new Sent(true, sent.promotion(), sent.removed(), sent.refusal(), sent.calls()));
    }

    private static Optional<Instant> first(Optional<Instant> known, Instant now) {
        return known.or(() -> Optional.of(now));
    }
}
