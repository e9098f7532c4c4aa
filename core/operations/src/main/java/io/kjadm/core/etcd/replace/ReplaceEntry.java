package io.kjadm.core.etcd.replace;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

import io.kjadm.core.journal.ReplaceStage;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.NewMember;

import java.net.URI;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the journal says of a replacement.
 *
 * @param clusterId the cluster (hexadecimal)
 * @param comes     the member that comes
 * @param began     when nothing was changed yet
 * @param old       the member that leaves, as it was listed
 * @param before    the members that were listed when it began
 */
record ReplaceEntry(
        ReplaceStage stage,
        ReplaceOrder order,
        String clusterId,
        @JsonUnwrapped Coming comes,
        Instant began,
        Member old,
        Set<MemberId> before) {

    ReplaceEntry {
        before = Set.copyOf(before);
    }

    /**
     * A new member.
     *
     * @param peerUrl all of its peer URLs between commas
     */
    record Coming(String name, String peerUrl) {}

    /** The member that comes. */
    NewMember wanted() {
        return NewMember.elsewhere(
                comes.name, Stream.of(comes.peerUrl.split(",")).map(URI::create).toList());
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
                new Coming(wanted.name(), wanted.peerUrlText()),
                now,
                old,
                before);
    }

    /** The same, further on. */
    ReplaceEntry at(ReplaceStage next) {
        return new ReplaceEntry(next, order, clusterId, comes, began, old, before);
    }

    /** Whether a listed member is the new one, added since the replacement began. */
    boolean isNew(Member member) {
        return wanted().hasUrlOf(member) && !before.contains(member.id());
    }

    /** The command that goes on with it. */
    String command() {
        return "kjadm etcd member replace %s %s --name %s"
                .formatted(old.id(), comes.peerUrl, comes.name);
    }
}
