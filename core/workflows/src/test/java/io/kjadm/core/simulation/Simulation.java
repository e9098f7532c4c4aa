package io.kjadm.core.simulation;

import io.kjadm.core.simulation.Mishap.Kind;
import io.kjadm.core.simulation.Oracle.Resets;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.model.EtcdModel;
import io.kjadm.etcd.model.Violation;
import io.kjadm.etcd.model.VirtualWorld;
import io.kjadm.manifests.NameAndUrl;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Plays one {@link Schedule}: production's join and reset run on every machine, each run of a
 * program as a thread that waits in virtual time, against {@link EtcdModel}. Each call of each
 * program is a place where it may die or where others may come between. What has been promised is
 * checked by the {@link Oracle}, and at the end that every join and reset is done or as if it had
 * never begun.
 */
final class Simulation {

    /** By then, however things went before, everything must have come to its end. */
    private static final long END = Schedule.CALM + 3 * 3_600_000L;

    private static final MemberId LONG_GONE = new MemberId(0xdead);

    final Schedule schedule;
    private final Supplier<? extends Tampering> tampering;
    final List<String> log;
    final VirtualWorld world = new VirtualWorld();
    private final Cast cast = new Cast(world, this::over);
    final Random random;
    final Oracle oracle;
    final EtcdModel model;
    final LeaseApi api;
    final SimulatedClient.Play play;
    final List<Host> hosts = new ArrayList<>();
    final Map<Host, Joining> joins = new LinkedHashMap<>();
    final Map<Host, Leaving> resets = new LinkedHashMap<>();
    final List<Upgrading> upgrades = new ArrayList<>();
    final Mishaps mishaps = new Mishaps(this);
    final Programs programs = new Programs();
    private final Map<Integer, Steps> steps = new HashMap<>();

    private Simulation(
            Schedule schedule, Supplier<? extends Tampering> tampering, List<String> log) {
        this.schedule = schedule;
        this.tampering = tampering;
        this.log = log;
        this.random = new Random(schedule.seed() * 31 + 17);
        this.oracle = new Oracle(world, schedule.has(Kind.SLOW));
        for (int i = 0; i < schedule.voters() + schedule.joiners(); i++) {
            String name = "cp-" + (i == schedule.oddities().twin() ? 0 : i);
            hosts.add(new Host(i, name, address(i), 3_000 + random.nextInt(60_000), oracle));
        }
        this.model = new EtcdModel(
                world,
                EtcdVersion.parse(schedule.version()),
                schedule.maxLearners(),
                random,
                List.copyOf(hosts));
        this.api = new LeaseApi(model, schedule.oddities().api());
        this.play = new SimulatedClient.Play(model, world, random, oracle, mishaps::slow);
        oracle.watches(model);
    }

    /**
     * Plays it; what went wrong, if anything did.
     *
     * @param tampering what is put between production's classes in each run of a program
     */
    static Optional<String> play(Schedule schedule, Supplier<? extends Tampering> tampering) {
        return play(schedule, tampering, QuietReporter.NOWHERE);
    }

    /** As {@link #play(Schedule, Supplier)}, and writes down what the programs say. */
    static Optional<String> play(
            Schedule schedule, Supplier<? extends Tampering> tampering, List<String> log) {
        var simulation = new Simulation(schedule, tampering, log);
        try {
            simulation.run();
            return Optional.empty();
        } catch (Violation | RuntimeException e) {
            StackTraceElement[] trace = e.getStackTrace();
            return Optional.of("%s at %d ms: %s%s\n  members: %s"
                    .formatted(
                            e.getClass().getSimpleName(),
                            simulation.world.now(),
                            e.getMessage(),
                            e instanceof Violation || trace.length == 0 ? "" : " " + trace[0],
                            simulation.model.describe()));
        }
    }

    private static String address(int machine) {
        return "192.0.2." + (10 + machine);
    }

    private void run() {
        foundCluster();
        schedule.mishaps().stream()
                .filter(mishap -> !mishap.kind().ofPlace() && !mishap.kind().ofCall())
                .forEach(mishap -> world.in(mishap.at(), () -> mishaps.befall(mishap)));
        for (int i = 0; i < schedule.joiners(); i++) {
            Host host = hosts.get(schedule.voters() + i);
            host.kubeletWorks(schedule.oddities().brokenJoiner() != host.number);
            join(host, random.nextInt(i == 0 ? 1_000 : 60_000));
        }
        for (Schedule.Leaver leaver : schedule.leavers()) {
            reset(hosts.get(leaver.machine()), leaver.how(), random.nextInt(60_000));
        }
        for (Schedule.Upgrader upgrader : schedule.upgraders()) {
            Upgrading upgrade = new Upgrading(
                    hosts.get(upgrader.machine()), upgrader, programs, api, play, random);
            upgrades.add(upgrade);
            upgrade.begin(random.nextInt(60_000));
        }
        schedule.oddities().oldBox().ifPresent(how -> reset(oldBox(), how, random.nextInt(60_000)));
        world.in(1_000, this::second);
        cast.play();
        new SimulationEnd(this).check();
    }

    private void foundCluster() {
        List<Host> voters = hosts.subList(0, schedule.voters());
        model.found(voters, 60_000 + random.nextInt(240_000));
        List<NameAndUrl> cluster = voters.stream()
                .map(host -> new NameAndUrl(host.name, host.peerUrl))
                .toList();
        if (!schedule.upgraders().isEmpty()) {
            voters.forEach(host -> host.etcdTag = Optional.of(schedule.version() + "-0"));
        }
        voters.forEach(host -> host.install(cluster));
        if (schedule.oddities().ghost()) {
            model.haunt(URI.create("https://ghost:2380"));
        }
    }

    /** A machine whose member was removed and whose address voter 0 has by now. */
    private Host oldBox() {
        Host old = new Host(schedule.voters() + schedule.joiners(), "old", address(0), 0, oracle);
        model.forget(LONG_GONE);
        old.born(LONG_GONE);
        old.install(List.of(new NameAndUrl("old", old.peerUrl)));
        return old;
    }

    private void second() {
        model.second();
        oracle.second();
        world.in(1_000, this::second);
    }

    private boolean over() {
        return world.now() >= END
                || world.now() > Schedule.CALM
                        && joins.values().stream().allMatch(joining -> joining.done)
                        && resets.values().stream().allMatch(leaving -> leaving.done)
                        && upgrades.stream().allMatch(upgrade -> upgrade.done);
    }

    // ---- the programs

    /** Begins runs of programs. */
    final class Programs implements Upgrading.Stage {

        @Override
        public void begin(Host host, long delay, Upgrading.Run run) {
            Tampering between = tampering.get();
            Program program =
                    new Program(cast, world, stepsOf(host), between.interruptsEverything());
            cast.begin(delay, program, it -> run.play(it, between));
        }

        @Override
        public List<String> log() {
            return log;
        }
    }

    private Steps stepsOf(Host host) {
        return steps.computeIfAbsent(
                host.number,
                number -> new Steps(
                        of(number, Kind::ofPlace), of(number, Kind::ofCall), mishaps::intervene));
    }

    private Map<Long, Mishap> of(int machine, Function<Kind, Boolean> which) {
        Map<Long, Mishap> mishaps = new HashMap<>();
        schedule.mishaps().stream()
                .filter(mishap -> mishap.machine() == machine && which.apply(mishap.kind()))
                .forEach(mishap -> mishaps.put(mishap.at(), mishap));
        return mishaps;
    }

    void join(Host host, long delay) {
        joins.computeIfAbsent(host, it -> new Joining(it, this)).order(delay);
    }

    void reset(Host host, Resets how, long delay) {
        host.resets = Optional.of(how);
        Leaving leaving = new Leaving(host, how, this);
        resets.put(host, leaving);
        leaving.begin(delay);
    }
}
