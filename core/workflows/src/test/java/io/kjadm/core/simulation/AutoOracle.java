package io.kjadm.core.simulation;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.model.Violation;
import io.kjadm.etcd.model.VirtualWorld;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * What was promised of etcd: as of every join, and that the log names each member that is added or
 * promoted. A machine may take back its own learner at any time.
 */
final class AutoOracle extends Oracle {

    /** Between a look and its call, with answers that take long. */
    private static final long LOOKED = 26_000;

    private final String cluster;
    private final Truth truth;

    /** What the store really holds, and what machines have read. */
    interface Truth {

        /** The log as it is, and the longest that it ever was. */
        List<Charter> logs();

        /** What the daemon of a machine has read. */
        Charter read(Host host);

        /** Whether the open change of a log is that machine's. */
        boolean acts(Charter charter, Host host);

        /** Whether the open change that a machine has read is its own, where somebody tampers with the log. */
        boolean acts(Host host);

        /** For how long the call of a machine stood still after it had looked at the log. */
        long stood(Host host);

        /** Whether a change was ever to add a member with that URL. */
        boolean announced(URI peerUrl);

        /** Whether a change was ever to remove that member. */
        boolean announced(MemberId removed);
    }

    AutoOracle(VirtualWorld world, String cluster, Truth truth) {
        super(world, true);
        this.cluster = cluster;
        this.truth = truth;
    }

    @Override
    long stood(Host host) {
        return truth.stood(host);
    }

    @Override
    void mayAdd(Host host) {
        super.mayAdd(host);
        requireNamed(host, "an add");
        requireNoPause(host, "an add");
    }

    @Override
    void mayPromote(Host host, Joins role, MemberId learner) {
        super.mayPromote(host, role, learner);
        requireNamed(host, "a promotion");
        requireNoPause(host, "a promotion");
    }

    /** A voter leaves only if the log says so, and while all others are up. */
    @Override
    void mayRemove(Host host, Role role, MemberId member, long sentAt) {
        listed(member).ifPresent(server -> {
            // a call that was sent late may come after a withdrawal, or after the promotion of what
            // was a learner when its caller looked
            boolean wasLearner = server.votesSince > sentAt - LOOKED - truth.stood(host);
            boolean named = harmless()
                    || truth.announced(member)
                    || (server.learner || wasLearner) && truth.announced(server.peerUrl);
            if (!named) {
                throw new Violation("machine %d removes a member that the log does not name: %s"
                        .formatted(host.number, server.member().describe()));
            }
        });
    }

    @Override
    void maySendRemoval(Host host, Role role) {
        super.maySendRemoval(host, role);
        // by the log that the machine has read: somebody may have cut it since
        truth.read(host).change().stream()
                .flatMap(open -> open.body().removed().stream())
                .flatMap(removed -> down(removed, stood(host)).stream())
                .findFirst()
                .ifPresent(voter -> {
                    throw new Violation("a voter is removed while another one is down: "
                            + voter.member().describe());
                });
    }

    private void requireNamed(Host host, String what) {
        boolean named = harmless()
                || truth.acts(host)
                || truth.logs().stream().anyMatch(log -> truth.acts(log, host));
        if (!named) {
            throw new Violation(
                    "machine %d sends %s that the log does not name".formatted(host.number, what));
        }
    }

    /** Nobody uses an abandoned generation, nor one that ends: a call that was under way does no harm. */
    private boolean harmless() {
        return truth.logs().stream()
                .allMatch(log -> !log.runs() || !log.cluster().equals(Optional.of(cluster)));
    }

    private void requireNoPause(Host host, String what) {
        if (truth.read(host).pause().isPresent()) {
            throw new Violation(
                    "machine %d sends %s in a pause that it has read".formatted(host.number, what));
        }
    }
}
