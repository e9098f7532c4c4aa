package io.kjadm.core.etcd.ca;

import io.kjadm.core.journal.CaRotationStage;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.pki.CertificateInfo;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What a node does next while etcd's CA is rotated. No member may show a certificate that another
 * one does not trust, so a stage begins when every member has ended the one before. Decided from
 * facts alone.
 */
public sealed interface CaRotationStep {

    /** No rotation is under way. */
    record Begin() implements CaRotationStep {}

    /**
     * The notes are of a rotation that is over: a restored snapshot was taken while it was under way.
     */
    record Over(CaRotationRecord rotation) implements CaRotationStep {}

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
     * Whether the notes of a rotation are of one that is over. Its first node trusts both CAs before
     * it says so, and no node trusts the new one alone before all have said that they trust both. So
     * where nobody has said anything, each node of one that is under way trusts the former CA.
     *
     * @param members all that are listed now; a restore has given them other IDs
     * @param begun   the members whose nodes have said how far they are
     * @param trusted the CAs in this node's file; not asked for once somebody has begun
     */
    static boolean isOver(
            CaRotationRecord rotation,
            List<Member> members,
            Set<MemberId> begun,
            Supplier<List<CertificateInfo>> trusted) {
        if (members.stream().anyMatch(member -> begun.contains(member.id()))) {
            return false;
        }
        List<CertificateInfo> here = trusted.get();
        return here.equals(List.of(rotation.next()))
                || !here.contains(rotation.former()) && !here.contains(rotation.next());
    }

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
