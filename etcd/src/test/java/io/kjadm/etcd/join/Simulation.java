package io.kjadm.etcd.join;

import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberRemoval;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.OwnMember;
import io.kjadm.etcd.Removal;
import io.kjadm.etcd.RemovalPlan;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.RpcKind;
import io.kjadm.etcd.StatusAnswer;
import io.kjadm.etcd.join.Mishap.Kind;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Plays one {@link Schedule}: the production classes decide and act on every joining machine,
 * against {@link EtcdModel}, each call of each program being a place where it may die or where
 * others may come between. What has been promised is checked at every call and every second, and at
 * the end that every join is done or as if it had never begun.
 */
final class Simulation {

    /** By then, however things went before, everything must have come to its end. */
    private static final long END = Schedule.CALM + 3 * 3_600_000L;
    /**
     * What may be written between a look and the promotion it leads to, beyond the limit of the
     * lag.
     */
    private static final long SLACK = 2_000;
    private static final JoinLimits LIMITS = JoinLimits.DEFAULTS.withTurn(Duration.ofMinutes(10))
            .withLookBack(Duration.ofMinutes(20));

    /** The end of a program by kill -9. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
        private final long restart;

        private Killed(long restart) {
            super(null, null, false, false);
            this.restart = restart;
        }
    }

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

    /** Counts the places at which a program may die. */
    private final class Steps {
        private final Machine machine;
        private long points;
        private long calls;

        Steps(Machine machine) {
            this.machine = machine;
        }

        Optional<Mishap> crashNow() {
            Optional<Mishap> here =
                    Optional.ofNullable(
                            crashes.getOrDefault(machine.number, Map.of()).get(points++));
            here.filter(mishap -> mishap.kind() == Kind.INTERRUPT && joins.containsKey(machine))
                    .ifPresent(mishap -> joins.get(machine).interrupted = true);
            return here.filter(mishap -> mishap.kind() == Kind.CRASH);
        }

        void mayDie() {
            crashNow().ifPresent(mishap -> {
                throw new Killed(mishap.millis());
            });
        }

        Optional<Mishap> callMishap() {
            return Optional.ofNullable(
                    callMishaps.getOrDefault(machine.number, Map.of()).get(calls++));
        }
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
            this.steps = new Steps(machine);
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
                        new Client(machine, steps, Optional.of(this)), new Journal(), new Node(),
                        world::instant);
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

        private final class Node implements LocalMember {
            @Override
            public LocalTrace trace() {
                return machine.data.map(id ->
                        new LocalTrace(true, Optional.of(id), Optional.of(EtcdModel.CLUSTER)))
                        .orElse(LocalTrace.NONE);
            }

            @Override
            public LifeSigns lifeSigns() {
                return new LifeSigns(machine.up, machine.lastIndex, 0, Optional.empty());
            }

            @Override
            public Optional<Ailment> hindrance() {
                // a kubelet may die right after it was asked
                return Optional.empty();
            }

            @Override
            public Map<MemberId, String> unreached(List<Member> voters) {
                steps.mayDie();
                world.pass(1 + random.nextInt(300));
                return voters.stream().flatMap(voter -> model.servers.stream()
                                .filter(server -> server.id.equals(voter.id())
                                        && !model.reaches(machine, server)))
                        .collect(Collectors.toMap(server -> server.id,
                                server -> "connection refused"));
            }

            @Override
            public String unready() {
                return machine.up ? "" : "connection refused";
            }

            @Override
            public void writeManifest(List<Member> members, Member own) {
                steps.mayDie();
                boolean voterWithoutData = own.voter() && own.started() && machine.data.isEmpty();
                if (voterWithoutData) {
                    throw new Violation("a voter that lost its data is started: " + own.describe());
                }
                machine.manifest =
                        Optional.of(members.stream().flatMap(member -> member.peerUrls().stream())
                        .collect(Collectors.toSet()));
                machine.nextStart = world.now() + 1_000 + random.nextInt(5_000);
                steps.mayDie();
            }

            @Override
            public String takeAway() {
                steps.mayDie();
                model.servers.stream()
                        .filter(server -> machine.data.filter(server.id::equals).isPresent()
                        && !server.learner).findFirst().ifPresent(voter -> {
                            throw new Violation("the data of a listed voter is taken away: "
                                    + voter.member().describe());
                        });
                machine.manifest = Optional.empty();
                steps.mayDie();
                world.pass(500 + random.nextInt(2_000));
                machine.down(world.now());
                machine.data = Optional.empty();
                machine.lastIndex = 0;
                steps.mayDie();
                return "";
            }

            @Override
            public void help() {
                // the model has no start race
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
            this.steps = new Steps(machine);
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
                EtcdCluster cluster = new Client(machine, steps, Optional.empty());
                EtcdHealth health;
                try {
                    health = EtcdHealth.ask(cluster);
                } catch (EtcdCallException e) {
                    later();
                    return;
                }
                switch (removal.plan(health,
                        new OwnMember(machine.up ? machine.data : Optional.empty(),
                        Set.of(machine.peerUrl)))) {
                    case RemovalPlan.NotListed none -> wipe();
                    case RemovalPlan.LastMember last -> done = true;
                    case RemovalPlan.Remove plan -> after(removal.carryOut(cluster, plan));
                    case RemovalPlan.MoveLeaderThenRemove plan ->
                            after(removal.carryOut(cluster, plan));
                    case RemovalPlan.Refused refused -> later();
                }
            } catch (Killed killed) {
                begin(killed.restart);
            }
        }

        private void after(Removal outcome) {
            switch (outcome) {
                case Removal.Confirmed confirmed -> world.in(1, this::step);
                case Removal.MustWait(String why, var pause) ->
                        world.in(pause.toMillis() + 1, this::step);
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

    // ---- its connection to etcd

    private final class Client implements EtcdCluster {
        private final Machine machine;
        private final Steps steps;
        private final Optional<Joining> joining;

        Client(Machine machine, Steps steps, Optional<Joining> joining) {
            this.machine = machine;
            this.steps = steps;
            this.joining = joining;
        }

        private void travel() {
            world.pass(random.nextInt(8) == 0 ? random.nextInt(800) : 1 + random.nextInt(10));
        }

        private <T> T read(Supplier<T> question) {
            steps.mayDie();
            travel();
            return question.get();
        }

        @Override
        public List<Member> membersKnownTo(URI clientUrl) {
            throw new UnsupportedOperationException(
                    "neither a join nor a reset asks one member for its own list");
        }

        @Override
        public List<Member> members() {
            return read(() -> model.list(machine));
        }

        @Override
        public MemberStatus status(Member member) {
            return model.status(machine, member.id());
        }

        @Override
        public Map<Member, StatusAnswer> statuses(Collection<Member> members) {
            return read(() -> {
                Map<Member, StatusAnswer> answers = new LinkedHashMap<>();
                members.forEach(member -> answers.put(member, StatusAnswer.ask(this, member)));
                return answers;
            });
        }

        @Override
        public MemberStatus status(URI clientUrl) {
            throw new UnsupportedOperationException("nobody asks here");
        }

        @Override
        public void snapshot(URI clientUrl, OutputStream into) {
            throw new UnsupportedOperationException("the last voter stays here");
        }

        private void change(EtcdModel.Asked asked, Supplier<Runnable> tested) {
            steps.mayDie();
            travel();
            Optional<Mishap> mishap = steps.callMishap();
            Kind kind = mishap.map(Mishap::kind).orElse(null);
            long millis = mishap.map(Mishap::millis).orElse(0L);
            if (kind == Kind.REQUEST_LOST) {
                world.pass(millis);
                throw lost();
            }
            Runnable change = tested.get();
            Optional<Mishap> inFlight = steps.crashNow();
            if (inFlight.isPresent()) {
                model.proposeLate(machine, asked, change, world.now() + random.nextInt(7_000));
                throw new Killed(inFlight.get().millis());
            }
            if (kind == Kind.APPLIED_LATE) {
                model.proposeLate(machine, asked, change, world.now() + millis);
                world.pass(millis % 2 * 7_000);
                throw lost();
            }
            if (kind == Kind.APPLIED_BY_NEXT_LEADER) {
                model.abdicate(machine, asked, change);
                throw lost();
            }
            model.propose(change);
            if (kind == Kind.REPLY_LOST) {
                world.pass(millis);
                throw lost();
            }
            travel();
            steps.mayDie();
        }

        private EtcdCallException lost() {
            return EtcdModel.refused(RpcKind.CHANGE, RpcCode.DEADLINE_EXCEEDED,
                    "deadline exceeded");
        }

        @Override
        public Member addLearner(URI peerUrl) {
            if (model.mayStillCome(machine, EtcdModel.Asked.ADD)) {
                throw new Violation("an add is sent while an earlier one may still come");
            }
            change(EtcdModel.Asked.ADD, () -> model.add(machine, peerUrl, true));
            return model.servers.stream().filter(server -> server.peerUrl.equals(peerUrl))
                    .findFirst().orElseThrow()
                    .member();
        }

        @Override
        public Member addVoter(URI peerUrl) {
            throw new Violation("a voter is added directly");
        }

        @Override
        public void promote(MemberId learner) {
            listed(learner).filter(server -> server.learner).ifPresent(server -> {
                if (server.machine.filter(machine::equals).isEmpty()) {
                    throw new Violation("somebody else's learner is promoted: "
                            + server.member().describe());
                }
                if (model.lag(server) > Following.LAG_LIMIT + SLACK && !machine.lagging) {
                    throw new Violation(
                            "a quorum is made to depend on %s, which is %d entries behind"
                                    .formatted(
                            server.member().describe(), model.lag(server)));
                }
                degraded().filter(voter -> joining.isEmpty()
                        || !joining.get().options.allowDegraded())
                        .ifPresent(voter -> {
                            throw new Violation("a learner is promoted while a voter is down: "
                                    + voter.member().describe());
                        });
            });
            change(EtcdModel.Asked.PROMOTE, () -> model.promote(machine, learner));
        }

        @Override
        public void remove(MemberId member) {
            if (joining.isPresent() && model.mayStillCome(machine, EtcdModel.Asked.PROMOTE)) {
                throw new Violation("a removal is sent while a promotion may still come");
            }
            change(EtcdModel.Asked.REMOVE, () -> {
                Runnable change = model.remove(machine, member);
                return () -> {
                    listed(member).ifPresent(this::mayRemove);
                    change.run();
                };
            });
        }

        /** A voter that is down for longer than a look may be old. */
        private Optional<EtcdModel.Server> degraded() {
            return model.servers.stream().filter(server -> !server.learner)
                    .filter(server ->
                            server.machine.filter(it -> !it.up
                                    && world.now() - it.downSince > 5_000)
                            .isPresent()).findFirst();
        }

        private Optional<EtcdModel.Server> listed(MemberId id) {
            return model.servers.stream().filter(server -> server.id.equals(id)).findFirst();
        }

        private void mayRemove(EtcdModel.Server server) {
            boolean own = server.peerUrl.equals(machine.peerUrl);
            RejoinOptions options = joining.map(join -> join.options).orElse(RejoinOptions.NONE);
            boolean abandoned = server.learner
                    && world.now() - server.addedAt >= LIMITS.abandoned().toMillis();
            if (!own && !abandoned && !(options.takeover() && server.learner)) {
                throw new Violation("somebody else's member is removed: "
                        + server.member().describe());
            }
            boolean reset = joining.isEmpty();
            if (!server.learner && !reset && !options.replaceLostVoter()) {
                throw new Violation("a voter is removed that nobody asked to remove: "
                        + server.member().describe());
            }
        }

        @Override
        public void moveLeader(MemberId from, MemberId to) {
            read(() -> {
                model.moveLeader(machine, from, to);
                return true;
            });
        }

        @Override
        public List<Alarm> alarms() {
            return List.of();
        }

        @Override
        public void close() {
            // nothing is open
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
            Optional<EtcdModel.Server> listed = model.servers.stream()
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
