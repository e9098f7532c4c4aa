package io.kjadm.core.simulation;

import io.kjadm.core.auto.AutoStage;
import io.kjadm.core.auto.DiskAdoption;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.snapshot.sign.SigningKey;
import io.kjadm.core.snapshot.sign.SnapshotKeys;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.ClusterSpec;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.store.StoreException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What persons do: they hand a cluster over to the automatic mode, write to the log, and give up a
 * quorum.
 */
final class AutoOperator {

    /** ID of a cluster that ran before. */
    static final String ADOPTED = "ad0b7";

    private static final SigningKey OWN;
    private static final SigningKey OTHER;
    /** The key that what an operator alone may say is checked with. */
    static final String PUBLIC;

    static {
        SnapshotKeys keys = new SnapshotKeys(new MemoryFiles());
        PUBLIC = keys.create(Path.of("/k/own"), Path.of("/k/own.pub")).text();
        keys.create(Path.of("/k/other"), Path.of("/k/other.pub"));
        OWN = keys.signing(Path.of("/k/own"));
        OTHER = keys.signing(Path.of("/k/other"));
    }

    private final AutoSimulation stage;
    /** What operators have said. */
    private final Set<EntryBody> said = new HashSet<>();

    private final Set<AutoMachine> givenUp = new HashSet<>();
    /** When a person gave a quorum up last. */
    private long word;
    /** Whether a person has taken that back. */
    private boolean regrets;

    private boolean repaired;

    AutoOperator(AutoSimulation stage) {
        this.stage = stage;
    }

    /** A cluster that persons have set up runs on these machines; one of them writes it to the log. */
    void adopt(List<AutoMachine> members) {
        List<NameAndUrl> names = members.stream()
                .map(machine -> new NameAndUrl(machine.host.name, machine.host.peerUrl))
                .toList();
        // it is known with its members alone
        var before = new EntryBody.Adopt(ADOPTED, List.of());
        AutoGeneration generation = new AutoGeneration(before, stage.world, stage.random, stage);
        stage.generations.put(ADOPTED, generation);
        members.forEach(machine -> stage.belongs(machine.host, generation));
        generation.model.found(members.stream().map(machine -> machine.host).toList(), 10);
        members.forEach(machine -> machine.isMember(names));
        generation.started = true;
        append(new EntryBody.Adopt(
                ADOPTED,
                generation.model.servers.stream()
                        .map(server -> new Seat(
                                server.id,
                                server.name,
                                Optional.empty(),
                                List.of(server.peerUrl),
                                server.member().clientUrls()))
                        .toList()));
        stage.shelf.create(SimulatedSteps.ca(ADOPTED), new byte[] {1});
    }

    /** Who sees that the log was cut writes nothing. */
    void append(EntryBody body) {
        if (stage.now.tail().slot() < stage.longest.tail().slot()) {
            return;
        }
        said.add(body);
        write(body, stage.schedule.signs() ? Optional.of(OWN) : Optional.empty());
    }

    private void write(EntryBody body, Optional<SigningKey> key) {
        stage.shelf.create(
                AutoStage.slot(stage.now.tail().slot() + 1),
                AutoStage.entry(stage.seeded, stage.now, body, stage.random, key));
    }

    /** Whether the log may do what that entry says. */
    boolean hasSaid(EntryBody body) {
        return said.contains(body);
    }

    /** Somebody who has the token, and at most a key of another cluster, is as quick as an operator. */
    void forge() {
        List<EntryBody> bodies = new ArrayList<>();
        bodies.add(new EntryBody.Retire(""));
        bodies.add(new EntryBody.Spec(
                ClusterSpec.of(AutoGeneration.VERSION, 1 + stage.random.nextInt(5))));
        List<Seat> voters = stage.now.voters();
        stage.now.current().filter(_ -> !voters.isEmpty()).ifPresent(began -> {
            Seat founder = voters.get(stage.random.nextInt(voters.size()));
            Set<MemberId> others = voters.stream()
                    .map(Seat::id)
                    .filter(id -> !id.equals(founder.id()))
                    .collect(Collectors.toSet());
            bodies.add(new EntryBody.Restore(
                    began.generation(),
                    others,
                    founder.machine(),
                    new EntryBody.Source(EntryBody.Source.Kind.SURVIVOR, Optional.empty()),
                    stage.now.ending().isPresent(),
                    ""));
        });
        if (stage.now.ending().isPresent()) {
            bodies.add(nothing());
        }
        EntryBody body = bodies.get(stage.random.nextInt(bodies.size()));
        write(body, stage.random.nextBoolean() ? Optional.of(OTHER) : Optional.empty());
        stage.tell("a holder of the token alone writes " + body);
    }

    private EntryBody nothing() {
        return new EntryBody.Restore(
                stage.now.ending().orElseThrow().began().generation(),
                Set.of(),
                Optional.empty(),
                new EntryBody.Source(EntryBody.Source.Kind.NONE, Optional.empty()),
                false,
                "");
    }

    void resume() {
        stage.now.pause().map(Open::slot).ifPresent(slot -> append(new EntryBody.Resume(slot)));
        stage.now.members().held().ifPresent(slot -> append(new EntryBody.Resume(slot)));
    }

    /** As the page on the automatic mode says; where the machine's copy does not fit it is refused. */
    void repairLog(AutoMachine machine) {
        if (machine.off) {
            return;
        }
        try {
            AutoStage.repairLog(
                    SimulatedStore.atOnce(stage.shelf, machine.host),
                    stage.token,
                    machine.host.files,
                    new VirtualWaiter(stage.world.instant().plus(machine.host.clockAhead)),
                    stage.longest.tail().slot());
        } catch (KjadmException | StoreException e) {
            stage.tell("the log is not repaired: " + e.getMessage());
            return;
        }
        // what a machine writes again later makes the log whole, and no daemon starts for it
        repaired |= stage.isWhole();
        stage.tell("the log is repaired from machine " + machine.host.number);
        if (stage.tampering.get().restarts()) {
            stage.machines.forEach(AutoMachine::restart);
        }
    }

    /** Until that machine has the place of its disk, or its disk is of no use. */
    void adoptDisk(AutoMachine machine) {
        if (machine.gone) {
            return;
        }
        if (machine.off || machine.host.unmounted) {
            stage.world.in(30_000, () -> adoptDisk(machine));
            return;
        }
        try {
            machine.adopts();
            stage.tell("machine %d has the place of its disk".formatted(machine.host.number));
            machine.begin(1_000);
        } catch (KjadmException | StoreException e) {
            stage.tell(
                    "machine %d has no place: %s".formatted(machine.host.number, e.getMessage()));
            boolean passes = !(e instanceof HostException refused)
                    || refused.reason()
                            .filter(it -> it instanceof DiskAdoption.Refused why && why.passes())
                            .isPresent();
            if (passes) {
                stage.world.in(60_000, () -> adoptDisk(machine));
            } else {
                machine.clear();
                machine.begin(1_000);
            }
        }
    }

    /** Whether the log is whole again, and all daemons were started since. */
    boolean hasRepaired() {
        return repaired && stage.isWhole();
    }

    /** Not so many come back that they could agree without the others: a person has said so. */
    void quorumLost(long millis) {
        if (stage.world.now() > stage.calm) {
            return;
        }
        if (stage.now.phase() != Phase.OPEN || stage.now.voters().size() < 3) {
            stage.world.in(30_000, () -> quorumLost(millis));
            return;
        }
        List<AutoMachine> voters = new ArrayList<>(stage.machines.stream()
                .filter(machine -> machine.id().flatMap(stage.now::seat).isPresent())
                .toList());
        Collections.shuffle(voters, stage.random);
        int quorum = new Quorum(voters.size()).size();
        int lost = stage.random.nextInt(5) == 0
                ? 0
                : voters.size() - quorum + 1 + stage.random.nextInt(quorum);
        int back = stage.random.nextInt(Math.min(lost + 1, quorum));
        for (int i = 0; i < lost; i++) {
            givenUp.add(voters.get(i));
            if (i < back) {
                voters.get(i).offFor(millis);
            } else {
                voters.get(i).gone(stage.world.now());
            }
        }
        stage.world.in(30_000 + stage.random.nextInt(300_000), this::giveUp);
    }

    /** A person looks again and again until clients use the next generation. */
    private void giveUp() {
        if (regrets && serves()) {
            return;
        }
        boolean waits = stage.now.phase() == Phase.ENDING
                && stage.world.now() - word < 300_000 + stage.random.nextInt(300_000);
        if (stage.now.phase() == Phase.OPEN && stage.ended.isEmpty()
                || stage.now.phase() == Phase.ENDING && !waits) {
            approve();
        }
        boolean over = stage.now.phase() == Phase.OPEN
                && !stage.ended.contains(stage.now.cluster().orElseThrow());
        if (!over || stage.ended.isEmpty()) {
            stage.world.in(30_000, this::giveUp);
        }
    }

    private void approve() {
        List<Seat> voters = stage.now.voters();
        Set<MemberId> lost =
                new HashSet<>(stage.now.ending().map(end -> end.order().lost()).orElse(Set.of()));
        voters.stream()
                // who is off for another reason comes back, and more of them than may
                .filter(seat -> machine(seat)
                                .filter(it -> !it.off || !it.gone && !givenUp.contains(it))
                                .isEmpty()
                        || !stage.tampering.get().namesTheLost() && stage.random.nextBoolean())
                .forEach(seat -> lost.add(seat.id()));
        Optional<AutoMachine> survivor = voters.stream()
                .filter(seat -> !lost.contains(seat.id()))
                .flatMap(seat -> machine(seat).stream())
                .max(Comparator.comparingLong(machine -> machine.disks.index()));
        Optional<EntryBody.Snapshot> snapshot = survivor.isPresent()
                ? Optional.empty()
                : Optional.of(new EntryBody.Snapshot("/backup", "snap-1", "c", 10));
        EntryBody.Restore restore = new EntryBody.Restore(
                stage.now.current().orElseThrow().generation(),
                lost,
                survivor.flatMap(AutoMachine::id),
                new EntryBody.Source(
                        survivor.isPresent()
                                ? EntryBody.Source.Kind.SURVIVOR
                                : EntryBody.Source.Kind.SNAPSHOT,
                        snapshot),
                stage.now.ending().isPresent(),
                "");
        if (stage.now.pause().isEmpty()) {
            append(restore);
            word = stage.world.now();
        }
    }

    /** As soon as a generation ends, until that time, and unless the next one has begun. */
    void takesBack(long until) {
        boolean begun = stage.now.ending().isPresent() && stage.now.phase() != Phase.ENDING;
        if (stage.world.now() > until || begun) {
            return;
        }
        // while some have stopped their members, and others have not
        boolean ending = stage.now.phase() == Phase.ENDING
                && (!stage.now.ending().orElseThrow().fenced().isEmpty()
                        || stage.random.nextInt(20) == 0);
        if (!ending) {
            stage.world.in(1_000, () -> takesBack(until));
            return;
        }
        regrets = true;
        append(nothing());
        stage.tell("the restore is taken back");
    }

    /** Whether no restore is needed after all. */
    private boolean serves() {
        return stage.now.phase() == Phase.OPEN
                && stage.generation(stage.now).filter(it -> it.model.serving()).isPresent();
    }

    private Optional<AutoMachine> machine(Seat seat) {
        return stage.machines.stream()
                .filter(machine -> machine.id().filter(seat::on).isPresent())
                .findFirst();
    }
}
