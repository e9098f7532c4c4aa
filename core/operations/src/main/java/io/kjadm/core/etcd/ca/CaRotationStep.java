package io.kjadm.core.etcd.ca;

import io.kjadm.core.journal.CaRotationStage;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a node does next while etcd's CA is rotated. No member may show a certificate that another
 * one does not trust, so a stage begins when every member has ended the one before. Decided from
 * facts alone.
 */
public sealed interface CaRotationStep {

    /** No rotation is under way. */
    record Begin() implements CaRotationStep {}

    /** Start what reads the CAs with both. */
    record TrustBoth(CaRotationRecord rotation) implements CaRotationStep {}

    /**
     * Have all certificates signed by the new CA.
     *
     * @param begun whether another node has begun with that
     */
    record Issue(CaRotationRecord rotation, boolean begun) implements CaRotationStep {}

    /**
     * Start what reads the CAs without the former one.
     *
     * @param begun whether another node has done that
     */
    record TrustNewOnly(CaRotationRecord rotation, boolean begun) implements CaRotationStep {}

    /**
     * This node has done what it can.
     *
     * @param stage  that they have to end first
     * @param behind the members whose nodes have not
     */
    record AwaitOthers(CaRotationStage stage, List<Member> behind) implements CaRotationStep {}

    /** All nodes are through. */
    record Finish(CaRotationRecord rotation) implements CaRotationStep {}

    /**
     * @param rotation that is under way, if one is
     * @param own      this node's member
     * @param members  all that are listed now, learners too: one that joins meanwhile has to follow
     * @param stages   what the members' nodes have said
     */
    static CaRotationStep next(
            Optional<CaRotationRecord> rotation,
            MemberId own,
            List<Member> members,
            Map<MemberId, CaRotationStage> stages) {
        if (rotation.isEmpty()) {
            return new Begin();
        }
        CaRotationStage mine = stages.getOrDefault(own, CaRotationStage.BEFORE);
        List<Member> behind = members.stream()
                .filter(member -> !member.id().equals(own))
                .filter(member ->
                        stages.getOrDefault(member.id(), CaRotationStage.BEFORE).compareTo(mine)
                                < 0)
                .toList();
        if (mine != CaRotationStage.BEFORE && !behind.isEmpty()) {
            return new AwaitOthers(mine, behind);
        }
        boolean ahead = members.stream()
                .map(member -> stages.getOrDefault(member.id(), CaRotationStage.BEFORE))
                .anyMatch(stage -> stage.compareTo(mine) > 0);
        return switch (mine) {
            case BEFORE -> new TrustBoth(rotation.get());
            case TRUSTS_BOTH -> new Issue(rotation.get(), ahead);
            case ISSUED -> new TrustNewOnly(rotation.get(), ahead);
            case ENDED -> new Finish(rotation.get());
        };
    }
}
