package io.kjadm.etcd;

import java.util.Optional;

/**
 * What earlier runs left on this node; it decides what a member already listed with our peer URL means.
 *
 * @param added the member an earlier run of ours added, from its notes
 * @param dataPresent whether the etcd data directory holds a member's data
 */
public record LocalTrace(Optional<MemberId> added, boolean dataPresent) {

    public static final LocalTrace NONE = new LocalTrace(Optional.empty(), false);

    boolean addedBefore(Member member) {
        return added.filter(member.id()::equals).isPresent();
    }
}
