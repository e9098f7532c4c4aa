package io.kjadm.etcd.join;

import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The other half of {@link JoinDecider}: how a join that failed is rolled back. Only a learner that
 * the journal names is removed, by its ID; a member that votes stays. The learner leaves the list
 * before its process is stopped: one that turned out to vote must never have been stopped.
 */
record JoinRollback(NewMember wanted, MemberAdder adder, RejoinOptions options, JoinLimits limits) {

    static final String PROMOTION_MAY_COME = "a promotion that was sent may still be applied";

    /**
     * @param failedAt when the join failed; empty if an earlier run's rolling back is finished, to
     *         begin anew
     */
    JoinDecision decide(JoinFacts facts, Optional<Instant> failedAt) {
        Optional<JoinEntry> known =
                facts.journal().filter(entry -> entry.state().mayBeListed());
        if (known.isEmpty()) {
            return new JoinDecision.RolledBack(
                    new RollbackOutcome.NothingListed(), Optional.empty());
        }
        JoinEntry entry = known.get();
        JoinDecision decision = switch (facts.view()) {
            // a voter stays whatever the list says, and with two of them the other's loss hides the
            // list
            case ClusterView.Unreadable unreadable
            when entry.state() == JoinState.PROMOTED && failedAt.isPresent() ->
                new JoinDecision.RolledBack(
                        new RollbackOutcome.Votes(promoted(entry)), Optional.of(entry));
            case ClusterView.Unreadable silence ->
                unreadable(silence.errorClass(), silence.text(), entry);
            case ClusterView.Seen(EtcdHealth health) -> seen(facts, entry, health, failedAt);
        };
        Instant since = failedAt.orElse(facts.memory().since());
        if (decision instanceof JoinDecision.Wait wait
                && JoinDeadlines.passed(since, facts.now(), limits.rollback())) {
            return end(
                    kept("it is unknown whether the etcd member was removed", wait.detail()),
                    entry,
                    failedAt);
        }
        return decision;
    }

    private JoinDecision unreadable(ErrorClass errorClass, String text, JoinEntry entry) {
        return switch (errorClass) {
            // a leader that changes just now must not leave the learner behind
            case DONE, WAIT, TRANSIENT, AMBIGUOUS -> again(text);
            case NEEDS_HUMAN, FATAL ->
                new JoinDecision.RolledBack(
                        kept("the etcd member could not be removed", text), Optional.of(entry));
        };
    }

    private JoinDecision seen(
            JoinFacts facts, JoinEntry entry, EtcdHealth health, Optional<Instant> failedAt) {
        boolean another =
                !health.clusterIds().isEmpty() && !health.clusterIds().contains(entry.clusterId())
                        || !entry.peerUrl().equals(wanted.peerUrl());
        if (another) {
            return new JoinDecision.RolledBack(
                    new RollbackOutcome.NothingListed(), Optional.of(entry));
        }
        Optional<Member> own = JoinMemory.own(wanted, Optional.of(entry), health.members());
        if (own.isEmpty()) {
            return absent(facts, entry, failedAt);
        }
        // what cannot be noted, as on a full disk, is rolled back all the same
        JoinEntry known = entry.state() == JoinState.ADDING
                ? entry.added(own.get().id(), facts.now())
                : entry;
        return own.get().voter()
                ? voter(facts, known, own.get(), failedAt)
                : learner(facts, known, own.get(), failedAt);
    }

    private JoinDecision absent(JoinFacts facts, JoinEntry entry, Optional<Instant> failedAt) {
        boolean adding = entry.state() == JoinState.ADDING;
        boolean removed = facts.memory().sent().removed().isPresent()
                && (adding || facts.memory().sent().removed().equals(entry.memberId()));
        if (!removed) {
            Optional<Duration> mayAppearFor = JoinDecider.mayAppearFor(facts);
            if (mayAppearFor.isEmpty()) {
                return again("the members do not agree on a leader");
            }
            if (mayAppearFor.get().isPositive()) {
                return new JoinDecision.Wait(
                        WaitReason.UNCONFIRMED,
                        "a change that was sent may still be applied",
                        mayAppearFor.get());
            }
        }
        if (adding) {
            return new JoinDecision.RolledBack(
                    removed
                            ? new RollbackOutcome.Removed(
                                    ours(facts.memory().sent().removed().get()))
                            : new RollbackOutcome.NothingListed(),
                    Optional.empty());
        }
        if (entry.state() == JoinState.PROMOTED) {
            return end(
                    kept(
                            "etcd member %s, a voter, is no longer listed"
                                    .formatted(entry.memberId().orElseThrow()),
                            "another program or operator removed it"),
                    entry,
                    failedAt);
        }
        Optional<Member> other = facts.otherOwner(entry);
        if (other.isPresent()) {
            return end(
                    kept(
                            "nothing on this node is removed",
                            "its data is of another member, " + other.get().describe()),
                    entry,
                    failedAt);
        }
        RollbackOutcome outcome = removed
                ? new RollbackOutcome.Removed(ours(entry.memberId().orElseThrow()))
                : new RollbackOutcome.WasGone();
        return new JoinDecision.CleanNode(
                Optional.of(entry.leaving(true, facts.now())),
                "etcd member %s is no longer listed".formatted(entry.memberId().orElseThrow()),
                failedAt.map(at -> outcome));
    }

    private Member promoted(JoinEntry entry) {
        return new Member(
                entry.memberId().orElseThrow(), wanted.name(), wanted.peerUrls(), List.of(), false);
    }

    private Member ours(MemberId id) {
        return new Member(id, "", wanted.peerUrls(), List.of(), true);
    }

    private JoinDecision voter(
            JoinFacts facts, JoinEntry entry, Member own, Optional<Instant> failedAt) {
        if (!adder.addsLearners() && entry.state().compareTo(JoinState.PROMOTED) < 0) {
            return end(
                    new RollbackOutcome.Kept(new Problem(
                            "etcd member " + own.describe() + " is still listed",
                            "it was added as a voter, and removing a voter is for an operator to decide",
                            "start it, or run \"kjadm etcd member remove " + own.id()
                                    + "\" while there is a quorum")),
                    entry,
                    failedAt);
        }
        if (!own.started() && entry.state().compareTo(JoinState.PROMOTING) < 0) {
            return end(
                    new RollbackOutcome.Kept(new Problem(
                            "etcd member " + own.describe() + " is still listed",
                            "it is a voter although this node has not promoted it",
                            "run \"kjadm etcd member remove " + own.id()
                                    + "\" while there is a quorum")),
                    entry,
                    failedAt);
        }
        JoinEntry stays = entry.leaving(false, facts.now()).to(JoinState.PROMOTED, facts.now());
        return failedAt.isPresent()
                ? new JoinDecision.RolledBack(new RollbackOutcome.Votes(own), Optional.of(stays))
                : new JoinDecision.Note(
                        stays,
                        "etcd member %s is a voter after all and stays".formatted(own.describe()));
    }

    private JoinDecision learner(
            JoinFacts facts, JoinEntry entry, Member own, Optional<Instant> failedAt) {
        if (failedAt.isPresent() && options.keepLearner()) {
            return new JoinDecision.RolledBack(
                    new RollbackOutcome.StaysAsAsked(own), Optional.of(entry));
        }
        if (!wanted.hasUrlOf(own)) {
            return end(
                    kept("learner " + own.describe() + " stays", "its peer URL is not this node's"),
                    entry,
                    failedAt);
        }
        Duration left = facts.promotionMayComeFor(entry);
        if (left.isPositive()) {
            return new JoinDecision.Wait(WaitReason.UNCONFIRMED, PROMOTION_MAY_COME, left);
        }
        boolean sent = facts.memory().sent().removed().filter(own.id()::equals).isPresent();
        Instant since = failedAt.orElse(facts.memory().since());
        boolean tooLong = JoinDeadlines.passed(since, facts.now(), limits.rollback());
        Optional<JoinMemory.Refusal> refusal = facts.memory()
                .sent()
                .refusal()
                .filter(last -> tooLong && !last.at().isBefore(since) || sent && last.lasting());
        if (refusal.isPresent()) {
            return end(
                    kept(
                            "learner " + own.describe() + " is still listed",
                            refusal.get().text()),
                    entry,
                    failedAt);
        }
        return new JoinDecision.RemoveOwnLearner(entry.leaving(true, facts.now()), own);
    }

    private static JoinDecision again(String why) {
        return new JoinDecision.Wait(WaitReason.UNREACHABLE, why, Duration.ofSeconds(1));
    }

    private static RollbackOutcome kept(String what, String why) {
        return new RollbackOutcome.Kept(new Problem(
                what,
                why,
                "check with \"kjadm etcd status\", and remove a learner that is not"
                        + " going to start: no other member can join before"));
    }

    /** An operator's join ends here; a run that only wanted to begin anew fails. */
    private static JoinDecision end(
            RollbackOutcome outcome, JoinEntry entry, Optional<Instant> failedAt) {
        if (failedAt.isEmpty() && outcome instanceof RollbackOutcome.Kept(Problem problem)) {
            return new JoinDecision.Fail(FailReason.KEPT, problem);
        }
        return new JoinDecision.RolledBack(outcome, Optional.of(entry));
    }
}
