package io.kjadm.etcd.join;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What the journal says of this node's join.
 *
 * @param runId the run that wrote it
 * @param clusterId the cluster that is joined (hexadecimal)
 * @param at when it was written
 * @param before the members listed before the add was sent
 * @param memberId ours, from {@link JoinState#ADDED} on
 * @param manifest fingerprint of the member list that the manifest was written with, from
 *         {@link JoinState#MANIFEST} on
 * @param commit the leader's commit index when the promotion was sent; 0 before
 * @param leaving whether the member is being rolled back: whoever finds that finishes it first
 */
public record JoinEntry(
        JoinState state,
        String runId,
        String clusterId,
        String name,
        URI peerUrl,
        Instant at,
        List<Member> before,
        Optional<MemberId> memberId,
        Optional<String> manifest,
        long commit,
        boolean leaving) {

    public JoinEntry {
        Objects.requireNonNull(state, "state");
        before = List.copyOf(before);
        if (memberId.isEmpty() && state.compareTo(JoinState.ADDED) >= 0) {
            throw new IllegalArgumentException("a join that is " + state + " has a member ID");
        }
    }

    static JoinEntry prepared(
            NewMember wanted, String runId, String clusterId, List<Member> members, Instant now) {
        return new JoinEntry(
                JoinState.PREPARED,
                runId,
                clusterId,
                wanted.name(),
                wanted.peerUrl(),
                now,
                members,
                Optional.empty(),
                Optional.empty(),
                0,
                false);
    }

    /** Of the same join, with what becomes of it. */
    private JoinEntry with(
            JoinState next,
            Instant now,
            Optional<MemberId> id,
            Optional<String> fingerprint,
            long seenCommit,
            boolean leaves) {
        return new JoinEntry(
                next,
                runId,
                clusterId,
                name,
                peerUrl,
                now,
                before,
                id,
                fingerprint,
                seenCommit,
                leaves);
    }

    JoinEntry to(JoinState next, Instant now) {
        return with(next, now, memberId, manifest, commit, leaving);
    }

    JoinEntry adding(List<Member> listed, Instant now) {
        return new JoinEntry(
                JoinState.ADDING,
                runId,
                clusterId,
                name,
                peerUrl,
                now,
                listed,
                Optional.empty(),
                Optional.empty(),
                0,
                leaving);
    }

    /** The add was not applied after all. */
    JoinEntry notAdded(Instant now) {
        return with(JoinState.PREPARED, now, Optional.empty(), Optional.empty(), 0, false);
    }

    JoinEntry added(MemberId id, Instant now) {
        return member(id, JoinState.ADDED, commit, now);
    }

    JoinEntry member(MemberId id, JoinState next, long seenCommit, Instant now) {
        return with(next, now, Optional.of(id), manifest, seenCommit, leaving);
    }

    JoinEntry manifest(String fingerprint, Instant now) {
        return with(JoinState.MANIFEST, now, memberId, Optional.of(fingerprint), commit, leaving);
    }

    JoinEntry leaving(boolean leaves, Instant now) {
        return with(state, now, memberId, manifest, commit, leaves);
    }

    /** Whether the only voter there was cannot agree on anything without ours, if that votes. */
    public boolean addsSecondVoter() {
        return before.stream().filter(Member::voter).count() == 1;
    }

    boolean wasListedBefore(Member member) {
        return before.stream().anyMatch(other -> other.id().equals(member.id()));
    }
}
