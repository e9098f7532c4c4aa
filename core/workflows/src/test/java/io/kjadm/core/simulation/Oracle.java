package io.kjadm.core.simulation;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.join.RejoinOptions;
import io.kjadm.etcd.model.EtcdModel;
import io.kjadm.etcd.model.ModelChanges;
import io.kjadm.etcd.model.ModelServer;
import io.kjadm.etcd.model.Violation;
import io.kjadm.etcd.model.VirtualWorld;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What has been promised, checked whenever something happens, and every second. */
class Oracle implements Host.Watch {

    /**
     * What may be written between a look and the promotion it leads to, beyond the 1000 entries
     * that a learner may be behind.
     */
    private static final long BEHIND = 3_000;
    /** An election, and the candidate that comes too late for the first. */
    private static final int SECONDS_WITHOUT_LEADER = 15;
    /** A request is under way for that long: what somebody does meanwhile nobody can know. */
    private static final long UNDER_WAY = 900;

    private static final Duration ABANDONED = Duration.ofMinutes(10);

    /** What a program was asked for. */
    sealed interface Role {}

    record Joins(RejoinOptions options) implements Role {}

    record Resets(boolean force, boolean forceLastMember) implements Role {}

    record Upgrades() implements Role {}

    private final VirtualWorld world;
    private final boolean slow;
    private EtcdModel model;
    private int secondsWithout;
    private long lastUnserved;
    private final Set<MemberId> promotedByOthers = new HashSet<>();
    final Set<Host> givenUp = new HashSet<>();
    final Set<Host> removedByOthers = new HashSet<>();
    private boolean ended;

    /** @param slow whether answers may take long */
    Oracle(VirtualWorld world, boolean slow) {
        this.world = world;
        this.slow = slow;
    }

    void watches(EtcdModel watched) {
        this.model = watched;
    }

    private List<ModelServer> voters() {
        return model.servers.stream().filter(server -> !server.learner).toList();
    }

    private static Optional<Host> host(ModelServer server) {
        return server.machine.map(Host.class::cast);
    }

    final Optional<ModelServer> listed(MemberId id) {
        return model.servers.stream().filter(server -> server.id.equals(id)).findFirst();
    }

    // ---- every second

    /**
     * Where enough voters are left alone by all mishaps, there is a leader: what programs do must
     * not cost the cluster its writes.
     */
    void second() {
        model.check();
        boolean serves = model.serving();
        lastUnserved = serves ? lastUnserved : world.now();
        int voters = 0;
        int unharmed = 0;
        for (ModelServer server : model.servers) {
            voters += server.learner ? 0 : 1;
            unharmed += !server.learner && unharmed(server) ? 1 : 0;
        }
        boolean owed = !ended && unharmed >= new Quorum(voters).size();
        secondsWithout = owed && !serves ? secondsWithout + 1 : 0;
        if (secondsWithout > SECONDS_WITHOUT_LEADER) {
            throw new Violation(
                    "no writes for %d s, though %d of %d voters were left alone by all mishaps"
                            .formatted(secondsWithout, unharmed, voters));
        }
    }

    private boolean unharmed(ModelServer server) {
        Optional<Host> host = host(server);
        return host.isPresent()
                && host.get().untroubled(world.now())
                && host.get().lostAt < server.addedAt
                && !givenUp.contains(host.get())
                && !(host.get().upgrading && !host.get().up)
                && !(promotedByOthers.contains(server.id) && !server.answers());
    }

    /** Whether there was a leader, and a machine could be reached, for so long. */
    boolean quietFor(Host host, long millis) {
        return model.serving()
                && world.now() - lastUnserved > millis
                && host.untroubled(world.now())
                && host.reachable
                && !model.changes.pending();
    }

    boolean hasEnded() {
        return ended;
    }

    // ---- on the machines

    @Override
    public void stopped(Host host) {
        Optional<ModelServer> own = model.serverOf(host).filter(server -> !server.learner);
        if (own.isEmpty() || host.up) {
            return;
        }
        requireDispensable(host, own.get());
    }

    private void requireDispensable(Host host, ModelServer own) {
        List<ModelServer> all = voters();
        if (host.upgrading && all.size() <= 2) {
            return;
        }
        boolean last = all.size() == 1;
        Resets asked = host.resets.orElse(new Resets(false, false));
        if (last && asked.forceLastMember()) {
            ended = true;
            return;
        }
        long left = all.stream()
                .filter(server -> server != own)
                .filter(server -> server.answers()
                        || host(server)
                                .filter(it -> it.fellJustNow(world.now()))
                                .isPresent())
                .count();
        if (left >= new Quorum(all.size()).size()) {
            return;
        }
        boolean stranded = world.now() - lastUnserved < 25_000 || !model.serving();
        if (stranded && asked.force() && asked.forceLastMember()) {
            givenUp.add(host);
            return;
        }
        throw new Violation("a listed voter is stopped that the others need: "
                + own.member().describe());
    }

    @Override
    public void doesNotFit(Host host) {
        if (host.upgrading && !host.warned.getAsBoolean()) {
            throw new Violation("machine %d was given an etcd that does not start: %s"
                    .formatted(host.number, host.image.orElseThrow()));
        }
    }

    @Override
    public void dataGoes(Host host, Optional<Path> to) {
        if (host.up) {
            throw new Violation("the data of a running etcd goes on machine " + host.number);
        }
        Optional<ModelServer> voter = model.serverOf(host).filter(server -> !server.learner);
        if (voter.isEmpty() || ended) {
            return;
        }
        boolean kept = to.filter(path -> path.toString().contains("kept-")).isPresent();
        if (!kept) {
            throw new Violation("the data of a listed voter is taken away: "
                    + voter.get().member().describe());
        }
        // it is down, and whoever forces that has been told so
        givenUp.add(host);
    }

    // ---- what is asked of etcd

    void mayAdd(Host host) {
        if (model.changes.mayStillCome(host, ModelChanges.Asked.ADD)) {
            throw new Violation("an add is sent while an earlier one may still come");
        }
    }

    void mayPromote(Host host, Joins role, MemberId learner) {
        listed(learner).filter(server -> server.learner).ifPresent(server -> {
            if (server.machine.filter(host::equals).isEmpty()) {
                throw new Violation("somebody else's learner is promoted: "
                        + server.member().describe());
            }
            if (model.lag(server) > BEHIND && !host.lagging) {
                throw new Violation("a quorum is made to depend on %s, which is %d entries behind"
                        .formatted(server.member().describe(), model.lag(server)));
            }
            down(learner, stood(host))
                    .filter(voter -> !role.options().allowDegraded())
                    .ifPresent(voter -> {
                        throw new Violation("a learner is promoted while a voter is down: "
                                + voter.member().describe());
                    });
        });
    }

    /** For how many milliseconds a call of a machine stood still after it had looked. */
    long stood(Host host) {
        return 0;
    }

    /** Another voter that is down for longer than a look may be old, whose caller stood still so long. */
    final Optional<ModelServer> down(MemberId but, long stood) {
        long old = 5_000 + slowness() + stood;
        return voters().stream()
                .filter(server -> !server.id.equals(but))
                .filter(server -> server.machine
                        .filter(it -> !it.up && world.now() - it.downSince > old)
                        .isPresent())
                .findFirst();
    }

    private long slowness() {
        return slow ? 25_000 : 0;
    }

    void maySendRemoval(Host host, Role role) {
        if (role instanceof Joins && model.changes.mayStillCome(host, ModelChanges.Asked.PROMOTE)) {
            throw new Violation("a removal is sent while a promotion may still come");
        }
    }

    /** @param sentAt when the request was sent that is carried out now */
    void mayRemove(Host host, Role role, MemberId member, long sentAt) {
        listed(member).ifPresent(server -> {
            switch (role) {
                case Joins(RejoinOptions options) -> joinMayRemove(host, options, server, sentAt);
                case Resets _ -> resetMayRemove(host, server);
                case Upgrades _ -> throw new Violation("an upgrade removes a member");
            }
        });
    }

    private void resetMayRemove(Host host, ModelServer server) {
        boolean own = server.machine.isEmpty()
                ? server.peerUrl.equals(host.peerUrl)
                : server.machine.get() == host;
        if (!own) {
            throw new Violation("a reset removes another machine's member: "
                    + server.member().describe());
        }
    }

    private void joinMayRemove(Host host, RejoinOptions options, ModelServer server, long sentAt) {
        boolean own = server.peerUrl.equals(host.peerUrl);
        boolean abandoned = server.learner && world.now() - server.addedAt >= ABANDONED.toMillis();
        if (!own && !abandoned && !(options.takeover() && server.learner)) {
            throw new Violation(
                    "somebody else's member is removed: " + server.member().describe());
        }
        boolean votesSinceJustNow = promotedByOthers.contains(server.id)
                && server.votesSince > sentAt - UNDER_WAY - slowness();
        if (!server.learner && !options.replaceLostVoter() && !votesSinceJustNow) {
            throw new Violation(
                    "a voter is removed without a request: " + server.member().describe());
        }
    }

    // ---- what others do

    void promotedByOthers(ModelServer server) {
        promotedByOthers.add(server.id);
    }

    boolean wasPromotedByOthers(ModelServer server) {
        return promotedByOthers.contains(server.id);
    }
}
