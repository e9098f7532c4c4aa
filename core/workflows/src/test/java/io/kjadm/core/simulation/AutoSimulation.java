package io.kjadm.core.simulation;

import io.kjadm.core.auto.AutoStage;
import io.kjadm.core.auto.AutoToken;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.ClusterSpec;
import io.kjadm.etcd.model.ModelServer;
import io.kjadm.etcd.model.Violation;
import io.kjadm.etcd.model.VirtualWorld;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Plays one {@link AutoSchedule}: production's loop, log, memory, reports, decisions, guard and join
 * run on every machine, against a store and an etcd that are modelled. What was promised is checked
 * whenever something happens; at the end every machine is idle, or waits for what is truly missing.
 */
final class AutoSimulation implements AutoOracle.Truth {

    final VirtualWorld world = new VirtualWorld();
    final Cast cast = new Cast(world, this::over);
    final Random random;
    final Supplier<? extends AutoTampering> tampering;
    final List<String> log;
    final SimulatedStore.Shelf shelf;
    final AutoToken token;
    final AutoStage.Reports reports;

    final AutoSchedule schedule;
    final AutoStage.Seeded seeded;
    private final AutoStage.Folding folding;
    private final AutoStage.Folding foldingAll;
    final List<AutoMachine> machines = new ArrayList<>();
    final Map<String, AutoGeneration> generations = new LinkedHashMap<>();
    /** All objects that were ever in the log. */
    private final Map<String, byte[]> history = new HashMap<>();
    /** Whether something else was written to a slot after its object was deleted. */
    private boolean forked;

    private final Set<URI> announced = new HashSet<>();
    private final Set<MemberId> removals = new HashSet<>();
    /** The cluster of which an operator said last that it ends, and what was stopped of it. */
    final Set<String> ended = new HashSet<>();

    Charter now;
    Charter longest;
    final long calm;
    /** Entries that were written since the last fault. */
    long appends;
    /** Voters that an operator wants, and that were removed. */
    int removed;

    final AutoPromises promises = new AutoPromises(this);
    final AutoOperator operator = new AutoOperator(this);
    private final AutoFaults faults = new AutoFaults(this);
    private final AutoEnd end = new AutoEnd(this);

    private AutoSimulation(
            AutoSchedule schedule, Supplier<? extends AutoTampering> tampering, List<String> log) {
        this.schedule = schedule;
        this.calm = schedule.calm();
        this.tampering = tampering;
        this.log = log;
        this.random = new Random(schedule.seed() * 31 + 17);
        this.seeded = AutoStage.seed(
                ClusterSpec.of(AutoGeneration.VERSION, schedule.nodes()),
                schedule.adopted() ? Optional.of(AutoOperator.ADOPTED) : Optional.empty(),
                schedule.signs() && tampering.get().asksForSignatures()
                        ? List.of(AutoOperator.PUBLIC)
                        : List.of(),
                random);
        this.token = seeded.token();
        this.reports = new AutoStage.Reports(token);
        this.shelf = new SimulatedStore.Shelf(world, random, this::created);
        this.folding = new AutoStage.Folding(seeded);
        this.foldingAll = new AutoStage.Folding(seeded);
        this.now = folding.fold(Map.of());
        this.longest = now;
        for (int i = 0; i < schedule.machines(); i++) {
            Host host = host(i, "etcd%d".formatted(i), 3_000 + random.nextInt(60_000));
            machines.add(new AutoMachine(host, this));
        }
    }

    /** A machine with that number, and its address. */
    Host host(int number, String name, long pace) {
        return new Host(number, name, "192.0.2." + (10 + number), pace, new Watch());
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
            operator.adopt(machines.subList(0, schedule.nodes()));
        }
        for (int i = 0; i < machines.size(); i++) {
            machines.get(i).begin(schedule.starts().get(i));
        }
        schedule.faults().forEach(fault -> world.in(fault.at(), () -> faults.befall(fault)));
        world.in(calm, faults::calmDown);
        world.in(1_000, this::second);
        cast.play();
    }

    /** Who replays a schedule is shown it. */
    void tell(String line) {
        if (log != QuietReporter.NOWHERE) {
            log.add("%d ms, %s".formatted(world.now(), line));
        }
    }

    private boolean over() {
        return end.came();
    }

    private void second() {
        generations.values().stream()
                .filter(generation -> generation
                        .resumes
                        .filter(since -> isPutBack(generation, since))
                        .isPresent())
                .forEach(generation -> {
                    generation.resumes = Optional.empty();
                    generation.over = ended.contains(generation.began.cluster());
                });
        generations.values().forEach(AutoGeneration::second);
        promises.second();
        if (world.now() > calm) {
            end.check();
        }
        world.in(1_000, this::second);
    }

    // ---- what is seen

    private void created(String key) {
        if (AutoStage.ofLog(key)) {
            appends++;
            // where somebody has cut the log, others may write to a slot that was read before
            byte[] content = shelf.objects.get(key);
            byte[] first = history.putIfAbsent(key, content);
            forked |= first != null && !Arrays.equals(first, content);
            refold();
        }
    }

    /**
     * Whether each slot of the log has what was written there first, and nothing else ever was, which
     * machines may have read: the newest alone is not all.
     */
    boolean isWhole() {
        return !forked
                && history.entrySet().stream()
                        .allMatch(entry ->
                                Arrays.equals(entry.getValue(), shelf.objects.get(entry.getKey())));
    }

    /** The log in the store has changed. */
    void refold() {
        Charter before = now;
        now = folding.fold(shelf.objects);
        longest = schedule.tampers() ? foldingAll.fold(history) : now;
        promises.opened(longest);
        promises.said(longest);
        boolean same = now.cluster().equals(before.cluster());
        int wanted = now.seed().spec().nodes();
        removed += same && now.voters().size() < Math.min(before.voters().size(), wanted) ? 1 : 0;
        longest.ending().ifPresent(end -> {
            ended.add(end.began().cluster());
            generations.get(end.began().cluster()).over = true;
            end.fenced().values().forEach(one -> promises.stopped(one.member()));
        });
        before.ending()
                .map(end -> end.began().cluster())
                .filter(_ -> longest.ending().isEmpty())
                .filter(cluster -> longest.cluster().equals(Optional.of(cluster)))
                .ifPresent(this::takenBack);
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
        faults.changed(before);
    }

    /** A generation does not end after all: its members may be started. */
    private void takenBack(String cluster) {
        ended.remove(cluster);
        promises.startsAgain();
        generations.get(cluster).resumes = Optional.of(world.now());
    }

    /** Whether all members of a generation are where they were before it was to end. */
    private boolean isPutBack(AutoGeneration generation, long since) {
        return machines.stream()
                .noneMatch(machine -> machine.hasNotLookedSince(since)
                        || !machine.gone && machine.disks.keeps(generation));
    }

    void started(AutoGeneration generation, Host host, long index) {
        promises.founds(generation, index);
        List<ModelServer> servers = generation.model.servers;
        if (!promises.everOpen().contains(generation.began.cluster()) && servers.size() == 1) {
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

    /** The generation with that number that the log began, or the only one. */
    AutoGeneration ofNumber(int number) {
        return generations.values().stream()
                .filter(it -> it.began.generation() == number)
                .reduce((one, other) ->
                        promises.everOpen().contains(one.began.cluster()) ? one : other)
                .orElseThrow();
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

    /** Whether the log says that this member's generation has ended. */
    boolean hasEnded(Optional<MemberId> member) {
        return !schedule.tampers()
                && generations.values().stream()
                        .filter(generation -> ended.contains(generation.began.cluster()))
                        .flatMap(generation -> generation.model.servers.stream())
                        .anyMatch(server -> member.filter(server.id::equals).isPresent());
    }

    /** Whether an operator has ended the automatic mode. */
    boolean isRetired() {
        return longest.phase() == Charter.Phase.RETIRED;
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
