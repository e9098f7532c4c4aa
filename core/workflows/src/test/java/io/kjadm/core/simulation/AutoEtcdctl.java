package io.kjadm.core.simulation;

import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.model.EtcdModel;
import io.kjadm.etcd.model.Machine;
import io.kjadm.etcd.model.ModelChanges;
import io.kjadm.etcd.model.ModelServer;

import java.net.URI;
import java.util.Optional;
import java.util.function.BiFunction;

/** What a person does with another tool to the members of an {@link AutoSimulation}. */
final class AutoEtcdctl {

    /** Of a learner that is never started. */
    private static final URI NOBODY = URI.create("https://192.0.2.200:2380");

    /** Where no member is. */
    private static final URI ELSEWHERE = URI.create("https://192.0.2.201:2380");

    private final AutoSimulation stage;

    AutoEtcdctl(AutoSimulation stage) {
        this.stage = stage;
    }

    /** Removes a voter while all voters answer, and three or more are there. */
    void remove(AutoMachine machine) {
        machine.id()
                .flatMap(stage.now::seat)
                .map(Seat::id)
                .ifPresent(id -> open().filter(AutoEtcdctl::healthy)
                        .ifPresent(
                                model -> ask(model, id, (changes, by) -> changes.remove(by, id))));
    }

    /** Has the others look for a voter where it is not, for that time. */
    void update(AutoMachine machine, long millis) {
        Optional<EtcdModel> open = open().filter(AutoEtcdctl::healthy);
        Optional<MemberId> voter = machine.id().flatMap(stage.now::seat).map(Seat::id);
        if (open.isEmpty() || voter.isEmpty() || find(open.get(), ELSEWHERE).isPresent()) {
            return;
        }
        URI there = machine.host.peerUrl;
        ask(open.get(), voter.get(), (changes, by) -> changes.update(by, voter.get(), ELSEWHERE));
        if (find(open.get(), ELSEWHERE).isPresent()) {
            stage.world.in(millis, () -> updateAgain(open.get(), there));
        }
    }

    /** Until the others look for it where it is, or it was removed. */
    private void updateAgain(EtcdModel model, URI there) {
        find(model, ELSEWHERE).ifPresent(voter -> {
            ask(model, voter, (changes, by) -> changes.update(by, voter, there));
            stage.world.in(10_000, () -> updateAgain(model, there));
        });
    }

    private static boolean healthy(EtcdModel model) {
        return model.servers.size() >= 3
                && model.serving()
                && model.servers.stream().allMatch(ModelServer::answers);
    }

    /** Adds a learner that is never started, and removes it after that time. */
    void add(long millis) {
        open().ifPresent(model -> {
            ask(model, MemberId.NONE, (changes, by) -> changes.add(by, NOBODY, true));
            stage.world.in(millis, () -> removeAgain(model));
        });
    }

    /** Until it has gone. */
    private void removeAgain(EtcdModel model) {
        find(model, NOBODY).ifPresent(learner -> {
            ask(model, learner, (changes, by) -> changes.remove(by, learner));
            stage.world.in(10_000, () -> removeAgain(model));
        });
    }

    private static Optional<MemberId> find(EtcdModel model, URI peerUrl) {
        return model.servers.stream()
                .filter(server -> server.peerUrl.equals(peerUrl))
                .map(server -> server.id)
                .findFirst();
    }

    /** Promotes the first learner that is one. */
    void promote() {
        open().ifPresent(model -> model.servers.stream()
                .filter(server -> server.learner)
                .map(server -> server.id)
                .findFirst()
                .ifPresent(learner ->
                        ask(model, learner, (changes, by) -> changes.promote(by, learner))));
    }

    /** The cluster that clients use, if there is one. */
    private Optional<EtcdModel> open() {
        return stage.generation(stage.now)
                .filter(_ -> stage.now.phase() == Phase.OPEN)
                .map(generation -> generation.model);
    }

    /** Asks a voter that is not the member in question. */
    private void ask(
            EtcdModel model,
            MemberId inQuestion,
            BiFunction<ModelChanges, Machine, Runnable> change) {
        model.servers.stream()
                .filter(server -> !server.learner && !server.id.equals(inQuestion))
                .flatMap(server -> server.machine.stream())
                .findFirst()
                .ifPresent(by -> {
                    try {
                        model.changes.propose(change.apply(model.changes, by));
                    } catch (EtcdCallException e) {
                        stage.tell(e.getMessage());
                    }
                });
    }
}
