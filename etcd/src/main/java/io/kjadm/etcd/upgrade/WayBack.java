package io.kjadm.etcd.upgrade;

import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Problem;

import java.util.Collection;
import java.util.Optional;

/**
 * Whether a member that got a new version may get its old one back, by its manifest or its program alone. Data is
 * never put back for that: a member that forgets what it acknowledged loses writes.
 */
public sealed interface WayBack {

    /** The old version starts with the data as it is. */
    record Open() implements WayBack {}

    /**
     * It probably does: nobody tells the cluster version. The old version refuses to start if not,
     * and leaves the data alone.
     */
    record Uncertain(Problem problem) implements WayBack {}

    /** The old version does not start any more. */
    record ForwardOnly(Problem problem) implements WayBack {}

    /**
     * Decides it from what is known after the new version was tried.
     *
     * @param old what the member ran before
     * @param tried what it was to run
     * @param clusterVersion as a member, or the log on this node's disk, tells it now
     * @param others the versions that the other members tell now
     */
    static WayBack of(
            EtcdVersion old,
            EtcdVersion tried,
            Optional<EtcdVersion> clusterVersion,
            Collection<EtcdVersion> others) {
        if (VersionSteps.minors(old, tried) <= 0) {
            return new Open();
        }
        if (clusterVersion.isPresent()) {
            return VersionSteps.minors(old, clusterVersion.get()) <= 0
                    ? new Open()
                    : new ForwardOnly(risen(old, tried, clusterVersion.get()));
        }
        // it rises only when the last member has the new minor
        if (others.stream().anyMatch(other -> VersionSteps.minors(old, other) <= 0)) {
            return new Open();
        }
        return new Uncertain(new Problem(
                "it is not known whether etcd %s still starts".formatted(old),
                "no member reports the cluster version",
                "if it does not start, continue with " + tried));
    }

    private static Problem risen(EtcdVersion old, EtcdVersion tried, EtcdVersion cluster) {
        return new Problem(
                CommonReason.FORWARD_ONLY,
                "this node cannot be rolled back to etcd %s".formatted(old),
                "the cluster is of version %s since its last member was upgraded, and an older etcd does not start in it"
                        .formatted(VersionSteps.minor(cluster)),
                "complete the upgrade: find out why etcd %s does not run ('crictl logs', or 'journalctl -u etcd'), repair it and run the same command again; if its data is lost, remove the member on another node (kjadm etcd member remove) and join again"
                        .formatted(tried));
    }
}
