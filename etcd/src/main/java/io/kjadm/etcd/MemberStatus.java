package io.kjadm.etcd;

import java.util.List;

/**
 * One member's own view of itself and of the cluster; answered even without quorum, never
 * linearizable.
 *
 * @param leaderId {@link MemberId#NONE} while the member knows no leader
 * @param dbSizeBytes size of the database file
 * @param raftIndex the commit index, despite its name on the wire
 * @param downgrading whether the cluster is on its way to a lower version (etcd 3.6 and newer)
 * @param errors alarms and "no leader", as the member words them
 */
public record MemberStatus(
        MemberId memberId,
        String clusterId,
        MemberId leaderId,
        EtcdVersion version,
        long dbSizeBytes,
        long raftTerm,
        long raftIndex,
        long appliedIndex,
        boolean learner,
        boolean downgrading,
        List<String> errors) {

    public MemberStatus {
        errors = List.copyOf(errors);
    }

    public boolean leads() {
        return !leaderId.isNone() && leaderId.equals(memberId);
    }
}
