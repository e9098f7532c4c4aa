package io.kjadm.core.simulation;

import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.join.JoinOfAMember;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.simulation.Oracle.Resets;
import io.kjadm.etcd.MemberId;
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
import io.kjadm.etcd.model.ModelServer;
import io.kjadm.etcd.model.Violation;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The machine of an operator who wants it to join. */
final class Joining {

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

    private final Host host;
    private final Simulation stage;
    boolean done;
    boolean joined;
    boolean wasReset;
    /** Whether a roll-back was interrupted as the schedule says. */
    private boolean signalled;

    private int attempts;
    private int failures;
    String last = "";

    Joining(Host host, Simulation stage) {
        this.host = host;
        this.stage = stage;
    }

    /** An operator orders the join, for the first time or again. */
    void order(long delay) {
        done = false;
        failures = 0;
        begin(delay);
    }

    /** The command is run, with stronger words when everything else has been tried. */
    private void begin(long delay) {
        stage.programs.begin(host, delay, this::run);
    }

    private void run(Program program, Tampering between) {
        attempts++;
        // nothing goes wrong any more
        boolean calm = stage.world.now() > Schedule.CALM;
        RejoinOptions options = new RejoinOptions(
                attempts > 1 && (stage.schedule.oddities().ghost() || stage.schedule.foreign()),
                stage.schedule.loses(host.number),
                false,
                stage.schedule.degraded(),
                false,
                stage.schedule.loses(host.number) || calm
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
            begin(15_000 + stage.random.nextInt(30_000));
        }
    }

    private void join(Program program, Tampering between, RejoinOptions options) {
        host.newRun();
        if (!stage.schedule.upgraders().isEmpty()) {
            host.etcdTag = stage.model.newest().map(version -> version + "-0");
        }
        ProgramWaiter waiter = new ProgramWaiter(program, stage.world, !between.waitsForEver());
        QuietReporter out = QuietReporter.of(stage.world, host, stage.log);
        HostDisk disk = new HostDisk(host, program);
        NewMember wanted = new NewMember(host.name, host.peerUrl);
        MemberAdder adder = new LearnerMemberAdder();
        MembershipJournal journal =
                new CachedJournal(new JournalFile(disk, Host.PATHS.tmpDir()), host);
        Set<URI> endpoints = stage.model.servers.stream()
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
                        host, program, new Oracle.Joins(options), endpoints, stage.play)),
                journal,
                new SimulatedNode(host, program, stage.play, waiter, out),
                stage.world::instant);
        MembershipLock lock = new LeaseLocks(disk, waiter, waiter.background(), stage.random)
                .of(() -> stage.api.of(host, program), host.name, out);
        JoinOfAMember.join(joiner, host.peerUrl, LIMITS, lock, journal, waiter, out);
    }

    /**
     * Somebody may see what is decided and be quick to save the learner, or to stop the
     * program.
     */
    private Function<JoinFacts, JoinDecision> watched(Program program, JoinDecider decider) {
        boolean nosy = stage.schedule.oddities().nosy();
        return facts -> {
            JoinDecision decision = decider.apply(facts);
            if (facts.rollingBack() && stage.schedule.oddities().impatient() && !signalled) {
                signalled = true;
                program.interrupt();
            }
            if (!nosy) {
                return decision;
            }
            removal(decision).flatMap(this::server).filter(it -> it.learner).ifPresent(learner -> {
                stage.mishaps.promote(learner);
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
            stage.reset(host, new Resets(stage.random.nextBoolean(), false), killed.restart);
            return;
        }
        begin(killed.restart);
    }

    /** Where etcd could be asked all the time, a join that failed has left nothing. */
    private void requireNothingLeft() {
        boolean left = noted().filter(entry -> entry.state().mayBeListed()).isPresent()
                && learner().isPresent();
        if (left && !stage.mishaps.slow() && stage.oracle.quietFor(host, QUIET)) {
            throw new Violation("the failed join of machine %d left its learner behind: %s"
                    .formatted(host.number, last));
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
        return stage.model.servers.stream()
                .filter(server -> server.id.equals(id))
                .findFirst();
    }

    private Optional<ModelServer> learner() {
        return stage.model.servers.stream()
                .filter(server ->
                        server.learner && server.machine.filter(host::equals).isPresent())
                .findFirst();
    }

    /** What the journal on the machine says. */
    Optional<JoinEntry> noted() {
        return new JournalFile(host.files, Host.PATHS.tmpDir()).read();
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
}
