package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The look at a member that votes, and at the cluster it votes in, before its join is called done.
 * The member list is the cluster's view; the member itself serves clients only once it has learned
 * of its promotion.
 */
record VoterVerification(RejoinOptions options) {

    /**
     * What is not well yet.
     *
     * @param text of the new member, as a part of a sentence
     * @param others whether it is about the other voters
     */
    record Missing(String text, boolean others) {}

    Optional<Missing> missing(JoinFacts facts, JoinEntry entry, EtcdHealth health, Member own) {
        String text = ofItself(facts, entry, health, own);
        if (!text.isEmpty()) {
            return Optional.of(new Missing(text, false));
        }
        int needed = options.allowDegraded()
                ? health.quorum().size()
                : health.quorum().voters();
        return health.healthyVoters() >= needed
                ? Optional.empty()
                : Optional.of(new Missing(
                        "of %d voters only %d are healthy: %s"
                                .formatted(
                                        health.quorum().voters(),
                                        health.healthyVoters(),
                                        health.ailing()),
                        true));
    }

    private static String ofItself(
            JoinFacts facts, JoinEntry entry, EtcdHealth health, Member own) {
        if (!own.started()) {
            return "it has not published its name yet";
        }
        Optional<MemberStatus> answer = health.status(own.id());
        if (answer.isEmpty()) {
            return "it does not answer: " + health.silences().get(own.id());
        }
        MemberStatus status = answer.get();
        if (status.learner()) {
            return "it has not applied its promotion yet";
        }
        if (status.leaderId().isNone()) {
            return "it knows no leader";
        }
        if (!status.errors().isEmpty()) {
            return "it reports "
                    + status.errors().stream().map(String::strip).collect(Collectors.joining(", "));
        }
        if (status.appliedIndex() < entry.commit()) {
            return "it has not applied what was committed before its promotion";
        }
        return facts.notReadyReason().isEmpty() ? "" : "it is not ready: " + facts.notReadyReason();
    }

    /**
     * How the member list differs from the one before the add and the new member; empty if it does
     * not.
     */
    static String changesOfOthers(JoinEntry entry, List<Member> members, Member own) {
        Stream<String> gone = entry.before().stream()
                .filter(before ->
                        members.stream().noneMatch(member -> member.id().equals(before.id())))
                .map(member -> member.describe() + " was removed");
        Stream<String> come = members.stream()
                .filter(member -> !member.id().equals(own.id()) && !entry.wasListedBefore(member))
                .map(member -> member.describe() + " was added");
        String changes = Stream.concat(gone, come).collect(Collectors.joining("; "));
        return changes.isEmpty()
                ? ""
                : "the members of etcd were changed by somebody else during the join: " + changes;
    }
}
