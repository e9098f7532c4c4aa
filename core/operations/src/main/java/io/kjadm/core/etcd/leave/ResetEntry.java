package io.kjadm.core.etcd.leave;

import io.kjadm.core.journal.ResetState;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.check.WalIdentity;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * What the journal says of this node's reset.
 *
 * @param memberId  the member that leaves, if it is known
 * @param clusterId its cluster (hexadecimal), if etcd told it
 * @param criSocket of the node's container runtime, whose own record goes with the kubelet's files
 * @param at        when it was written
 * @param snapshot  where the snapshot of a cluster that ends is kept
 * @param data      where the member's data is moved to
 */
public record ResetEntry(
        ResetState state,
        Optional<MemberId> memberId,
        Optional<String> clusterId,
        String criSocket,
        Instant at,
        Optional<Path> snapshot,
        Optional<Path> data) {

    static ResetEntry retiring(String criSocket, Instant now) {
        return new ResetEntry(
                ResetState.RETIRING,
                Optional.empty(),
                Optional.empty(),
                criSocket,
                now,
                Optional.empty(),
                Optional.empty());
    }

    /** Whether it is about the member whose data these are. */
    public boolean isAbout(WalIdentity data) {
        return memberId.filter(data.memberId()::equals).isPresent()
                && clusterId.filter(data.clusterId()::equals).isPresent();
    }

    ResetEntry to(ResetState next, Instant now) {
        return new ResetEntry(next, memberId, clusterId, criSocket, now, snapshot, data);
    }

    ResetEntry about(Optional<MemberId> member, Optional<String> cluster) {
        return new ResetEntry(state, member, cluster, criSocket, at, snapshot, data);
    }

    ResetEntry withSnapshot(Path file) {
        return new ResetEntry(state, memberId, clusterId, criSocket, at, Optional.of(file), data);
    }

    ResetEntry withData(Path place) {
        return new ResetEntry(
                state, memberId, clusterId, criSocket, at, snapshot, Optional.of(place));
    }
}
