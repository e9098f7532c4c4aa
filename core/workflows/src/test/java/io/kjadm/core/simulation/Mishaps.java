package io.kjadm.core.simulation;

import io.kjadm.core.simulation.Mishap.Kind;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.model.Machine;
import io.kjadm.etcd.model.ModelServer;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/** What goes wrong in a {@link Simulation}, and what somebody does with etcdctl. */
final class Mishaps {

    private final Simulation stage;
    private final Machine operator = new Machine(-1, "operator", "operator", 0);
    private int slow;
    private int foreigners;

    Mishaps(Simulation stage) {
        this.stage = stage;
    }

    /** Whether answers take long now. */
    boolean slow() {
        return slow > 0;
    }

    /** It happens now. */
    void befall(Mishap mishap) {
        Host host = stage.hosts.get(mishap.machine());
        switch (mishap.kind()) {
            case STOP -> {
                host.stopped = true;
                host.down(stage.world.now());
                troubled(host, mishap, () -> host.stopped = false);
            }
            case ISOLATE -> {
                host.reachable = false;
                troubled(host, mishap, () -> stage.model.reconnect(host));
            }
            case LAG -> {
                host.lagging = true;
                stage.world.in(mishap.millis(), () -> host.lagging = false);
            }
            case NO_KUBELET -> {
                host.kubeletWorks(false);
                troubled(
                        host,
                        mishap,
                        () -> host.kubeletWorks(
                                stage.schedule.oddities().brokenJoiner() != host.number));
            }
            case LOSE_DISK -> {
                host.loseDisk(stage.world.now());
                boolean idle = stage.joins.get(host) == null || stage.joins.get(host).done;
                if (idle && !stage.resets.containsKey(host)) {
                    stage.join(host, 5_000);
                }
            }
            case SLOW -> {
                slow++;
                stage.world.in(mishap.millis(), () -> slow--);
            }
            case FOREIGN_ADD ->
                foreign(() -> stage.model.changes.propose(stage.model.changes.add(
                        operator,
                        URI.create("https://foreign-%d:2380".formatted(foreigners++)),
                        true)));
            case FOREIGN_REMOVE_VOTER -> removeVoter(host);
            case ELECTION -> stage.model.election();
            case CRASH,
                    RESET_INSTEAD,
                    INTERRUPT,
                    FOREIGN_PROMOTE,
                    FOREIGN_REMOVE,
                    REPLY_LOST,
                    REQUEST_LOST,
                    APPLIED_LATE,
                    APPLIED_BY_NEXT_LEADER -> throw new IllegalStateException(mishap.toString());
        }
    }

    private void troubled(Host host, Mishap mishap, Runnable end) {
        host.trouble(stage.world.now());
        stage.world.in(mishap.millis(), () -> {
            end.run();
            host.recovers(stage.world.now());
        });
    }

    private static void foreign(Runnable change) {
        EtcdCallException.of(change);
    }

    /** An operator who can count removes a voter, though none where another has lost its data. */
    private void removeVoter(Host host) {
        if (stage.schedule.has(Kind.LOSE_DISK)) {
            return;
        }
        List<ModelServer> voters =
                stage.model.servers.stream().filter(it -> !it.learner).toList();
        Optional<ModelServer> voter = voters.stream()
                .filter(it -> it.machine.filter(host::equals).isPresent())
                .findFirst();
        long left = voters.stream()
                .filter(it -> voter.filter(it::equals).isEmpty() && it.answers())
                .count();
        if (voter.isEmpty() || voters.size() < 2 || left < new Quorum(voters.size() - 1).size()) {
            return;
        }
        foreign(() -> {
            stage.model.changes.propose(stage.model.changes.remove(operator, voter.get().id));
            stage.oracle.removedByOthers.add(host);
        });
    }

    /** What somebody does with etcdctl to the learner of a machine, right at a place. */
    void intervene(Mishap mishap) {
        Host host = stage.hosts.get(mishap.machine());
        stage.model.servers.stream()
                .filter(server ->
                        server.learner && server.machine.filter(host::equals).isPresent())
                .findFirst()
                .ifPresent(learner -> {
                    if (mishap.kind() == Kind.FOREIGN_PROMOTE) {
                        promote(learner);
                        return;
                    }
                    foreign(() -> {
                        stage.model.changes.propose(
                                stage.model.changes.remove(operator, learner.id));
                        stage.oracle.removedByOthers.add(host);
                    });
                });
    }

    /** Somebody does it with etcdctl. */
    void promote(ModelServer learner) {
        foreign(() -> {
            stage.model.changes.propose(stage.model.changes.promote(operator, learner.id));
            stage.oracle.promotedByOthers(learner);
        });
    }
}
