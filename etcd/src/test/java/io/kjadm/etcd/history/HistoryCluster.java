package io.kjadm.etcd.history;

import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.EtcdProcesses;
import io.kjadm.etcd.JetcdConnector;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberRemoval;
import io.kjadm.etcd.OwnMember;
import io.kjadm.etcd.Removal;
import io.kjadm.etcd.join.EmptyNode;
import io.kjadm.etcd.join.JoinDecider;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.JoinStep;
import io.kjadm.etcd.join.LearnerMemberAdder;
import io.kjadm.etcd.join.LocalDataDir;
import io.kjadm.etcd.join.LocalMemberHealth;
import io.kjadm.etcd.join.MemberJoinExecutor;
import io.kjadm.etcd.join.MemoryJournal;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** Real etcds on the loopback interface, whose members are changed by production code. */
final class HistoryCluster implements AutoCloseable {

    /** For anything that has to come; nothing depends on its being short. */
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private final EtcdBinary binary;
    private final Path folder;
    /** All that ever were members, by their names. */
    private final Map<String, EtcdProcess> processes = new LinkedHashMap<>();

    private final List<URI> endpoints = new CopyOnWriteArrayList<>();
    private final EtcdCluster cluster;

    /** Starts voters, and returns when all are healthy. */
    HistoryCluster(EtcdBinary binary, Path folder, int voters) throws IOException {
        this.binary = binary;
        this.folder = folder;
        Map<String, URI> peerUrls = new LinkedHashMap<>();
        for (int i = 1; i <= voters; i++) {
            peerUrls.put("cp-" + i, EtcdProcess.freeUrl());
        }
        for (EtcdProcess bare : EtcdProcess.together(binary, folder, peerUrls)) {
            EtcdProcess process = bare.with(EtcdProcess.WHOLE_LOG);
            processes.put(process.name(), process);
            endpoints.add(process.clientUrl());
            process.start();
        }
        cluster = new JetcdConnector().connect(EtcdAccess.plain(endpoints));
        awaitHealthy(voters);
    }

    /** Of the members that it has and had; it grows with the cluster. */
    List<URI> endpoints() {
        return endpoints;
    }

    private void awaitHealthy(int voters) {
        EtcdProcesses.until(
                voters + " healthy voters",
                () -> EtcdHealth.ask(cluster).healthyVoters() == voters);
    }

    /** Adds a learner, starts it, and promotes it when it has caught up. */
    void join(String name) {
        NewMember wanted = new NewMember(name, EtcdProcess.freeUrl());
        var adder = new LearnerMemberAdder();
        var join = new MemberJoinExecutor(
                wanted,
                adder,
                new JoinDecider(wanted, "run", adder, RejoinOptions.NONE, JoinLimits.DEFAULTS),
                cluster,
                new MemoryJournal(),
                new Node(wanted),
                Instant::now);
        Instant end = Instant.now().plus(LIMIT);
        while (Instant.now().isBefore(end)) {
            switch (join.step()) {
                case JoinStep.Joined ignored -> {
                    return;
                }
                case JoinStep.Progressed ignored -> {}
                case JoinStep.Waiting wait -> Pause.of(wait.pause());
                case JoinStep.Failed failed -> throw new AssertionError(failed);
                case JoinStep.RolledBack rolledBack -> throw new AssertionError(rolledBack);
            }
        }
        throw new AssertionError(name + " has not joined within " + LIMIT);
    }

    /** Removes the leader, which hands over first, and returns its name. */
    String removeLeader() {
        Member leader = leader();
        var removal = new MemberRemoval();
        EtcdProcesses.until("removal of " + leader, () -> switch (removal.attempt(
                cluster,
                EtcdHealth.ask(cluster),
                OwnMember.known(leader.id()),
                Removal.Progress.NONE)) {
            case Removal.Confirmed ignored -> true;
            case Removal.MustWait ignored -> false;
            case Removal.Declined declined -> throw new AssertionError(declined);
            case Removal.StillListed listed -> throw new AssertionError(listed);
        });
        EtcdProcess process = processes.get(leader.name());
        endpoints.remove(process.clientUrl());
        return leader.name();
    }

    /** Kills the leader (SIGKILL), starts it again, and returns its name. */
    String killLeader() throws IOException {
        int voters = EtcdHealth.ask(cluster).voters().size();
        EtcdProcess process = processes.get(leader().name());
        process.close();
        process.start();
        awaitHealthy(voters);
        return process.name();
    }

    private Member leader() {
        EtcdProcesses.until("a leader", () -> EtcdHealth.ask(cluster).leader().isPresent());
        return EtcdHealth.ask(cluster).leader().orElseThrow();
    }

    /** Ends all processes. */
    Collection<Path> end() {
        EtcdProcess.stop(processes.values());
        return processes.values().stream().map(EtcdProcess::dataDir).toList();
    }

    @Override
    public void close() {
        processes.values().forEach(EtcdProcess::close);
        cluster.close();
    }

    /** The machine of a member that joins. */
    private final class Node extends EmptyNode {

        private final NewMember wanted;

        Node(NewMember wanted) {
            this.wanted = wanted;
        }

        @Override
        public void writeManifest(List<Member> members, Member own) {
            if (started()) {
                return;
            }
            EtcdProcess process = EtcdProcess.joining(binary, folder, wanted, members)
                    .with(EtcdProcess.WHOLE_LOG);
            processes.put(wanted.name(), process);
            endpoints.add(process.clientUrl());
            try {
                process.start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public LocalDataDir localDataDir() {
            return started() ? LocalDataDir.SOME_DATA : LocalDataDir.NONE;
        }

        @Override
        public LocalMemberHealth memberHealth() {
            return started() ? LocalMemberHealth.ALIVE : LocalMemberHealth.NONE;
        }

        private boolean started() {
            return processes.containsKey(wanted.name());
        }

        @Override
        public String stopAndSetAside() {
            throw new AssertionError("no join is rolled back here");
        }
    }
}
