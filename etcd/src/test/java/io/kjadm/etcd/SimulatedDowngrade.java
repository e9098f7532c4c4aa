package io.kjadm.etcd;

import java.util.List;
import java.util.Optional;

/** The version of the data, and the downgrade of a {@link SimulatedCluster}. */
final class SimulatedDowngrade {

    private final List<SimulatedServer> servers;
    private Optional<EtcdVersion> storage = Optional.empty();
    private boolean downgrading;
    private Optional<EtcdVersion> downgradeTarget = Optional.empty();

    SimulatedDowngrade(List<SimulatedServer> servers) {
        this.servers = servers;
    }

    /** What every member tells of its data's version. */
    void storage(Optional<EtcdVersion> version) {
        storage = version;
    }

    /** It is under way. */
    void begin() {
        downgrading = true;
    }

    /** A member runs another version: the last one that goes down ends it. */
    void changed() {
        if (downgradeTarget.isPresent()
                && servers.stream()
                        .allMatch(server ->
                                server.version.minor() <= downgradeTarget.get().minor())) {
            endDowngrade();
        }
    }

    /** A member that has gone down tells neither. */
    MemberStatus.Versions versions(SimulatedServer server) {
        boolean gone = downgradeTarget
                .filter(target -> server.version.minor() <= target.minor())
                .isPresent();
        return gone
                ? MemberStatus.Versions.of(server.version)
                : new MemberStatus.Versions(server.version, storage, downgrading, downgradeTarget);
    }

    EtcdVersion validate(EtcdVersion target) {
        EtcdVersion lowest = clusterVersion();
        if (lowest.minor() - target.minor() != 1) {
            throw SimulatedEtcd.refused(
                    RpcKind.READ, RpcCode.INVALID_ARGUMENT, EtcdErrors.NO_SUCH_DOWNGRADE);
        }
        if (downgrading) {
            throw SimulatedEtcd.refused(
                    RpcKind.READ, RpcCode.FAILED_PRECONDITION, EtcdErrors.DOWNGRADE_UNDER_WAY);
        }
        return lowest;
    }

    /** That of the data, if a member of 3.6 has said it; else the lowest minor of all. */
    private EtcdVersion clusterVersion() {
        EtcdVersion lowest = servers.stream()
                .map(server -> server.version)
                .min(EtcdVersion::compareTo)
                .orElseThrow();
        return storage.orElse(new EtcdVersion(lowest.major(), lowest.minor(), 0));
    }

    void enable(EtcdVersion target) {
        downgrading = true;
        storage = Optional.of(new EtcdVersion(target.major(), target.minor(), 0));
        downgradeTarget = storage;
    }

    void cancel() {
        if (downgrading) {
            endDowngrade();
        }
    }

    private void endDowngrade() {
        downgrading = false;
        downgradeTarget = Optional.empty();
        storage = Optional.empty();
        storage = Optional.of(clusterVersion()).filter(version -> version.atLeast(3, 6));
    }
}
