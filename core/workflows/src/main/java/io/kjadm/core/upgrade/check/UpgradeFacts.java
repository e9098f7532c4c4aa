package io.kjadm.core.upgrade.check;

import io.kjadm.core.upgrade.VersionPolicy;

import java.time.Instant;
import java.util.Optional;

/**
 * All that is known before an upgrade.
 *
 * @param cluster empty where this node may not ask, as a worker
 * @param etcd    empty if it is left as it is
 * @param at      when it was asked
 */
public record UpgradeFacts(
        VersionPolicy.Facts versions,
        Optional<ClusterState> cluster,
        NodeState node,
        Optional<EtcdState> etcd,
        Instant at) {}
