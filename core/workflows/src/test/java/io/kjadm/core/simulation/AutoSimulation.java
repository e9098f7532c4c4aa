package io.kjadm.core.simulation;

import io.kjadm.core.auto.AutoLoop.Turn;
import io.kjadm.core.auto.AutoStage;
import io.kjadm.core.auto.AutoToken;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.ClusterSpec;
import io.kjadm.etcd.auto.Decision;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.Rule;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.WaitCode;
import io.kjadm.etcd.model.EtcdModel;
import io.kjadm.etcd.model.ModelServer;
import io.kjadm.etcd.model.Violation;
import io.kjadm.etcd.model.VirtualWorld;
import io.kjadm.manifests.NameAndUrl;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Plays one {@link AutoSchedule}: production's loop, log, memory, reports, decisions, guard and join
 * run on every machine, against a store and an etcd that are modelled. What was promised is checked
 * whenever something happens; at the end every machine is idle, or waits for what is truly missing.
 */
final class AutoSimulation implements AutoOracle.Truth {

    /** A machine that has acted reports each minute. */
    private static final long AT_ONCE = 60_000;

    /** ID of a cluster that ran before. */
    private static final String ADOPTED = "ad0b7";

    final VirtualWorld world = new VirtualWorld();
    final Cast cast = new Cast(world, this::over);
    final Random random;
    final Supplier<? extends AutoTampering> tampering;
    final List<String> log;
    final SimulatedStore.Shelf shelf;
    final AutoToken token;
    final AutoStage.Reports reports;

    final AutoSchedule schedule;
    private final AutoStage.Seeded seeded;
    private final AutoStage.Folding folding;
    private final AutoStage.Folding foldingAll;
    final List<AutoMachine> machines = new ArrayList<>();
    final Map<String, AutoGeneration> generations = new LinkedHashMap<>();
    final Set<String> everOpen = new HashSet<>();
    private final Map<Integer, String> founded = new HashMap<>();
    /** All objects that were ever in the log. */
    private final Map<String, byte[]> history = new HashMap<>();

    private final Set<URI> announced = new HashSet<>();
    private final Set<MemberId> removals = new HashSet<>();
    /** The cluster of which an operator said last that it ends, and what was stopped of it. */
    final Set<String> ended = new HashSet<>();

    private final Set<MemberId> stopped = new HashSet<>();
    private final Set<AutoMachine> givenUp = new HashSet<>();

    Charter now;
    Charter longest;
    final long calm;
    /** Entries that were written since the last fault. */
    long appends;
    /** Voters that an operator wants, and that were removed. */
    int removed;

    private final AutoEnd end = new AutoEnd(this);
    private Optional<NavigableMap<String, byte[]>> backup = Optional.empty();
    private boolean founderOff;
    private boolean readyOff;
    /** When a person gave a quorum up last. */
    private long word;

    private AutoSimulation(
            AutoSchedule schedule, Supplier<? extends AutoTampering> tampering, List<String> log) {
        this.schedule = schedule;
        this.calm = schedule.calm();
        this.tampering = tampering;
        this.log = log;
        this.random = new Random(schedule.seed() * 31 + 17);
        this.seeded = AutoStage.seed(
                ClusterSpec.of(AutoGeneration.VERSION, schedule.nodes()),
                schedule.adopted() ? Optional.of(ADOPTED) : Optional.empty(),
                random);
        this.token = seeded.token();
        this.reports = new AutoStage.Reports(token);
        this.shelf = new SimulatedStore.Shelf(world, random, this::created);
        this.folding = new AutoStage.Folding(seeded);
        this.foldingAll = new AutoStage.Folding(seeded);
        this.now = folding.fold(Map.of());
        this.longest = now;
        for (int i = 0; i < schedule.machines(); i++) {
            Host host = new Host(
                    i,
                    "etcd%d".formatted(i),
                    "192.0.2." + (10 + i),
                    3_000 + random.nextInt(60_000),
                    new Watch());
            machines.add(new AutoMachine(host, this));
        }
    }

    /** Plays it; what went wrong, if anything did. */
    static Optional<String> play(
            AutoSchedule schedule, Supplier<? extends AutoTampering> tampering, List<String> log) {
        AutoSimulation simulation = new AutoSimulation(schedule, tampering, log);
        try {
            simulation.run();
            return Optional.empty();
        } catch (Violation | RuntimeException e) {
            StackTraceElement[] trace = e.getStackTrace();
            return Optional.of("%s at %d ms: %s%s"
                    .formatted(
                            e.getClass().getSimpleName(),
                            simulation.world.now(),
                            e.getMessage(),
                            e instanceof Violation || trace.length == 0 ? "" : " " + trace[0]));
        }
    }

    /** Which oracle a machine is watched by follows from the generation that it belongs to. */
    private final class Watch implements Host.Watch {

        private Optional<AutoOracle> oracle(Host host) {
            return generations.values().stream()
                    .filter(generation -> !generation.over && generation.machines.contains(host))
                    .map(generation -> generation.oracle)
                    .findFirst();
        }

        @Override
        public void stopped(Host host) {
            oracle(host).ifPresent(it -> it.stopped(host));
        }

        @Override
        public void doesNotFit(Host host) {
            throw new Violation("there is one version");
        }

        @Override
        public void dataGoes(Host host, Optional<Path> to) {
            if (to.isEmpty()) {
                throw new Violation("data are deleted on machine " + host.number);
            }
            oracle(host).ifPresent(it -> it.dataGoes(host, to));
        }
    }

    private void run() {
        shelf.create(AutoStage.clusterFile(), seeded.file());
        if (schedule.old()) {
            shelf.times.put(AutoStage.clusterFile(), world.instant().minus(Duration.ofHours(2)));
        }
        if (schedule.adopted()) {
            adopt(machines.subList(0, schedule.nodes()));
        }
        for (int i = 0; i < machines.size(); i++) {
            machines.get(i).begin(schedule.starts().get(i));
        }
        schedule.faults().forEach(fault -> world.in(fault.at(), () -> befall(fault)));
        world.in(calm, this::calmDown);
        world.in(1_000, this::second);
        cast.play();
    }

    /** A cluster that persons have set up runs on these machines; one of them writes it to the log. */
    private void adopt(List<AutoMachine> members) {
        List<NameAndUrl> names = members.stream()
                .map(machine -> new NameAndUrl(machine.host.name, machine.host.peerUrl))
                .toList();
        // it is known with its members alone
        var before = new EntryBody.Adopt(ADOPTED, List.of());
        AutoGeneration generation = new AutoGeneration(before, world, random, this);
        generations.put(ADOPTED, generation);
        members.forEach(machine -> belongs(machine.host, generation));
        generation.model.found(members.stream().map(machine -> machine.host).toList(), 10);
        members.forEach(machine -> machine.isMember(names));
        generation.started = true;
        person(new EntryBody.Adopt(
                ADOPTED,
                generation.model.servers.stream()
                        .map(server -> new Seat(
                                server.id,
                                server.name,
                                Optional.empty(),
                                List.of(server.peerUrl),
                                server.member().clientUrls()))
                        .toList()));
        shelf.create(SimulatedSteps.ca(ADOPTED), new byte[] {1});
    }

    private boolean over() {
        return end.came();
    }

    private void second() {
        generations.values().forEach(AutoGeneration::second);
        checkQuorums();
        if (world.now() > calm) {
            end.check();
        }
        world.in(1_000, this::second);
    }

    // ---- what goes wrong

    private void befall(AutoFault fault) {
        AutoMachine machine = machines.get(fault.machine());
        Host host = machine.host;
        switch (fault.kind()) {
            case STORE_DOWN -> {
                shelf.down++;
                world.in(fault.millis(), () -> shelf.down--);
            }
            case STORE_LOSSY -> {
                shelf.lossy++;
                world.in(fault.millis(), () -> shelf.lossy--);
            }
            case STORE_BUSY -> {
                shelf.busy++;
                world.in(fault.millis(), () -> shelf.busy--);
            }
            case STORE_SLOW -> {
                shelf.slow++;
                world.in(fault.millis(), () -> shelf.slow--);
            }
            case SLOT_DELETED -> deleted(1 + random.nextInt((int) now.tail().slot() + 1), 1);
            case TAIL_DELETED -> {
                int many = 1 + random.nextInt(3);
                deleted(Math.max(1, now.tail().slot() - many + 1), many);
            }
            case LOG_DELETED -> deleted(1, (int) now.tail().slot());
            case ALL_DELETED -> {
                shelf.objects.keySet().retainAll(Set.of(AutoStage.clusterFile()));
                refold();
            }
            case ROLLED_BACK -> {
                backup = backup.or(() -> Optional.of(new TreeMap<>(shelf.objects)));
                world.in(fault.millis(), this::rollBack);
            }
            case JUNK -> {
                shelf.create(AutoStage.slot(now.tail().slot() + 1), AutoStage.junk());
            }
            case KILL ->
                machine.mishaps.killLater(fault.places(), Math.min(fault.millis(), 300_000));
            case HALT -> machine.mishaps.haltLater(fault.places(), fault.millis());
            case OFF -> off(machine, fault.millis());
            case FOUNDER_OFF -> founderOff = true;
            case READY_OFF -> readyOff = true;
            case GONE -> {
                if (machines.stream().noneMatch(other -> other.gone)) {
                    machine.gone(world.now());
                }
            }
            case DISK_LATE -> {
                if (!machine.off) {
                    off(machine, 10_000);
                    machine.disks.unmount();
                    world.in(10_000 + fault.millis(), machine.disks::mount);
                }
            }
            case DISK_LOST -> machine.disks.lose(world.now());
            case REMOVED_BY_HAND -> removedByHand(machine);
            case ISOLATED -> {
                host.reachable = false;
                host.trouble(world.now());
                world.in(fault.millis(), () -> {
                    generations.values().forEach(generation -> generation.model.reconnect(host));
                    host.reachable = true;
                    host.recovers(world.now());
                });
            }
            case ETCD_FAILED -> machine.etcdFails(world.now());
            case ELECTION ->
                generations.values().forEach(generation -> generation.model.election());
            case REQUEST_LOST ->
                machine.mishaps.nextChange(Mishap.Kind.REQUEST_LOST, fault.millis());
            case REPLY_LOST -> machine.mishaps.nextChange(Mishap.Kind.REPLY_LOST, fault.millis());
            case APPLIED_LATE ->
                machine.mishaps.nextChange(Mishap.Kind.APPLIED_LATE, fault.millis());
            case CHANGE_LATE -> machine.mishaps.haltBeforeChange(fault.millis());
            case PUT_BACK, DATA_PUT_BACK -> {
                if (host.unmounted) {
                    return;
                }
                AutoDisks.Image then = machine.disks.image();
                boolean whole = fault.kind() == AutoFault.Kind.PUT_BACK;
                world.in(Math.max(120_000, fault.millis()), () -> machine.putBack(then, whole));
            }
            case COPIED -> {
                if (machine.id().isEmpty() || host.unmounted) {
                    // it is any new machine before its first start
                    return;
                }
                Host at = new Host(
                        machines.size(),
                        host.name,
                        "192.0.2." + (10 + machines.size()),
                        3_000,
                        new Watch());
                AutoMachine copy = machine.copy(at);
                machines.add(copy);
                world.in(Math.max(300_000, fault.millis()), () -> copy.gone(world.now()));
            }
            case QUORUM_LOST -> quorumLost(fault.millis());
            case RESIZED ->
                person(new EntryBody.Spec(
                        ClusterSpec.of(AutoGeneration.VERSION, 1 + fault.places() % 5)));
            case BROKEN -> {
                machine.broken = true;
                boolean forGood = fault.places() > 0;
                if (!forGood) {
                    world.in(fault.millis(), () -> machine.broken = false);
                }
            }
            case PAUSED -> {
                person(new EntryBody.Pause(Optional.empty(), ""));
                world.in(fault.millis(), this::resume);
            }
            case PAUSED_FOR ->
                person(new EntryBody.Pause(
                        Optional.of(Duration.ofMillis(Math.min(fault.millis(), 600_000))), ""));
        }
    }

    private void off(AutoMachine machine, long millis) {
        if (machine.off) {
            return;
        }
        machine.off(world.now());
        world.in(millis, () -> machine.on(world.now()));
    }

    /** While all voters answer, and three or more are there. */
    private void removedByHand(AutoMachine machine) {
        Optional<MemberId> id = machine.id().flatMap(now::seat).map(Seat::id);
        Optional<AutoGeneration> generation = generation(now);
        if (id.isEmpty() || generation.isEmpty() || now.phase() != Phase.OPEN) {
            return;
        }
        EtcdModel model = generation.get().model;
        boolean healthy = model.servers.size() >= 3
                && model.serving()
                && model.servers.stream().allMatch(ModelServer::answers);
        model.servers.stream()
                .filter(server -> healthy && !server.learner && !server.id.equals(id.get()))
                .flatMap(server -> server.machine.stream())
                .findFirst()
                .ifPresent(other -> {
                    try {
                        model.propose(model.remove(other, id.get()));
                    } catch (EtcdCallException e) {
                        log(e.getMessage());
                    }
                });
    }

    private void log(String line) {
        if (log != QuietReporter.NOWHERE) {
            log.add(line);
        }
    }

    // ---- a quorum that is given up

    /** Not so many come back that they could agree without the others: a person has said so. */
    private void quorumLost(long millis) {
        if (world.now() > calm) {
            return;
        }
        if (now.phase() != Phase.OPEN || now.voters().size() < 3) {
            world.in(30_000, () -> quorumLost(millis));
            return;
        }
        List<AutoMachine> voters = new ArrayList<>(machines.stream()
                .filter(machine -> machine.id().flatMap(now::seat).isPresent())
                .toList());
        Collections.shuffle(voters, random);
        int quorum = new Quorum(voters.size()).size();
        int lost = random.nextInt(5) == 0 ? 0 : voters.size() - quorum + 1 + random.nextInt(quorum);
        int back = random.nextInt(Math.min(lost + 1, quorum));
        for (int i = 0; i < lost; i++) {
            givenUp.add(voters.get(i));
            if (i < back) {
                off(voters.get(i), millis);
            } else {
                voters.get(i).gone(world.now());
            }
        }
        world.in(30_000 + random.nextInt(300_000), this::giveUp);
    }

    /** A person looks again and again until clients use the next generation. */
    private void giveUp() {
        boolean waits = now.phase() == Phase.ENDING
                && world.now() - word < 300_000 + random.nextInt(300_000);
        if (now.phase() == Phase.OPEN && ended.isEmpty() || now.phase() == Phase.ENDING && !waits) {
            approve();
        }
        boolean over =
                now.phase() == Phase.OPEN && !ended.contains(now.cluster().orElseThrow());
        if (!over || ended.isEmpty()) {
            world.in(30_000, this::giveUp);
        }
    }

    private void approve() {
        List<Seat> voters = now.voters();
        Set<MemberId> lost =
                new HashSet<>(now.ending().map(end -> end.order().lost()).orElse(Set.of()));
        voters.stream()
                // who is off for another reason comes back, and more of them than may
                .filter(seat -> machine(seat)
                                .filter(it -> !it.off || !it.gone && !givenUp.contains(it))
                                .isEmpty()
                        || !tampering.get().namesTheLost() && random.nextBoolean())
                .forEach(seat -> lost.add(seat.id()));
        Optional<AutoMachine> survivor = voters.stream()
                .filter(seat -> !lost.contains(seat.id()))
                .flatMap(seat -> machine(seat).stream())
                .max(Comparator.comparingLong(machine -> machine.disks.index()));
        Optional<EntryBody.Snapshot> snapshot = survivor.isPresent()
                ? Optional.empty()
                : Optional.of(new EntryBody.Snapshot("/backup", "snap-1", "c", 10));
        EntryBody.Restore restore = new EntryBody.Restore(
                now.current().orElseThrow().generation(),
                lost,
                survivor.flatMap(AutoMachine::id),
                new EntryBody.Source(
                        survivor.isPresent()
                                ? EntryBody.Source.Kind.SURVIVOR
                                : EntryBody.Source.Kind.SNAPSHOT,
                        snapshot),
                now.ending().isPresent(),
                "");
        if (now.pause().isEmpty()) {
            person(restore);
            word = world.now();
        }
    }

    private Optional<AutoMachine> machine(Seat seat) {
        return machines.stream()
                .filter(machine -> machine.id().filter(seat::on).isPresent())
                .findFirst();
    }

    /** Members of two generations that clients have used never could agree at one time. */
    private void checkQuorums() {
        List<Integer> agree = new ArrayList<>();
        // a log that was cut may end with a generation that was abandoned
        Charter told = schedule.tampers() ? longest : now;
        for (AutoGeneration generation : generations.values()) {
            String cluster = generation.began.cluster();
            boolean used = everOpen.contains(cluster)
                    || told.cluster().filter(cluster::equals).isPresent();
            if (used && generation.model.couldAgree()) {
                agree.add(generation.began.generation());
            }
        }
        if (agree.size() > 1) {
            throw new Violation("members of generations %s have a quorum each".formatted(agree));
        }
        for (AutoMachine machine : machines) {
            boolean runs = machine.host.up
                    && machine.host.data.filter(stopped::contains).isPresent();
            if (runs) {
                throw new Violation("machine %d runs a member that it has stopped for good"
                        .formatted(machine.host.number));
            }
            boolean older = machine.host.up
                    && machine.former.isPresent()
                    && machine.former.equals(machine.host.data);
            if (older) {
                throw new Violation("machine %d runs data that are older than they were"
                        .formatted(machine.host.number));
            }
        }
    }

    /** What it has written is in the next generation, as far as the survivor had it. */
    private void checkKept(AutoGeneration next, long index) {
        longest.ending()
                .filter(_ -> longest.generation() == next.began.generation())
                .ifPresent(end -> {
                    long most = end.fenced().values().stream()
                            .flatMap(one -> one.progress().stream())
                            .mapToLong(EntryBody.Progress::applied)
                            .max()
                            .orElse(0);
                    boolean survivor = end.order().founder().isPresent();
                    boolean nobodyLost = end.order().lost().isEmpty();
                    long owed = nobodyLost
                            ? generations.get(end.began().cluster()).model.acknowledged()
                            : most;
                    if (survivor && !end.order().acceptLoss() && index < owed) {
                        throw new Violation("generation %d begins with index %d, and %d was there"
                                .formatted(next.began.generation(), index, owed));
                    }
                });
    }

    private void deleted(long first, int many) {
        for (long slot = first; slot < first + many; slot++) {
            shelf.delete(AutoStage.slot(slot));
        }
        refold();
    }

    private void rollBack() {
        NavigableMap<String, byte[]> old = backup.orElseThrow();
        shelf.objects.keySet().retainAll(old.keySet());
        shelf.objects.putAll(old);
        refold();
    }

    /** Who sees that the log was cut writes nothing. */
    private void person(EntryBody body) {
        if (now.tail().slot() < longest.tail().slot()) {
            return;
        }
        shelf.create(
                AutoStage.slot(now.tail().slot() + 1), AutoStage.entry(seeded, now, body, random));
    }

    void resume() {
        now.pause().map(Open::slot).ifPresent(slot -> person(new EntryBody.Resume(slot)));
        now.members().held().ifPresent(slot -> person(new EntryBody.Resume(slot)));
    }

    private void calmDown() {
        founderOff = false;
        readyOff = false;
        // what lasts for a time ends by itself
        now.pause().filter(pause -> pause.body().lasts().isEmpty()).ifPresent(_ -> resume());
        machines.forEach(machine -> {
            machine.on(world.now());
            machine.mishaps.killLater(-1, 0);
            machine.mishaps.haltLater(-1, 0);
        });
        appends = 0;
    }

    // ---- what is seen

    private void created(String key) {
        if (AutoStage.ofLog(key)) {
            appends++;
            // where somebody has cut the log, others may write to a slot that was read before
            history.putIfAbsent(key, shelf.objects.get(key));
            refold();
        }
    }

    private void refold() {
        Charter before = now;
        now = folding.fold(shelf.objects);
        longest = schedule.tampers() ? foldingAll.fold(history) : now;
        opened(longest);
        boolean same = now.cluster().equals(before.cluster());
        int wanted = now.seed().spec().nodes();
        removed += same && now.voters().size() < Math.min(before.voters().size(), wanted) ? 1 : 0;
        longest.ending().ifPresent(end -> {
            ended.add(end.began().cluster());
            generations.get(end.began().cluster()).over = true;
            end.fenced().values().forEach(one -> stopped.add(one.member()));
        });
        // nobody uses the members of a generation that was abandoned
        generations.values().stream()
                .filter(generation ->
                        !longest.cluster().equals(Optional.of(generation.began.cluster())))
                .forEach(generation -> generation.over = true);
        logs().forEach(log -> log.change().map(Open::body).ifPresent(change -> {
            change.added().ifPresent(added -> announced.addAll(added.peerUrls()));
            change.removed().ifPresent(removals::add);
        }));
        generation(now);
        boolean formed = now.phase() == Phase.FORMING && before.phase() == Phase.NONE;
        boolean ready = now.phase() == Phase.OPEN && before.phase() == Phase.FORMING;
        if (formed && founderOff || ready && readyOff) {
            founderOff &= !formed;
            readyOff &= !ready;
            MachineId founder = now.founder().orElseThrow();
            machines.stream()
                    .filter(machine -> machine.id().filter(founder::equals).isPresent())
                    .forEach(machine -> world.in(
                            random.nextInt(20_000), () -> off(machine, random.nextInt(1_500_000))));
        }
    }

    private void opened(Charter charter) {
        if (charter.phase() == Phase.OPEN) {
            everOpen.add(charter.cluster().orElseThrow());
        }
        if (everOpen.size() > 1 + ended.size()) {
            throw new Violation("clients were let into two clusters: " + everOpen);
        }
    }

    /**
     * After each turn of a machine.
     *
     * @param begun when it has begun: what stands still meanwhile cannot know that its copy acts
     */
    void seen(AutoMachine machine, Turn turn, long begun) {
        machine.decided(turn);
        opened(turn.facts().charter());
        boolean begins = switch (turn.outcome().decision()) {
            case Decision.Act _ ->
                turn.outcome().rule() != Rule.FOUND && turn.outcome().rule() != Rule.CONTINUE;
            case Decision.Append(var body, String _, String _) ->
                !(body instanceof EntryBody.Done)
                        && !(body instanceof EntryBody.Resume)
                        && !(body instanceof EntryBody.Observed);
            default -> false;
        };
        if (begins && turn.facts().charter().pause().isPresent()) {
            throw new Violation("machine %d begins something in a pause: %s"
                    .formatted(machine.host.number, turn.outcome().decision()));
        }
        if (turn.outcome().decision() instanceof Decision.Append(var body, String _, String _)
                && body instanceof EntryBody.Change change
                && turn.facts().charter().phase() == Phase.OPEN) {
            change.removed()
                    .filter(id -> begun - machine.savedAt > 3_600_000 && !lost(turn.facts(), id))
                    .ifPresent(id -> {
                        throw new Violation("machine %d removes a voter without a snapshot: %s"
                                .formatted(machine.host.number, id));
                    });
        }
        boolean acts = turn.outcome().decision() instanceof Decision.Append
                || turn.outcome().decision() instanceof Decision.Act(var step, String _)
                        // these change this machine alone
                        && !(step instanceof Step.Start || step instanceof Step.Clients);
        boolean two = acts
                && machines.stream()
                        .anyMatch(other -> other != machine
                                && other.id().equals(machine.id())
                                && other.actedWithin(AT_ONCE, begun));
        if (two) {
            throw new Violation("a machine and its copy act: " + turn.outcome().decision());
        }
        machine.actedAt = acts ? begun : machine.actedAt;
        boolean blind = !(turn.facts().store() instanceof StoreView.Answers)
                && turn.outcome().decision() instanceof Decision.Append;
        if (blind) {
            throw new Violation("machine %d writes without the log: %s"
                    .formatted(machine.host.number, turn.outcome().decision()));
        }
    }

    /** By the report of its machine. */
    private static boolean lost(AutoFacts facts, MemberId voter) {
        return facts.charter().voters().stream()
                .filter(seat -> seat.id().equals(voter))
                .flatMap(seat -> seat.machine().stream())
                .findFirst()
                .map(facts.machines()::get)
                .flatMap(seen -> seen.report().doing().code())
                .filter(WaitCode.LOST::equals)
                .isPresent();
    }

    /** Before each command of a machine. */
    void begins(AutoMachine machine, Step step) {
        boolean ofFounder = step instanceof Step.Init;
        if (ofFounder) {
            Charter read = machine.read().orElseThrow();
            if (!read.founder().equals(machine.id())) {
                throw new Violation("machine %d founds a cluster that the log gives to another"
                        .formatted(machine.host.number));
            }
        }
    }

    void letsClientsIn(AutoMachine machine, Charter charter) {
        if (schedule.tampers()) {
            // by a log that others do not have
            opened(charter);
        }
        if (!everOpen.contains(charter.cluster().orElseThrow())) {
            throw new Violation("machine %d lets clients into a cluster that is not ready"
                    .formatted(machine.host.number));
        }
    }

    void started(AutoGeneration generation, Host host, long index) {
        checkKept(generation, index);
        String other =
                founded.putIfAbsent(generation.began.generation(), generation.began.cluster());
        // where the log was cut two may be founded, and clients are let into one of them
        boolean twice = other != null && !other.equals(generation.began.cluster());
        if (twice && !schedule.tampers()) {
            throw new Violation(
                    "generation %d is founded twice".formatted(generation.began.generation()));
        }
        List<ModelServer> servers = generation.model.servers;
        if (!everOpen.contains(generation.began.cluster()) && servers.size() == 1) {
            // a founder that was put back founds again, if no machine and no client uses its
            // cluster
            servers.removeIf(server -> server.machine.filter(host::equals).isPresent());
        }
        generation.model.foundAlone(host, generation.form().seat().id(), index);
        generation.started = true;
    }

    void belongs(Host host, AutoGeneration to) {
        host.cluster = Long.parseUnsignedLong(to.began.cluster(), 16);
        generations.values().forEach(generation -> generation.machines.remove(host));
        to.machines.add(host);
    }

    /** Its member is no part of any generation any more. */
    void leaves(Host host) {
        generations.values().stream()
                .filter(generation -> generation.machines.remove(host))
                .forEach(generation -> generation.over = true);
    }

    AutoGeneration anyGeneration() {
        return generations.values().iterator().next();
    }

    /** Also one that a machine has read and the store does not hold any more. */
    Optional<AutoGeneration> generation(Charter charter) {
        return charter.current()
                .map(began -> generations.computeIfAbsent(
                        began.cluster(), _ -> new AutoGeneration(began, world, random, this)));
    }

    boolean seated(AutoMachine machine) {
        return machine.id().flatMap(longest::seat).isPresent();
    }

    @Override
    public List<Charter> logs() {
        return List.of(now, longest);
    }

    @Override
    public Charter read(Host host) {
        return machines.get(host.number).read().orElse(now);
    }

    @Override
    public boolean acts(Charter charter, Host host) {
        return charter.change()
                .map(open -> Optional.of(open.body().actor()))
                .filter(machines.get(host.number).id()::equals)
                .isPresent();
    }

    /** By another log than others have, if somebody has cut it. */
    @Override
    public boolean acts(Host host) {
        return schedule.tampers() && acts(read(host), host);
    }

    @Override
    public long stood(Host host) {
        return machines.get(host.number).mishaps.stood();
    }

    @Override
    public boolean announced(URI peerUrl) {
        return announced.contains(peerUrl);
    }

    @Override
    public boolean announced(MemberId removed) {
        return removals.contains(removed);
    }
}
