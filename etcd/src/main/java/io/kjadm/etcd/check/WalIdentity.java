package io.kjadm.etcd.check;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;

import java.util.Optional;

/**
 * Whose data a data directory holds, by its write-ahead log.
 *
 * @param clusterId hexadecimal, as a status tells it
 * @param clusterVersion the highest version of the cluster that the log has seen
 */
public record WalIdentity(
        String clusterId, MemberId memberId, Optional<EtcdVersion> clusterVersion) {

    /** Its IDs alone. */
    public MemberIds ids() {
        return new MemberIds(clusterId, memberId);
    }
}
