package io.kjadm.etcd.join;

import java.time.Instant;
import java.util.Optional;

/**
 * Everything that a decision is made of.
 *
 * @param journal what an earlier step or run noted
 * @param hindrance what would keep a member from starting here, asked before the add
 * @param unready why this node's etcd does not call itself ready; empty if it does, or need not yet
 * @param memory what this run has seen and sent so far, this look included
 * @param withdrawing whether the join has failed and is being taken back
 */
public record JoinFacts(
        Instant now,
        Optional<JoinEntry> journal,
        ClusterView view,
        LocalTrace trace,
        LifeSigns life,
        Optional<Ailment> hindrance,
        String unready,
        JoinMemory memory,
        boolean withdrawing) {
}
