package io.kjadm.core.simulation;

import io.kjadm.core.simulation.Mishap.Kind;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.model.ModelServer;
import io.kjadm.etcd.model.Violation;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * How a {@link Simulation} has to end: every join, reset and upgrade is done or as if it had never
 * begun, and the cluster serves.
 */
final class SimulationEnd {

    private final Simulation stage;

    SimulationEnd(Simulation stage) {
        this.stage = stage;
    }

    /** Everything has come to its end. */
    void check() {
        stage.joins.forEach((host, joining) -> check(host, joining));
        stage.resets.forEach((host, leaving) -> {
            if (!leaving.done) {
                throw new Violation("the reset of machine %d never ends: %s"
                        .formatted(host.number, leaving.last));
            }
            leaving.requireGone();
        });
        for (int i = 0; i < 20 && !stage.model.serving(); i++) {
            stage.world.pass(1_000);
        }
        if (!stage.upgrades.isEmpty()) {
            stage.world.pass(60_000);
        }
        stage.upgrades.forEach(
                upgrade -> upgrade.checkTheEnd(expectedToUpgrade(upgrade.machine())));
        if (!stage.model.serving() && !maySilence()) {
            throw new Violation("the cluster has no leader in the end");
        }
    }

    /** Whether an operator has asked for an end, or has given up a voter that nobody heard of. */
    private boolean maySilence() {
        return stage.oracle.hasEnded() || !stage.oracle.givenUp.isEmpty();
    }

    private void check(Host host, Joining joining) {
        if (!joining.done) {
            throw new Violation("the join of machine %d never ends: %s, journal %s"
                    .formatted(host.number, joining.last, joining.noted().map(JoinEntry::state)));
        }
        if (joining.wasReset || maySilence()) {
            return;
        }
        Optional<ModelServer> listed = stage.model.servers.stream()
                .filter(server -> server.peerUrl.equals(host.peerUrl))
                .findFirst();
        if (joining.joined) {
            boolean votes = listed.filter(server -> !server.learner && !server.name.isEmpty())
                    .isPresent();
            if (!votes && !stage.oracle.removedByOthers.contains(host)) {
                throw new Violation("machine %d has joined and is no voter: %s"
                        .formatted(
                                host.number,
                                listed.map(server -> server.member().describe())
                                        .orElse("not listed")));
            }
            return;
        }
        if (expectedToJoin(host)) {
            throw new Violation("machine %d could not join though nothing stood in its way: %s"
                    .formatted(host.number, joining.last));
        }
        boolean lostItsDisk = host.number < stage.schedule.voters() || host.data.isEmpty();
        boolean mayStay = listed.filter(server -> !server.learner
                        && (lostItsDisk || stage.oracle.wasPromotedByOthers(server)))
                .isPresent();
        if (listed.isPresent() && !mayStay) {
            throw new Violation("the failed join of machine %d left %s: %s"
                    .formatted(host.number, listed.get().member().describe(), joining.last));
        }
        if (joining.noted().filter(entry -> entry.state().mayBeListed()).isPresent()
                && !stage.schedule.loses(host.number)
                && !stage.schedule.foreign()) {
            throw new Violation("the failed join of machine %d left a journal: %s"
                    .formatted(host.number, joining.noted().get().state()));
        }
    }

    /** Etcd allows the step, and nobody else's new etcd is one that does not run at first. */
    private boolean expectedToUpgrade(int machine) {
        return stage.schedule.stepIsAllowed()
                && stage.schedule.upgraders().stream()
                        .allMatch(one -> one.ends().isEmpty() || one.machine() == machine)
                && stage.resets.values().stream().noneMatch(leaving -> leaving.kept);
    }

    /** Where all disks were spared and everybody else is well, there is no excuse. */
    private boolean expectedToJoin(Host host) {
        Schedule.Oddities odd = stage.schedule.oddities();
        boolean hindered =
                Stream.of(odd.brokenJoiner(), odd.twin()).anyMatch(it -> it == host.number)
                        || odd.ghost();
        return !hindered
                && !stage.schedule.has(Kind.LOSE_DISK)
                && !stage.schedule.foreign()
                && stage.resets.values().stream().noneMatch(leaving -> leaving.kept);
    }
}
