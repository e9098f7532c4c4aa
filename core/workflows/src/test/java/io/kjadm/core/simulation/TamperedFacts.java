package io.kjadm.core.simulation;

import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Memory;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.Membership;
import io.kjadm.etcd.auto.Seat;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Decisions that are made by other facts than a machine has seen. */
final class TamperedFacts {

    /** An empty log that seems to be a new one. */
    static final AutoFacts.Youth NEW = new AutoFacts.Youth(Duration.ZERO, Duration.ofHours(1), 0);

    private TamperedFacts() {}

    static AutoTampering facts(UnaryOperator<AutoFacts> change) {
        return new AutoTampering() {
            @Override
            AutoFacts facts(AutoFacts real) {
                return change.apply(real);
            }
        };
    }

    static AutoTampering members(UnaryOperator<Membership> change) {
        return facts(facts -> with(
                facts,
                new Charter(
                        facts.charter().seed(),
                        facts.charter().tail(),
                        facts.charter().phase(),
                        facts.charter().began(),
                        change.apply(facts.charter().members()),
                        facts.charter().pause(),
                        facts.charter().ending())));
    }

    static Charter pause(Charter charter, Optional<Charter.Open<EntryBody.Pause>> pause) {
        return new Charter(
                charter.seed(),
                charter.tail(),
                charter.phase(),
                charter.began(),
                charter.members(),
                pause,
                charter.ending());
    }

    static Charter phase(Charter charter, Charter.Phase phase) {
        return new Charter(
                charter.seed(),
                charter.tail(),
                phase,
                charter.began(),
                charter.members(),
                charter.pause(),
                charter.ending());
    }

    static Charter began(Charter charter, EntryBody.Form form) {
        return new Charter(
                charter.seed(),
                charter.tail(),
                charter.phase(),
                Optional.of(form),
                charter.members(),
                charter.pause(),
                charter.ending());
    }

    /** The seat of a machine at another address. */
    static Seat at(Seat seat, URI peerUrl) {
        return new Seat(
                seat.id(), seat.name(), seat.machine(), List.of(peerUrl), seat.clientUrls());
    }

    static AutoFacts store(AutoFacts facts, StoreView store) {
        return new AutoFacts(
                facts.self(),
                store,
                facts.charter(),
                facts.machines(),
                facts.local(),
                facts.etcd(),
                facts.memory());
    }

    static AutoFacts with(AutoFacts facts, Charter charter) {
        return new AutoFacts(
                facts.self(),
                facts.store(),
                charter,
                facts.machines(),
                facts.local(),
                facts.etcd(),
                facts.memory());
    }

    static AutoFacts with(AutoFacts facts, Memory memory) {
        return new AutoFacts(
                facts.self(),
                facts.store(),
                facts.charter(),
                facts.machines(),
                facts.local(),
                facts.etcd(),
                memory);
    }

    static AutoFacts machines(AutoFacts facts, UnaryOperator<AutoFacts.Seen> change) {
        return new AutoFacts(
                facts.self(),
                facts.store(),
                facts.charter(),
                facts.machines().entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, seen -> change.apply(seen.getValue()))),
                facts.local(),
                facts.etcd(),
                facts.memory());
    }

    static AutoFacts local(AutoFacts facts, AutoFacts.Stops stops) {
        AutoFacts.Local local = facts.local();
        return new AutoFacts(
                facts.self(),
                facts.store(),
                facts.charter(),
                facts.machines(),
                new AutoFacts.Local(
                        local.data(),
                        local.unit(),
                        local.by(),
                        local.readiness(),
                        local.provided(),
                        local.fenced(),
                        stops),
                facts.etcd(),
                facts.memory());
    }
}
