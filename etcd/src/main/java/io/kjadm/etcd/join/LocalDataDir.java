package io.kjadm.etcd.join;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.util.Optional;

/**
 * What is in this node's etcd data directory.
 *
 * @param dataPresent whether there is a member's data
 * @param dataOf the member that wrote it, if that can be read
 * @param clusterId the cluster it belongs to (hexadecimal), if that can be read
 */
public record LocalDataDir(
        boolean dataPresent, Optional<MemberId> dataOf, Optional<String> clusterId) {

    public static final LocalDataDir NONE =
            new LocalDataDir(false, Optional.empty(), Optional.empty());

    /** Data of which nobody could read whose it is. */
    public static final LocalDataDir SOME_DATA =
            new LocalDataDir(true, Optional.empty(), Optional.empty());

    /** Whether the data may be this member's; data that cannot be read is believed to be. */
    boolean mayBelongTo(Member member) {
        return dataPresent && dataOf.map(member.id()::equals).orElse(true);
    }
}
