package io.kjadm.etcd.compare;

import com.google.protobuf.ByteString;

import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.JetcdConnector;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.NewMember;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A cluster of voters in a folder of its own. All of it is gone when it is closed, or when the
 * program is ended.
 */
final class Lab implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final int FILLERS = 4;
    private static final int ATTEMPTS = 3;

    private final EtcdBinary binary;
    private final Path folder;
    private final Map<MemberId, EtcdProcess> voters = new LinkedHashMap<>();
    private final List<PeerGate> gates = new ArrayList<>();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Thread atExit = new Thread(this::clear);
    private EtcdCluster cluster;

    private Lab(EtcdBinary binary, Path folder) {
        this.binary = binary;
        this.folder = folder;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /**
     * With that many voters, all well; tried again if they do not come up, as others take free
     * ports, too.
     */
    static Lab of(EtcdBinary binary, int count, String... flags) throws IOException {
        for (int attempt = 1; ; attempt++) {
            var lab = new Lab(binary, Files.createTempDirectory("kjadm-adders"));
            if (lab.begin(count, flags)) {
                return lab;
            }
            lab.close();
            if (attempt == ATTEMPTS) {
                throw new IllegalStateException(
                        "%d voters do not become well within %s".formatted(count, LIMIT));
            }
        }
    }

    private boolean begin(int count, String... flags) throws IOException {
        var peerUrls = new LinkedHashMap<String, URI>();
        for (int i = 1; i <= count; i++) {
            PeerGate gate = closing(new PeerGate());
            gates.add(gate);
            peerUrls.put("cp-" + i, gate.outside());
        }
        List<EtcdProcess> processes = new ArrayList<>();
        for (EtcdProcess plain : EtcdProcess.together(binary, folder, peerUrls)) {
            String listen = "--listen-peer-urls=" + gates.get(processes.size()).inside();
            processes.add(closing(plain.with(listen).with(flags)));
            processes.getLast().start();
        }
        cluster = connect(processes);
        if (!Pauses.until(LIMIT, INTERVAL, () -> healthy() == count)) {
            return false;
        }
        // etcd wants its connections to have stood for 5 s before it adds a member
        Pauses.sleep(Duration.ofSeconds(count > 1 ? 5 : 1));
        Map<URI, EtcdProcess> byUrl = processes.stream()
                .collect(Collectors.toMap(EtcdProcess::peerUrl, process -> process));
        cluster.members()
                .forEach(member ->
                        voters.put(member.id(), byUrl.get(member.peerUrls().getFirst())));
        return true;
    }

    private long healthy() {
        try {
            return EtcdHealth.ask(cluster).healthyVoters();
        } catch (EtcdCallException e) {
            return 0;
        }
    }

    private <T extends AutoCloseable> T closing(T thing) {
        open.push(thing);
        return thing;
    }

    private EtcdCluster connect(List<EtcdProcess> processes) {
        return closing(new JetcdConnector()
                .connect(EtcdAccess.plain(
                        processes.stream().map(EtcdProcess::clientUrl).toList())));
    }

    /** As a run of the tool opens it. */
    EtcdCluster connect() {
        return connect(List.copyOf(voters.values()));
    }

    List<URI> endpoints() {
        return voters.values().stream().map(EtcdProcess::clientUrl).toList();
    }

    EtcdCluster cluster() {
        return cluster;
    }

    JoiningNode node(NewMember wanted, Fault fault) {
        return closing(new JoiningNode(binary, folder, wanted, fault));
    }

    void cutOff(MemberId member) {
        gates.forEach(gate -> gate.cutOff(member));
    }

    /** Kills one that does not lead: what is seen then is not an election. */
    void stopFollower() {
        MemberId leader = EtcdHealth.ask(cluster).leader().map(Member::id).orElse(MemberId.NONE);
        voters.entrySet().stream()
                .filter(voter -> !voter.getKey().equals(leader))
                .findFirst()
                .orElseThrow()
                .getValue()
                .close();
    }

    /**
     * The members that were added and are no voters that run well, as a voter that runs knows them.
     */
    List<Member> leftBehind() {
        URI known = voters.values().stream()
                .filter(EtcdProcess::alive)
                .findFirst()
                .orElseThrow()
                .clientUrl();
        List<Member> members = cluster.membersKnownTo(known);
        EtcdHealth health = EtcdHealth.ask(cluster, members);
        return members.stream()
                .filter(member -> !voters.containsKey(member.id()))
                .filter(member -> member.learner() || !health.healthy(member))
                .toList();
    }

    boolean serves(Duration limit) {
        try (Client client = new Client(endpoints())) {
            return client.answers(limit);
        }
    }

    /** Brings a cluster that came to a standstill back, so that what it holds can be read. */
    void repair() throws IOException {
        for (EtcdProcess voter : voters.values()) {
            if (!voter.alive()) {
                voter.start();
            }
        }
        if (serves(Duration.ofSeconds(20))) {
            return;
        }
        if (voters.size() > 1) {
            throw new IllegalStateException("the old voters run and are no quorum");
        }
        EtcdProcess only = voters.values().iterator().next();
        only.close();
        closing(only.with("--force-new-cluster")).start();
        if (!serves(Duration.ofSeconds(30))) {
            throw new IllegalStateException("the old voter does not come back");
        }
    }

    /** Writes that many values of so many random bytes, by a few clients at the same time. */
    void fill(String prefix, int count, int bytes) {
        byte[] value = new byte[bytes];
        new Random(1).nextBytes(value);
        ByteString content = ByteString.copyFrom(value);
        try (var pool = Executors.newFixedThreadPool(FILLERS);
                Client client = new Client(endpoints())) {
            var puts = new ArrayList<Future<Boolean>>();
            for (int i = 0; i < count; i++) {
                String key = prefix + i;
                puts.add(pool.submit(() -> client.put(key, content, LIMIT)));
            }
            for (Future<Boolean> put : puts) {
                if (!put.get()) {
                    throw new IllegalStateException("a value cannot be written within " + LIMIT);
                }
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException("filling etcd failed", e);
        }
    }

    @Override
    public void close() {
        clear();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }

    private synchronized void clear() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                System.err.println("not ended: " + e);
            }
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
