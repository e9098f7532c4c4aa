package io.kjadm.etcd.join;

import static io.kjadm.etcd.SimulatedCluster.peerUrl;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A node that joins a simulated cluster, by virtual time. */
final class JoinBench {

    /** What happens on the node, by the port. */
    final class Node implements LocalMember {
        LocalDataDir localDataDir = LocalDataDir.NONE;
        LocalMemberHealth life = LocalMemberHealth.NONE;
        /** Whether a manifest leads to a process. */
        boolean kubelet = true;

        final List<List<Member>> manifests = new ArrayList<>();
        /** How often the members were asked for between the add and the last manifest. */
        int listsBeforeManifest;

        int takenAway;
        /** Whether the journal said so when the last one was taken away. */
        boolean leaving;

        int helped;
        /** Whether it had announced itself when it was helped last. */
        boolean helpedAnnounced;
        /** Why nothing can be started here. */
        Optional<StartProblem> startProblem = Optional.empty();
        /** Why which voters are not reached from here. */
        Map<MemberId, String> unreached = Map.of();

        final List<List<Member>> called = new ArrayList<>();
        /** In which states the node was asked for a hindrance, and whether it is ready. */
        final Set<JoinState> askedForHindrance = EnumSet.noneOf(JoinState.class);

        final Set<JoinState> askedForReadiness = EnumSet.noneOf(JoinState.class);
        /** Who listens on a peer port though it does not answer there. */
        final Set<MemberId> listening = new HashSet<>();
        /** What its own health endpoint says. */
        String notReadyReason = "";

        @Override
        public LocalDataDir localDataDir() {
            return localDataDir;
        }

        @Override
        public LocalMemberHealth memberHealth() {
            return life;
        }

        @Override
        public Optional<StartProblem> startProblem() {
            askedForHindrance.add(journal.read().orElseThrow().state());
            return startProblem;
        }

        @Override
        public Map<MemberId, String> unreached(List<Member> voters) {
            called.add(voters);
            return unreached;
        }

        @Override
        public boolean listens(Member member) {
            return listening.contains(member.id());
        }

        @Override
        public String notReadyReason() {
            askedForReadiness.add(journal.read().orElseThrow().state());
            return notReadyReason;
        }

        @Override
        public void writeManifest(List<Member> members, Member own) {
            manifests.add(members);
            listsBeforeManifest = cluster.listsSinceChange;
            if (kubelet) {
                start(own.id());
            }
        }

        @Override
        public String stopAndSetAside() {
            takenAway++;
            leaving = journal.read().filter(JoinEntry::leaving).isPresent();
            localDataDir = LocalDataDir.NONE;
            life = LocalMemberHealth.NONE;
            return "its data was moved away";
        }

        @Override
        public void help(boolean announced) {
            helped++;
            helpedAnnounced = announced;
        }
    }

    final SimulatedCluster cluster;
    final MemoryJournal journal = new MemoryJournal();
    final Node node = new Node();
    final NewMember wanted;
    final Instant began = Instant.parse("2026-02-03T04:05:06Z");
    JoinPlace place = JoinPlace.CONTROL_PLANE;
    MemberAdder adder = new LearnerMemberAdder();
    RejoinOptions options = RejoinOptions.NONE;
    JoinLimits limits = JoinLimits.DEFAULTS;
    Instant now = began;
    /** What the operator was told. */
    final List<String> told = new ArrayList<>();

    private MemberJoinExecutor joiner;

    JoinBench(SimulatedCluster cluster, String name) {
        this.cluster = cluster;
        this.wanted = new NewMember(name, peerUrl(name));
    }

    /** The process of our member runs from now on. */
    void start(MemberId id) {
        cluster.start(id, wanted.name());
        node.localDataDir = LocalDataDir.SOME_DATA;
        node.life = LocalMemberHealth.ALIVE;
    }

    /** As if the program had died and were run again. */
    void rerun() {
        joiner = null;
    }

    private MemberJoinExecutor joiner() {
        if (joiner == null) {
            joiner = new MemberJoinExecutor(
                    wanted,
                    adder,
                    new JoinDecider(wanted, place, "run", adder, options, limits),
                    cluster,
                    journal,
                    node,
                    () -> now);
        }
        return joiner;
    }

    /** What a look alone says about others that go first. */
    Optional<JoinStep.Waiting> queueing() {
        return joiner().queueing();
    }

    /** Steps until one has to wait, or it is over. No time passes. */
    JoinStep go() {
        for (int i = 0; i < 50; i++) {
            JoinStep step = joiner().step();
            if (!(step instanceof JoinStep.Progressed(String message))) {
                return step;
            }
            if (!message.isEmpty()) {
                told.add(message);
            }
        }
        throw new AssertionError("the join goes round in circles: " + journal.states());
    }

    /** Waits as asked, at least the interval, and steps on until it is over. */
    JoinStep finish() {
        while (elapsed().compareTo(Duration.ofHours(3)) < 0) {
            JoinStep step = go();
            if (!(step instanceof JoinStep.Waiting waiting)) {
                return step;
            }
            pass(waiting.pause());
        }
        throw new AssertionError("the join never ends: " + journal.states());
    }

    void pass(Duration pause) {
        now = now.plus(
                pause.compareTo(Duration.ofMillis(250)) < 0 ? Duration.ofMillis(250) : pause);
        cluster.tick();
    }

    Duration elapsed() {
        return Duration.between(began, now);
    }

    /** The whole way back. */
    JoinStep.RolledBack rollBack() {
        for (int i = 0; i < 10_000; i++) {
            switch (joiner().rollBack()) {
                case JoinStep.RolledBack back -> {
                    return back;
                }
                case JoinStep.Waiting waiting -> pass(waiting.pause());
                case JoinStep.Progressed went -> {}
                case JoinStep other -> throw new AssertionError(other);
            }
        }
        throw new AssertionError("taking back never ends");
    }

    /** Our member as the cluster lists it. */
    Member own() {
        return cluster.members().stream().filter(wanted::hasUrlOf).findFirst().orElseThrow();
    }

    /** What a run that died has left: it had come that far with that member. */
    void noted(JoinState state, MemberId id) {
        journal.write(new JoinEntry(
                state,
                "earlier",
                "c1",
                wanted.name(),
                wanted.peerUrl(),
                now,
                cluster.members().stream()
                        .filter(member -> !member.id().equals(id))
                        .toList(),
                Optional.of(id),
                Optional.empty(),
                0,
                false));
    }
}
