package io.kjadm.core.simulation;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.leave.EtcdOutcome;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.join.JoinOfAMember;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.reset.ResetOfAMember;
import io.kjadm.core.simulation.Mishap.Kind;
import io.kjadm.core.simulation.Oracle.Resets;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.join.JoinDecider;
import io.kjadm.etcd.join.JoinDecision;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinFacts;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.LearnerMemberAdder;
import io.kjadm.etcd.join.MemberAdder;
import io.kjadm.etcd.join.MemberJoinExecutor;
import io.kjadm.etcd.join.MembershipJournal;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;
import io.kjadm.etcd.model.EtcdModel;
import io.kjadm.etcd.model.Machine;
import io.kjadm.etcd.model.ModelServer;
import io.kjadm.etcd.model.Violation;
import io.kjadm.etcd.model.VirtualWorld;
import io.kjadm.manifests.NameAndUrl;

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
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

    static final JoinLimits LIMITS = new JoinLimits(
            JoinLimits.DEFAULTS.fault(),
            Duration.ofMinutes(10),
            JoinLimits.DEFAULTS.stall(),
            JoinLimits.DEFAULTS.total(),
            JoinLimits.DEFAULTS.finalCheck(),
            JoinLimits.DEFAULTS.rollback(),
            new JoinLimits.Abandoned(
                    JoinLimits.DEFAULTS.abandoned().after(), Duration.ofMinutes(20)));
    /** Of a join that failed, to find etcd as it found it. */
    private static final long QUIET = 120_000;

    private static final MemberId LONG_GONE = new MemberId(0xdead);

    private final Schedule schedule;
    private final Supplier<? extends Tampering> tampering;
    private final List<String> log;
    private final VirtualWorld world = new VirtualWorld();
    private final Cast cast = new Cast(world, this::over);
    private final Random random;
    private final Oracle oracle;
    private final EtcdModel model;
    private final LeaseApi api;
    private final SimulatedClient.Play play;
    private final List<Host> hosts = new ArrayList<>();
    private final Machine operator = new Machine(-1, "operator", "operator", 0);
    private final Map<Host, Joining> joins = new LinkedHashMap<>();
    private final Map<Host, Leaving> resets = new LinkedHashMap<>();
    private final List<Upgrading> upgrades = new ArrayList<>();
    private final Map<Integer, Steps> steps = new HashMap<>();
    private int slow;
    private int foreigners;

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
        this.play = new SimulatedClient.Play(model, world, random, oracle, () -> slow > 0);
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
                .forEach(mishap -> world.in(mishap.at(), () -> befall(mishap)));
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
                    hosts.get(upgrader.machine()), upgrader, new Programs(), api, play, random);
            upgrades.add(upgrade);
            upgrade.begin(random.nextInt(60_000));
        }
        schedule.oddities().oldBox().ifPresent(how -> reset(oldBox(), how, random.nextInt(60_000)));
        world.in(1_000, this::second);
        cast.play();
        checkTheEnd();
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

    // ---- what goes wrong

    private void befall(Mishap mishap) {
        Host host = hosts.get(mishap.machine());
        switch (mishap.kind()) {
            case STOP -> {
                host.stopped = true;
                host.down(world.now());
                troubled(host, mishap, () -> host.stopped = false);
            }
            case ISOLATE -> {
                host.reachable = false;
                troubled(host, mishap, () -> model.reconnect(host));
            }
            case LAG -> {
                host.lagging = true;
                world.in(mishap.millis(), () -> host.lagging = false);
            }
            case NO_KUBELET -> {
                host.kubeletWorks(false);
                troubled(
                        host,
                        mishap,
                        () -> host.kubeletWorks(schedule.oddities().brokenJoiner() != host.number));
            }
            case LOSE_DISK -> {
                host.loseDisk(world.now());
                boolean idle = joins.get(host) == null || joins.get(host).done;
                if (idle && !resets.containsKey(host)) {
                    join(host, 5_000);
                }
            }
            case SLOW -> {
                slow++;
                world.in(mishap.millis(), () -> slow--);
            }
            case FOREIGN_ADD ->
                foreign(() -> model.propose(model.add(
                        operator,
                        URI.create("https://foreign-%d:2380".formatted(foreigners++)),
                        true)));
            case FOREIGN_REMOVE_VOTER -> removeVoter(host);
            case ELECTION -> model.election();
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
        host.trouble(world.now());
        world.in(mishap.millis(), () -> {
            end.run();
            host.recovers(world.now());
        });
    }

    private void foreign(Runnable change) {
        EtcdCallException.of(change);
    }

    /** An operator who can count removes a voter, though none where another has lost its data. */
    private void removeVoter(Host host) {
        if (schedule.has(Kind.LOSE_DISK)) {
            return;
        }
        List<ModelServer> voters =
                model.servers.stream().filter(it -> !it.learner).toList();
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
            model.propose(model.remove(operator, voter.get().id));
            oracle.removedByOthers.add(host);
        });
    }

    /** What somebody does with etcdctl to the learner of a machine, right at a place. */
    private void intervene(Mishap mishap) {
        Host host = hosts.get(mishap.machine());
        model.servers.stream()
                .filter(server ->
                        server.learner && server.machine.filter(host::equals).isPresent())
                .findFirst()
                .ifPresent(learner -> foreign(() -> {
                    if (mishap.kind() == Kind.FOREIGN_PROMOTE) {
                        model.propose(model.promote(operator, learner.id));
                        oracle.promotedByOthers(learner);
                        return;
                    }
                    model.propose(model.remove(operator, learner.id));
                    oracle.removedByOthers.add(host);
                }));
    }

    // ---- the programs

    /** For those that are not written here. */
    private final class Programs implements Upgrading.Stage {

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
                        of(number, Kind::ofPlace), of(number, Kind::ofCall), this::intervene));
    }

    private Map<Long, Mishap> of(int machine, Function<Kind, Boolean> which) {
        Map<Long, Mishap> mishaps = new HashMap<>();
        schedule.mishaps().stream()
                .filter(mishap -> mishap.machine() == machine && which.apply(mishap.kind()))
                .forEach(mishap -> mishaps.put(mishap.at(), mishap));
        return mishaps;
    }

    private void join(Host host, long delay) {
        Joining joining = joins.computeIfAbsent(host, Joining::new);
        joining.done = false;
        joining.failures = 0;
        joining.begin(delay);
    }

    private void reset(Host host, Resets how, long delay) {
        host.resets = Optional.of(how);
        Leaving leaving = new Leaving(host, how);
        resets.put(host, leaving);
        leaving.begin(delay);
    }

    /** What is noted, read again only when a file has changed. */
    private static final class CachedJournal implements MembershipJournal {
        private final JournalFile file;
        private final Host host;
        private long seen = -1;
        private Optional<JoinEntry> entry = Optional.empty();

        CachedJournal(JournalFile file, Host host) {
            this.file = file;
            this.host = host;
        }

        @Override
        public Optional<JoinEntry> read() {
            if (seen != host.changes) {
                entry = file.read();
                seen = host.changes;
            }
            return entry;
        }

        @Override
        public void write(JoinEntry next) {
            file.write(next);
        }

        @Override
        public void clear() {
            file.clear();
        }
    }

    private Optional<JoinEntry> noted(Host host) {
        return new JournalFile(host.files, Host.PATHS.tmpDir()).read();
    }

    /** The machine of an operator who wants it to join. */
    private final class Joining {
        private final Host host;
        private boolean done;
        private boolean joined;
        private boolean wasReset;
        /** Whether a roll-back was interrupted as the schedule says. */
        private boolean signalled;

        private int attempts;
        private int failures;
        private String last = "";

        Joining(Host host) {
            this.host = host;
        }

        /** The command is run, with stronger words when everything else has been tried. */
        void begin(long delay) {
            Tampering between = tampering.get();
            Program program =
                    new Program(cast, world, stepsOf(host), between.interruptsEverything());
            cast.begin(delay, program, it -> run(it, between));
        }

        private void run(Program program, Tampering between) {
            attempts++;
            // nothing goes wrong any more
            boolean calm = world.now() > Schedule.CALM;
            RejoinOptions options = new RejoinOptions(
                    attempts > 1 && (schedule.oddities().ghost() || schedule.foreign()),
                    schedule.loses(host.number),
                    false,
                    schedule.degraded(),
                    false,
                    schedule.loses(host.number) || calm
                            ? Optional.of(EtcdModel.CLUSTER)
                            : Optional.empty());
            try {
                join(program, between, options);
                host.release();
                done = true;
                joined = true;
            } catch (Killed killed) {
                killed(killed);
            } catch (RuntimeException e) {
                last = e.getMessage();
                requireNothingLeft();
                // only what failed by itself is a reason to give up
                failures += calm && !program.interrupted() ? 1 : 0;
                if (failures >= 3) {
                    done = true;
                    joined = false;
                    return;
                }
                begin(15_000 + random.nextInt(30_000));
            }
        }

        private void join(Program program, Tampering between, RejoinOptions options) {
            host.newRun();
            if (!schedule.upgraders().isEmpty()) {
                host.etcdTag = model.newest().map(version -> version + "-0");
            }
            ProgramWaiter waiter = new ProgramWaiter(program, world, !between.waitsForEver());
            QuietReporter out = new QuietReporter(world, host, log);
            HostDisk disk = new HostDisk(host, program);
            NewMember wanted = new NewMember(host.name, host.peerUrl);
            MemberAdder adder = new LearnerMemberAdder();
            MembershipJournal journal =
                    new CachedJournal(new JournalFile(disk, Host.PATHS.tmpDir()), host);
            Set<URI> endpoints = model.servers.stream()
                    .filter(server -> !server.learner)
                    .flatMap(server -> server.machine.stream())
                    .map(machine -> machine.clientUrl)
                    .collect(Collectors.toSet());
            MemberJoinExecutor joiner = new MemberJoinExecutor(
                    wanted,
                    adder,
                    between.decider(watched(
                            program,
                            new JoinDecider(wanted, "run-" + attempts, adder, options, LIMITS))),
                    between.joining(new SimulatedClient(
                            host, program, new Oracle.Joins(options), endpoints, play)),
                    journal,
                    new SimulatedNode(host, program, play, waiter, out),
                    world::instant);
            MembershipLock lock = new LeaseLocks(disk, waiter, waiter.background(), random)
                    .of(() -> api.of(host, program), host.name, out);
            JoinOfAMember.join(joiner, host.peerUrl, LIMITS, lock, journal, waiter, out);
        }

        /**
         * Somebody may see what is decided and be quick to save the learner, or to stop the
         * program.
         */
        private Function<JoinFacts, JoinDecision> watched(Program program, JoinDecider decider) {
            boolean nosy = schedule.oddities().nosy();
            return facts -> {
                JoinDecision decision = decider.apply(facts);
                if (facts.rollingBack() && schedule.oddities().impatient() && !signalled) {
                    signalled = true;
                    program.interrupt();
                }
                if (!nosy) {
                    return decision;
                }
                removal(decision)
                        .flatMap(Simulation.this::server)
                        .filter(it -> it.learner)
                        .ifPresent(learner -> {
                            foreign(() -> {
                                model.propose(model.promote(operator, learner.id));
                                oracle.promotedByOthers(learner);
                            });
                            program.pass(1_000);
                        });
                return decision;
            };
        }

        private void killed(Killed killed) {
            if (killed.restart == Killed.NEVER) {
                return;
            }
            if (killed.reset) {
                done = true;
                wasReset = true;
                reset(host, new Resets(random.nextBoolean(), false), killed.restart);
                return;
            }
            begin(killed.restart);
        }

        /** Where etcd could be asked all the time, a join that failed has left nothing. */
        private void requireNothingLeft() {
            boolean left =
                    noted(host).filter(entry -> entry.state().mayBeListed()).isPresent()
                            && learner(host).isPresent();
            if (left && slow == 0 && oracle.quietFor(host, QUIET)) {
                throw new Violation("the failed join of machine %d left its learner behind: %s"
                        .formatted(host.number, last));
            }
        }
    }

    private static Optional<MemberId> removal(JoinDecision decision) {
        return switch (decision) {
            case JoinDecision.RemoveBlockingLearner way ->
                Optional.of(way.member().id());
            case JoinDecision.RemoveOwnLearner back ->
                Optional.of(back.learner().id());
            default -> Optional.empty();
        };
    }

    private Optional<ModelServer> server(MemberId id) {
        return model.servers.stream().filter(server -> server.id.equals(id)).findFirst();
    }

    private Optional<ModelServer> learner(Host host) {
        return model.servers.stream()
                .filter(server ->
                        server.learner && server.machine.filter(host::equals).isPresent())
                .findFirst();
    }

    /** The machine of an operator who resets it. */
    private final class Leaving {
        private final Host host;
        private final Resets how;
        private boolean done;
        private boolean left;
        private boolean kept;
        private int refusals;
        private String last = "";

        Leaving(Host host, Resets how) {
            this.host = host;
            this.how = how;
        }

        void begin(long delay) {
            Tampering between = tampering.get();
            Program program =
                    new Program(cast, world, stepsOf(host), between.interruptsEverything());
            cast.begin(delay, program, it -> run(it, between));
        }

        private void run(Program program, Tampering between) {
            boolean calm = world.now() > Schedule.CALM;
            try {
                switch (leave(program, between)) {
                    case EtcdOutcome.Gone _, EtcdOutcome.Absent _ -> left = true;
                    case EtcdOutcome.Kept(Problem problem) -> {
                        last = problem.facts();
                        kept = true;
                    }
                }
                done = true;
                requireGone();
            } catch (Killed killed) {
                if (killed.restart != Killed.NEVER) {
                    begin(killed.restart);
                }
            } catch (RuntimeException e) {
                last = e.getMessage();
                requireAsItWas();
                refusals += calm && !program.interrupted() ? 1 : 0;
                done = refusals >= 3;
                if (!done) {
                    begin(30_000);
                }
            }
        }

        private EtcdOutcome leave(Program program, Tampering between) {
            host.newRun();
            ProgramWaiter waiter = new ProgramWaiter(program, world, true);
            QuietReporter out = new QuietReporter(world, host, log);
            HostFiles disk = between.disk(new HostDisk(host, program));
            HostRuntime runtime = new HostRuntime(host, program, world);
            return new ResetOfAMember(
                            disk,
                            host.commands(program),
                            runtime,
                            waiter,
                            new KubeClients(disk, access -> api.of(host, program)),
                            access -> between.resetting(
                                    new SimulatedClient(
                                            host, program, how, access.endpoints(), play),
                                    host),
                            new LeaseLocks(disk, waiter, waiter.background(), random),
                            out)
                    .run(
                            how.force(),
                            how.forceLastMember(),
                            api.serves() && host.reachable
                                    ? Optional.of(ClusterConfiguration.defaults())
                                    : Optional.empty());
        }

        private void requireGone() {
            Optional<ModelServer> listed = model.servers.stream()
                    .filter(server -> server.machine.filter(host::equals).isPresent())
                    .findFirst();
            if (left && !oracle.hasEnded() && listed.isPresent()) {
                throw new Violation("machine %d was reset and is listed: %s"
                        .formatted(host.number, listed.get().member().describe()));
            }
        }

        /** A reset that does not go on puts back what it has taken out. */
        private void requireAsItWas() {
            boolean out = Host.CLIENTS.stream()
                    .anyMatch(component -> host.files.exists(Host.PATHS
                            .tmpDir()
                            .resolve("kjadm-reset")
                            .resolve(component + ".yaml")));
            if (host.files.exists(Host.ETCD) && out) {
                throw new Violation("the refused reset of machine %d left manifests out: %s"
                        .formatted(host.number, last));
            }
        }
    }

    // ---- the end

    private void checkTheEnd() {
        joins.forEach((host, joining) -> checkTheEnd(host, joining));
        resets.forEach((host, leaving) -> {
            if (!leaving.done) {
                throw new Violation("the reset of machine %d never ends: %s"
                        .formatted(host.number, leaving.last));
            }
            leaving.requireGone();
        });
        for (int i = 0; i < 20 && !model.serving(); i++) {
            world.pass(1_000);
        }
        if (!upgrades.isEmpty()) {
            world.pass(60_000);
        }
        upgrades.forEach(upgrade -> upgrade.checkTheEnd(expectedToUpgrade(upgrade.machine())));
        if (!model.serving() && !maySilence()) {
            throw new Violation("the cluster has no leader in the end");
        }
    }

    /** Whether an operator has asked for an end, or has given up a voter that nobody heard of. */
    private boolean maySilence() {
        return oracle.hasEnded() || !oracle.givenUp.isEmpty();
    }

    private void checkTheEnd(Host host, Joining joining) {
        if (!joining.done) {
            throw new Violation("the join of machine %d never ends: %s, journal %s"
                    .formatted(host.number, joining.last, noted(host).map(JoinEntry::state)));
        }
        if (joining.wasReset || maySilence()) {
            return;
        }
        Optional<ModelServer> listed = model.servers.stream()
                .filter(server -> server.peerUrl.equals(host.peerUrl))
                .findFirst();
        if (joining.joined) {
            boolean votes = listed.filter(server -> !server.learner && !server.name.isEmpty())
                    .isPresent();
            if (!votes && !oracle.removedByOthers.contains(host)) {
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
        boolean lostItsDisk = host.number < schedule.voters() || host.data.isEmpty();
        boolean mayStay = listed.filter(server ->
                        !server.learner && (lostItsDisk || oracle.wasPromotedByOthers(server)))
                .isPresent();
        if (listed.isPresent() && !mayStay) {
            throw new Violation("the failed join of machine %d left %s: %s"
                    .formatted(host.number, listed.get().member().describe(), joining.last));
        }
        if (noted(host).filter(entry -> entry.state().mayBeListed()).isPresent()
                && !schedule.loses(host.number)
                && !schedule.foreign()) {
            throw new Violation("the failed join of machine %d left a journal: %s"
                    .formatted(host.number, noted(host).get().state()));
        }
    }

    /** Etcd allows the step, and nobody else's new etcd is one that does not run at first. */
    private boolean expectedToUpgrade(int machine) {
        return schedule.stepIsAllowed()
                && schedule.upgraders().stream()
                        .allMatch(one -> one.ends().isEmpty() || one.machine() == machine)
                && resets.values().stream().noneMatch(leaving -> leaving.kept);
    }

    /** Where all disks were spared and everybody else is well, there is no excuse. */
    private boolean expectedToJoin(Host host) {
        Schedule.Oddities odd = schedule.oddities();
        boolean hindered =
                Stream.of(odd.brokenJoiner(), odd.twin()).anyMatch(it -> it == host.number)
                        || odd.ghost();
        return !hindered
                && !schedule.has(Kind.LOSE_DISK)
                && !schedule.foreign()
                && resets.values().stream().noneMatch(leaving -> leaving.kept);
    }
}
