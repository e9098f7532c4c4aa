package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberRemoval;
import io.kjadm.etcd.OwnMember;
import io.kjadm.etcd.Removal;
import io.kjadm.etcd.RemovalPlan;
import io.kjadm.etcd.join.Mishap.Kind;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Plays one {@link Schedule}: the production classes decide and act on every joining machine,
 * against {@link EtcdModel}, each call of each program being a place where it may die or where
 * others may come between. What has been promised is checked at every call and every second, and at
 * the end that every join is done or as if it had never begun.
 */
final class Simulation {

    /** By then, however things went before, everything must have come to its end. */
    private static final long END = Schedule.CALM + 3 * 3_600_000L;
    static final JoinLimits LIMITS = JoinLimits.DEFAULTS.withTurn(Duration.ofMinutes(10))
            .withLookBack(Duration.ofMinutes(20));

    private final Schedule schedule;
    private final UnaryOperator<Function<JoinFacts, JoinDecision>> twist;
    private final VirtualWorld world = new VirtualWorld();
    private final Random random;
    private final EtcdModel model;
    private final List<Machine> machines = new ArrayList<>();
    private final Map<Machine, Joining> joins = new LinkedHashMap<>();
    private final Map<Machine, Leaving> resets = new LinkedHashMap<>();
    private final Map<Integer, Map<Long, Mishap>> crashes = new HashMap<>();
    private final Map<Integer, Map<Long, Mishap>> callMishaps = new HashMap<>();

    /** @param twist what is done to the decider, for showing that the simulation notices */
    private Simulation(Schedule schedule, UnaryOperator<Function<JoinFacts, JoinDecision>> twist) {
        this.schedule = schedule;
        this.twist = twist;
        this.random = new Random(schedule.seed() * 31 + 17);
        for (int i = 0; i < schedule.voters() + schedule.joiners(); i++) {
            machines.add(new Machine(i, 3_000 + random.nextInt(60_000)));
        }
        this.model = new EtcdModel(world, EtcdVersion.parse(schedule.version()),
                schedule.maxLearners(), random, machines);
    }

    /** Plays it; what went wrong, if anything did. */
    static Optional<String> play(Schedule schedule,
            UnaryOperator<Function<JoinFacts, JoinDecision>> twist) {
        var simulation = new Simulation(schedule, twist);
        try {
            simulation.run();
            return Optional.empty();
        } catch (Violation | RuntimeException e) {
            StackTraceElement[] trace = e.getStackTrace();
            return Optional.of(
                    "%s at %d ms: %s%s\n  members: %s".formatted(e.getClass().getSimpleName(),
                            simulation.world.now(), e.getMessage(), e instanceof Violation
                                    || trace.length == 0 ? "" : " " + trace[0],
                            simulation.model.describe()));
        }
    }

    private void run() {
        model.found(machines.subList(0, schedule.voters()), 60_000 + random.nextInt(240_000));
        if (schedule.ghost()) {
            model.haunt(URI.create("https://ghost:2380"));
        }
        for (Mishap mishap : schedule.mishaps()) {
            if (mishap.kind() == Kind.CRASH || mishap.kind() == Kind.INTERRUPT) {
                crashes.computeIfAbsent(mishap.machine(), key -> new HashMap<>())
                        .put(mishap.at(), mishap);
            } else if (mishap.kind().ofCall()) {
                callMishaps.computeIfAbsent(mishap.machine(), key -> new HashMap<>())
                        .put(mishap.at(), mishap);
            } else {
                world.in(mishap.at(), () -> befall(mishap));
            }
        }
        for (int i = 0; i < schedule.joiners(); i++) {
            Machine machine = machines.get(schedule.voters() + i);
            machine.kubelet = schedule.brokenJoiner() != machine.number;
            join(machine, random.nextInt(i == 0 ? 1_000 : 60_000));
        }
        for (int leaver : schedule.leavers()) {
            Machine machine = machines.get(leaver);
            resets.put(machine, new Leaving(machine, world.now() + random.nextInt(60_000)));
        }
        world.in(1_000, this::second);
        while (world.now() < END && !over()) {
            world.next();
        }
        checkTheEnd();
    }

    private void second() {
        model.second();
        model.check();
        world.in(1_000, this::second);
    }

    private void join(Machine machine, long delay) {
        Joining joining = joins.computeIfAbsent(machine, Joining::new);
        joining.done = false;
        joining.failures = 0;
        joining.begin(delay);
    }

    private void befall(Mishap mishap) {
        Machine machine = machines.get(mishap.machine());
        switch (mishap.kind()) {
            case STOP -> {
                machine.stopped = true;
                machine.down(world.now());
                world.in(mishap.millis(), () -> machine.stopped = false);
            }
            case ISOLATE -> {
                machine.reachable = false;
                world.in(mishap.millis(), () -> model.reconnect(machine));
            }
            case LAG -> {
                machine.lagging = true;
                world.in(mishap.millis(), () -> machine.lagging = false);
            }
            case NO_KUBELET -> {
                machine.kubelet = false;
                world.in(mishap.millis(),
                        () -> machine.kubelet = schedule.brokenJoiner() != machine.number);
            }
            case LOSE_DISK -> {
                machine.down(world.now());
                machine.data = Optional.empty();
                machine.lastIndex = 0;
                boolean idle = joins.get(machine) == null || joins.get(machine).done;
                if (idle && !resets.containsKey(machine)) {
                    join(machine, 5_000);
                }
            }
            case ELECTION -> model.election();
            case CRASH, INTERRUPT, REPLY_LOST, REQUEST_LOST, APPLIED_LATE, APPLIED_BY_NEXT_LEADER ->
                    throw new IllegalStateException(mishap.toString());
        }
    }

    private boolean over() {
        return world.now() > Schedule.CALM
                && joins.values().stream().allMatch(joining -> joining.done)
                && resets.values().stream().allMatch(leaving -> leaving.done);
    }

    // ---- one program on one machine

    private Steps stepsOf(Machine machine, Runnable interrupt) {
        return new Steps(crashes.getOrDefault(machine.number, Map.of()),
                callMishaps.getOrDefault(machine.number, Map.of()), interrupt);
    }

    private EtcdCluster client(Machine machine, Steps steps, Optional<RejoinOptions> joining) {
        return new SimulatedClient(machine, steps, joining, model, world, random);
    }

    private final class Joining {
        private final Machine machine;
        private final Steps steps;
        private Joiner joiner;
        private boolean withdrawing;
        private boolean interrupted;
        private boolean done;
        private boolean joined;
        private int attempts;
        private int failures;
        /** Whether the attempt was begun when nothing goes wrong any more. */
        private boolean calm;
        private RejoinOptions options = RejoinOptions.NONE;
        private String last = "";

        Joining(Machine machine) {
            this.machine = machine;
            this.steps = stepsOf(machine, () -> interrupted = true);
        }

        /**
         * The operator runs the command, with stronger words when everything else has been tried.
         */
        void begin(long delay) {
            world.in(delay, () -> {
                attempts++;
                calm = world.now() > Schedule.CALM;
                options = new RejoinOptions(schedule.ghost() && attempts > 1,
                        schedule.loses(machine.number), false, schedule.degraded(),
                        schedule.loses(machine.number) || calm
                                ? Optional.of(EtcdModel.CLUSTER) : Optional.empty());
                withdrawing = false;
                interrupted = false;
                NewMember wanted = new NewMember(machine.name, machine.peerUrl);
                MemberAdder adder = new LearnerMemberAdder();
                joiner = new Joiner(wanted, adder,
                        twist.apply(new JoinDecider(wanted, "run-" + attempts, adder, options,
                                LIMITS)),
                        client(machine, steps, Optional.of(options)), new Journal(),
                        new SimulatedNode(machine, steps, model, world, random), world::instant);
                step();
            });
        }

        private void step() {
            try {
                withdrawing |= interrupted;
                switch (withdrawing ? joiner.withdraw() : joiner.step()) {
                    case JoinStep.Went went -> world.in(1 + random.nextInt(20), this::step);
                    case JoinStep.Waiting(WaitReason reason, String detail, var pause,
                            var progress) -> {
                        last = detail;
                        long interval = reason.queueing() ? 3_000 : reason == WaitReason.UNCONFIRMED
                                ? 900 : 1_600;
                        world.in(Math.max(pause.toMillis(), interval + random.nextInt(400)),
                                this::step);
                    }
                    case JoinStep.Joined ended -> {
                        done = true;
                        joined = true;
                    }
                    case JoinStep.Failed(String what, String why, String next) -> {
                        last = what + ": " + why;
                        withdrawing = true;
                        world.in(1, this::step);
                    }
                    case JoinStep.TakenBack ended -> giveUpOrTryAgain();
                }
            } catch (Killed killed) {
                begin(killed.restart);
            }
        }

        /**
         * Only what failed by itself is a reason to give up: a program that is killed or stopped is
         * run again.
         */
        private void giveUpOrTryAgain() {
            failures += calm && !interrupted ? 1 : 0;
            if (failures >= 3) {
                done = true;
                joined = false;
                return;
            }
            begin(15_000 + random.nextInt(30_000));
        }

        private final class Journal implements MembershipJournal {
            @Override
            public Optional<JoinEntry> read() {
                return machine.journal.read();
            }

            @Override
            public void write(JoinEntry entry) {
                steps.mayDie();
                machine.journal.write(entry);
                steps.mayDie();
            }

            @Override
            public void clear() {
                steps.mayDie();
                machine.journal.clear();
                steps.mayDie();
            }
        }

    }

    /** The reset of a voter, as the reset's phase carries it out. */
    private final class Leaving {
        private final Machine machine;
        private final Steps steps;
        private final MemberRemoval removal = new MemberRemoval();
        private boolean done;
        private boolean left;
        private int attempts;
        private long startedAt;

        Leaving(Machine machine, long at) {
            this.machine = machine;
            this.steps = stepsOf(machine, () -> { });
            begin(at);
        }

        private void begin(long delay) {
            world.in(delay, () -> {
                startedAt = world.now();
                step();
            });
        }

        private void step() {
            try {
                EtcdCluster cluster = client(machine, steps, Optional.empty());
                EtcdHealth health;
                try {
                    health = EtcdHealth.ask(cluster);
                } catch (EtcdCallException e) {
                    later();
                    return;
                }
                after(removal.attempt(cluster, health, new OwnMember(machine.data,
                        Optional.of(machine.name), Set.of(machine.peerUrl)),
                        Removal.Progress.NONE));
            } catch (Killed killed) {
                begin(killed.restart);
            }
        }

        private void after(Removal outcome) {
            switch (outcome) {
                case Removal.Confirmed confirmed -> world.in(1, this::step);
                case Removal.MustWait(String why, var pause, var cause) ->
                        world.in(pause.toMillis() + 1, this::step);
                case Removal.Declined(RemovalPlan.NotListed none) -> wipe();
                case Removal.Declined(RemovalPlan.LastMember last) -> done = true;
                case Removal.Declined declined -> later();
                case Removal.StillListed still -> later();
            }
        }

        private void later() {
            boolean tooLong = world.now() - startedAt > 30_000;
            attempts += tooLong && world.now() > Schedule.CALM ? 1 : 0;
            if (attempts >= 4) {
                done = true;
                return;
            }
            if (tooLong) {
                begin(30_000);
                return;
            }
            world.in(1_000, this::step);
        }

        private void wipe() {
            steps.mayDie();
            if (model.servers.stream().anyMatch(server -> server.peerUrl.equals(machine.peerUrl))) {
                throw new Violation("the data of a listed member is wiped");
            }
            machine.manifest = Optional.empty();
            machine.down(world.now());
            steps.mayDie();
            machine.data = Optional.empty();
            machine.lastIndex = 0;
            left = true;
            done = true;
        }
    }

    // ---- the end

    private void checkTheEnd() {
        joins.forEach((machine, joining) -> {
            if (!joining.done) {
                throw new Violation("the join of machine %d never ends: %s, journal %s"
                        .formatted(machine.number,
                                joining.last, machine.journal.read().map(JoinEntry::state)));
            }
            Optional<ModelServer> listed = model.servers.stream()
                    .filter(server -> server.peerUrl.equals(machine.peerUrl)).findFirst();
            if (joining.joined) {
                if (listed.filter(server -> !server.learner && !server.name.isEmpty()).isEmpty()) {
                    throw new Violation("machine %d has joined and is no voter: %s"
                            .formatted(machine.number, listed
                            .map(server -> server.member().describe()).orElse("not listed")));
                }
                return;
            }
            if (expectedToJoin(machine)) {
                throw new Violation(
                        "machine %d could not join though nothing stood in its way: %s".formatted(
                                machine.number, joining.last));
            }
            boolean voterThatLostItsDisk = machine.number < schedule.voters()
                    || machine.data.isEmpty();
            if (listed.isPresent() && !(voterThatLostItsDisk && !listed.get().learner)) {
                throw new Violation(
                        "the failed join of machine %d left %s: %s".formatted(machine.number,
                                listed.get().member().describe(), joining.last));
            }
            if (machine.journal.read().filter(entry -> entry.state().mayBeListed()).isPresent()
                    && !schedule.loses(machine.number)) {
                throw new Violation(
                        "the failed join of machine %d left a journal: %s".formatted(machine.number,
                                machine.journal.read().get().state()));
            }
        });
        resets.forEach((machine, leaving) -> {
            if (!leaving.done) {
                throw new Violation("the reset of machine %d never ends".formatted(machine.number));
            }
            boolean listed = model.servers.stream()
                    .anyMatch(server -> server.peerUrl.equals(machine.peerUrl));
            if (leaving.left && listed) {
                throw new Violation("machine %d was reset and is listed".formatted(machine.number));
            }
        });
        for (int i = 0; i < 20 && !model.serving(); i++) {
            world.pass(1_000);
        }
        if (!model.serving()) {
            throw new Violation("the cluster has no leader in the end");
        }
    }

    /** Where all disks were spared and the kubelet works, there is no excuse. */
    private boolean expectedToJoin(Machine machine) {
        return schedule.brokenJoiner() != machine.number && !schedule.ghost()
                && schedule.mishaps().stream().noneMatch(mishap -> mishap.kind() == Kind.LOSE_DISK);
    }
}
