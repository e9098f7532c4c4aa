package io.kjadm.core.etcd.replace;

import io.kjadm.core.journal.ReplaceStage;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.NewMember;

import java.time.Instant;
import java.util.Set;

/**
 * What the journal says of a replacement.
 *
 * @param clusterId the cluster (hexadecimal)
 * @param old       the member that leaves, as it was listed
 * @param wanted    the member that comes
 * @param before    the members that were listed before anything was changed
 * @param began     when that was
 */
record ReplaceEntry(
        ReplaceStage stage,
        ReplaceOrder order,
        String clusterId,
        Member old,
        NewMember wanted,
        Set<MemberId> before,
        Instant began) {

    ReplaceEntry {
        before = Set.copyOf(before);
    }

    /** At the first thing that its order does. */
    static ReplaceEntry begun(
            ReplaceOrder order,
            String clusterId,
            Member old,
            NewMember wanted,
            Set<MemberId> before,
            Instant now) {
        return new ReplaceEntry(
                order == ReplaceOrder.ADD_FIRST ? ReplaceStage.ARRIVAL : ReplaceStage.DEPARTURE,
                order,
                clusterId,
                old,
                wanted,
                before,
                now);
    }

    /** The same, further on. */
    ReplaceEntry at(ReplaceStage next) {
        return new ReplaceEntry(next, order, clusterId, old, wanted, before, began);
    }

    /** Whether a listed member is the new one, added since the replacement began. */
    boolean isNew(Member member) {
        return wanted.hasUrlOf(member) && !before.contains(member.id());
    }

    /** The command that goes on with it. */
    String command() {
        return "kjadm etcd member replace %s %s --name %s"
                .formatted(old.id(), wanted.peerUrlText(), wanted.name());
    }
}
