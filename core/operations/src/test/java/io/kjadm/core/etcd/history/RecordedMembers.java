package io.kjadm.core.etcd.history;

import io.kjadm.core.etcd.LeadershipTransfer;
import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.etcd.check.FileDiskProbe;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.commands.MembershipChanges;
import io.kjadm.core.etcd.commands.MembershipSteps;
import io.kjadm.core.etcd.replace.MemberAddition;
import io.kjadm.core.etcd.replace.RealReplacement;
import io.kjadm.core.etcd.upkeep.DefragOptions;
import io.kjadm.core.etcd.upkeep.Defragmentation;
import io.kjadm.core.etcd.upkeep.RealMembers;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotEncoding;
import io.kjadm.core.snapshot.SnapshotSave;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdProbe;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.history.Recorder;
import io.kjadm.etcd.history.Recording;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.store.MemoryStore;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Real members whose clients are recorded, and the operator who changes them with the classes of
 * {@code kjadm etcd}. Each change is noted in the recording.
 */
final class RecordedMembers implements AutoCloseable {

    /** How long an operation may take; nothing depends on its being short. */
    private static final Duration LONG = Duration.ofMinutes(5);

    private static final Duration WRITES = Duration.ofSeconds(3);

    private final RealMembers members;
    private final Recorder recorder;
    private final Random random;
    private int joined;

    RecordedMembers(EtcdBinary binary, Path folder, int voters, long seed) throws IOException {
        this.members = new RealMembers(binary, folder, voters, EtcdProcess.WHOLE_LOG);
        this.recorder = new Recorder(members::endpoints, seed);
        this.random = new Random(seed);
    }

    /** Plays operations one after the other while clients work. */
    Recording record(List<RecordedOperation> operations) throws IOException {
        return recorder.record(
                () -> {
                    // etcd adds no member before its connections have stood for 5 s
                    members.settled();
                    for (RecordedOperation operation : operations) {
                        operation.play(this);
                    }
                },
                members::end);
    }

    String leader() {
        return member(health -> health.leader().orElseThrow());
    }

    String follower() {
        return member(health -> {
            List<Member> followers = health.voters().stream()
                    .filter(voter -> !voter.equals(health.leader().orElseThrow()))
                    .toList();
            return followers.get(random.nextInt(followers.size()));
        });
    }

    private String member(Function<EtcdHealth, Member> choice) {
        awaitHealthy();
        return choice.apply(EtcdHealth.ask(members.cluster())).name();
    }

    private void awaitHealthy() {
        RealMembers.until("every voter to be healthy", () -> {
            EtcdHealth health = EtcdHealth.ask(members.cluster());
            return health.allVotersHealthy() && health.leader().isPresent();
        });
    }

    /** {@code kjadm etcd member replace}, of a member that may be dead. */
    void replace(String old) throws IOException {
        NewMember wanted = starting();
        recorder.during(
                "replace %s by %s".formatted(old, wanted.name()),
                () -> RealReplacement.of(members, old, wanted));
    }

    /** The same, killed again and again: the first run behind its first change, and so on. */
    void replaceWithPowerCuts(String old) throws IOException {
        NewMember wanted = starting();
        PowerCut.Socket socket;
        int change = 0;
        do {
            change++;
            PowerCut.Socket plugged = new PowerCut.Socket(change);
            socket = plugged;
            recorder.during(
                    "replace %s by %s until change %d".formatted(old, wanted.name(), change),
                    () -> replaceUntilCut(old, wanted, plugged));
        } while (socket.wasCut());
    }

    private void replaceUntilCut(String old, NewMember wanted, PowerCut.Socket socket) {
        try {
            RealReplacement.of(members, old, wanted, socket);
        } catch (PowerCut e) {
            if (!e.at(socket)) {
                throw e;
            }
        }
    }

    /** The name and the URL of another member, which starts as soon as it is listed. */
    private NewMember starting() {
        joined++;
        NewMember wanted = new NewMember("new-" + joined, EtcdProcess.freeUrl());
        members.starting(wanted);
        return wanted;
    }

    /** As by a power cut; the others have a leader then. */
    void kill(String name) throws IOException {
        recorder.during("kill " + name, () -> members.kill(name));
        awaitAnotherLeader(name);
    }

    /** It stands still until the others have a leader, and some writes longer. */
    void suspend(String name) throws IOException {
        recorder.during(
                "suspend " + name,
                () -> members.suspended(name, () -> {
                    awaitAnotherLeader(name);
                    members.waiter.pause("", "", WRITES);
                }));
    }

    private void awaitAnotherLeader(String name) {
        RealMembers.until(
                "another leader",
                () -> EtcdHealth.ask(members.cluster())
                        .leader()
                        .filter(leader -> !leader.name().equals(name))
                        .isPresent());
    }

    /** {@code kjadm etcd member add}, then {@code promote}. */
    void addAndPromote() throws IOException {
        NewMember wanted = starting();
        during(
                "add " + wanted.name(),
                (session, steps) -> new MemberAddition(
                                session,
                                steps,
                                () -> new EtcdCheckup(EtcdProbe::open, members.waiter)
                                        .look(session.access()),
                                members.ops.out)
                        .add(wanted, false));
        RealMembers.until(
                wanted.name() + " to have started",
                () -> members.cluster().members().stream()
                        .anyMatch(member -> member.name().equals(wanted.name())));
        during(
                "promote " + wanted.name(),
                (session, steps) -> changes(session, steps).promote(wanted.name(), LONG));
    }

    /** {@code kjadm etcd member remove}. */
    void remove(String name) throws IOException {
        during("remove " + name, (session, steps) -> changes(session, steps).remove(name));
    }

    private MembershipChanges changes(EtcdSession session, MembershipSteps steps) {
        return new MembershipChanges(session, steps, members.ops.out);
    }

    /** What each command does with a leader that it is about to restart. */
    void moveLeader() throws IOException {
        during("move the leadership", (session, steps) -> {
            EtcdHealth health = EtcdHealth.ask(session.cluster());
            Member leader = health.leader().orElseThrow();
            new LeadershipTransfer(members.waiter, members.ops.out, "etcd")
                    .away(session.cluster(), leader, health.successorOf(leader).orElseThrow(), "");
        });
    }

    /** {@code kjadm etcd defrag --all}. */
    void defragment() throws IOException {
        during(
                "defragment all",
                (session, steps) -> new Defragmentation(
                                session,
                                steps,
                                members.waiter,
                                new FileDiskProbe(false),
                                members.ops.out)
                        .run(
                                new DefragOptions(0, 0, true, Duration.ofSeconds(1), false),
                                Confirmation.GIVEN,
                                choices -> {}));
    }

    /** {@code kjadm etcd snapshot save}. */
    void snapshot() throws IOException {
        during("save a snapshot", (session, steps) -> {
            SnapshotSave save = new SnapshotSave(
                    session.cluster(),
                    new SnapshotCatalog(new MemoryStore()),
                    members.waiter,
                    random,
                    members.ops.out);
            save.save(
                    save.choose(EtcdHealth.ask(session.cluster())),
                    SnapshotEncoding.NONE,
                    Map.of());
        });
    }

    private void during(String name, BiConsumer<EtcdSession, MembershipSteps> command)
            throws IOException {
        recorder.during(name, () -> {
            try (EtcdSession session = members.open()) {
                command.accept(session, members.ops.steps(session, members.waiter));
            }
        });
    }

    @Override
    public void close() {
        members.close();
    }
}
