package io.kjadm.e2e.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Running;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A cluster in which something is made to go wrong, again and again, while a {@link Writer} writes
 * through node 1. Every fault begins with node 1 alone in the cluster, and {@link #clean} makes it
 * so.
 */
public final class Trial implements AutoCloseable {
    private static final Duration SETTLING = Duration.ofSeconds(120);
    private static final Duration LONG = Duration.ofMinutes(5);
    /** Longer than the balancer takes to notice. */
    private static final Duration BALANCING = Duration.ofSeconds(10);
    /** More than the members keep of it: {@code --snapshot-count}, with something to spare. */
    private static final long LOG_KEPT = 10_500;

    private static final long LOG_WHOLE = 9_000;
    private static final int WRITERS = 32;
    private static final int BATCH = 20;
    private static final String FILLER = "/kjadm-e2e/filler";
    private static final List<String> TRACES =
            List.of("/etc/kubernetes/tmp/kjadm-etcd-join", "/var/lib/kubelet/kjadm-join.json");

    private final Lab lab;
    private final Cluster cluster;
    private Writer writer;
    private Writes before;
    private long began;

    private Trial(Lab lab, boolean learners) {
        this.lab = lab;
        this.cluster = new Cluster(lab, Settings.standard().withGate("EtcdLearnerMode", learners));
    }

    /** A cluster of node 1, and further nodes that are not in it yet. */
    public static Trial withNodes(int count) {
        return withNodes(count, true);
    }

    /** @param learners whether gate {@code EtcdLearnerMode} is on */
    public static Trial withNodes(int count, boolean learners) {
        var trial = new Trial(Lab.withNodes(count), learners);
        try {
            trial.cluster.init(Tool.KJADM);
            trial.writer = Writer.on(trial.node(1));
            return trial;
        } catch (RuntimeException | Error e) {
            trial.close();
            throw e;
        }
    }

    public Cluster cluster() {
        return cluster;
    }

    public Node node(int i) {
        return lab.node(i);
    }

    /** From here on writes and time count for the next {@link #report}. */
    public void begin() {
        before = writer.writes();
        began = System.nanoTime();
    }

    /** Joins nodes 2 to {@code last}, one after another, with no fault. */
    public void grow(int last) {
        IntStream.rangeClosed(2, last).forEach(i -> cluster.joinControlPlane(Tool.KJADM, node(i)));
        assertJoined(IntStream.rangeClosed(1, last).toArray());
    }

    /**
     * Asserts that exactly these nodes are in the cluster, ready and with a voter that is well,
     * that each of these voters lists the same members, and that no join believes to be unfinished.
     */
    public void assertJoined(int... numbers) {
        var nodes = IntStream.of(numbers).mapToObj(lab::node).toArray(Node[]::new);
        cluster.awaitReady(nodes);
        cluster.assertVoters(nodes);
        for (Node node : nodes) {
            Eventually.passes(SETTLING, () -> cluster.etcdctl(node, "endpoint health"));
            assertEquals(
                    cluster.members(nodes[0]),
                    cluster.members(node),
                    () -> "the members as seen by " + node);
            TRACES.forEach(
                    trace -> assertFalse(node.exists(trace), () -> trace + " is left on " + node));
        }
    }

    /** Asserts that nothing of a node's control plane is left, in the cluster or on the node. */
    public void assertGone(Node node) {
        assertTrue(
                cluster.members(node(1)).stream()
                        .noneMatch(member -> member.name().equals(node.name())),
                () -> node + " is still a member");
        assertEquals("", node.shell("ls -A /etc/kubernetes/manifests"));
        assertEtcdGone(node);
        TRACES.forEach(
                trace -> assertFalse(node.exists(trace), () -> trace + " is left on " + node));
    }

    /** The data directory is a mount of its own here, so that what was set aside is kept in it. */
    public static void assertEtcdGone(Node node) {
        assertEquals(
                List.of(),
                node.shell("ls -A /var/lib/etcd")
                        .lines()
                        .filter(entry -> !entry.matches("member\\.(removed|failed)-.*"))
                        .toList());
    }

    /**
     * Prints what happened since {@link #begin}, and asserts that no write failed and none was
     * lost.
     */
    public Writes report(String name) {
        var writes = reportLosses(name);
        assertEquals(0, writes.failed(), "failed writes");
        return writes;
    }

    /**
     * The same for a fault that takes the quorum away by itself: writes may fail, and none may be
     * lost.
     */
    public Writes reportLosses(String name) {
        var writes = writer.writes().since(before);
        System.out.printf(
                "[faults] %s: %.0f s; %s%n", name, (System.nanoTime() - began) / 1e9, writes);
        assertTrue(writes.acknowledged().size() > 1, "nothing was written");
        assertEquals(
                0, writes.missed(), "acknowledged keys that were not there when they were read");
        lab.nodes().stream()
                .filter(this::votes)
                .forEach(reader -> assertEquals(
                        List.of(), writer.lost(reader), () -> "writes lost, as seen by " + reader));
        return writes;
    }

    /** The member with the peer URL of a node; it has no name before it starts. */
    public Optional<Member> member(Node node) {
        return members()
                .filter(member -> member.peerUrls().equals(peerUrl(node)))
                .findFirst();
    }

    public static String peerUrl(Node node) {
        return "https://" + node.at(2380);
    }

    /** Waits until a node's member is listed. */
    public Member awaitMember(Running join, Node node) {
        return Eventually.get(
                LONG, () -> member(node).orElseThrow(() -> new AssertionError(join.output())));
    }

    /**
     * Ends a node's etcd; returns when the balancer knows, too, that its API server is of no use
     * without it.
     */
    public void stopEtcd(Node node) {
        takeEtcdAway(node);
        try {
            Thread.sleep(BALANCING);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends a node's etcd; returns when it does not answer any more. */
    public void takeEtcdAway(Node node) {
        node.shell("mv /etc/kubernetes/manifests/etcd.yaml /root/etcd.yaml");
        Eventually.passes(LONG, () -> assertFalse(answers(node), "etcd still runs"));
    }

    /** Undoes {@link #stopEtcd}. */
    public void startEtcd(Node node) {
        node.shell("mv /root/etcd.yaml /etc/kubernetes/manifests/etcd.yaml");
        Eventually.passes(LONG, () -> assertTrue(answers(node), "etcd does not run"));
    }

    /** Raises an alarm at the member of node 1, as that would itself, or takes it back. */
    public void alarm(Alarm type, boolean raised) {
        try (var etcd = EtcdClient.to(node(1))) {
            etcd.alarm(
                    type, Long.parseUnsignedLong(member(node(1)).orElseThrow().id(), 16), raised);
        }
    }

    /** Begins a downgrade of etcd to a version, or cancels it. */
    public void downgrade(Optional<String> version) {
        try (var etcd = EtcdClient.to(node(1))) {
            etcd.downgrade(version);
        }
    }

    private static boolean answers(Node node) {
        return node.exec("curl", "-sf", "-m", "5", "http://127.0.0.1:2381/metrics")
                .succeeded();
    }

    /** Prints the end of each node's logs, for whoever looks into a failed case. */
    public void showLogs() {
        lab.nodes().stream()
                .filter(Trial::touched)
                .forEach(node -> System.out.println("[lab] logs of " + node + ":\n" + node.logs()));
    }

    /**
     * Writes until etcd's log is so long that its beginning has been dropped: whoever begins with
     * nothing is sent a snapshot.
     */
    public void outgrowTheLog() {
        try (var etcd = EtcdClient.to(node(1));
                var writers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < WRITERS; i++) {
                writers.execute(() -> {
                    while (raftIndex() < LOG_KEPT) {
                        IntStream.range(0, BATCH).forEach(number -> etcd.put(FILLER, "."));
                    }
                });
            }
        }
        assertTrue(raftIndex() >= LOG_KEPT, "the log is too short");
    }

    /** Whether etcd's log has all there ever was, so that nobody needs a snapshot. */
    public boolean logIsWhole() {
        // from 3.6 on the leader drops the beginning of its log within the first hundreds of
        // entries
        return raftIndex() < LOG_WHOLE && status().contains("\"Version\" : \"3.5.");
    }

    private String status() {
        return cluster.etcdctl(node(1), "endpoint status -w fields").stdout();
    }

    private long raftIndex() {
        return status().lines()
                .filter(line -> line.startsWith("\"RaftIndex\" : "))
                .mapToLong(line ->
                        Long.parseLong(line.substring(line.indexOf(": ") + 2).strip()))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Takes all nodes but the first out, however they are, and asserts that their own resets have
     * left no member behind.
     */
    public void clean() {
        var stranded = new ArrayList<String>();
        lab.nodes().stream().skip(1).toList().reversed().forEach(node -> {
            if (touched(node)) {
                node.mendEtcd();
                node.unblock();
                var reset = cluster.startReset(Tool.KJADM, node).outcome();
                System.out.printf(
                        "[faults]   %s is cleaned: reset took %.1f s, exit status %d%n",
                        node, reset.took().toMillis() / 1000.0, reset.status());
                member(node)
                        .ifPresent(member -> stranded.add("%s has left %s behind:%n%s"
                                .formatted(node, member, reset.everything())));
                if (!reset.succeeded()) {
                    node.wipe();
                }
            }
            // what is moved aside would fill the disk, and kubeadm takes an empty directory only
            node.shell("rm -rf /var/lib/etcd.* /var/lib/etcd/member.*");
            cluster.forget(node);
        });
        // what a case left behind must not fail the next one
        members()
                .filter(member -> !member.name().equals(node(1).name()))
                .forEach(member -> cluster.etcdctl(node(1), "member remove " + member.id()));
        assertEquals(List.of(), stranded);
    }

    private boolean votes(Node node) {
        return members().anyMatch(member -> member.name().equals(node.name()) && !member.learner());
    }

    private Stream<Member> members() {
        return cluster.members(node(1)).stream();
    }

    private static boolean touched(Node node) {
        return node.exists("/etc/kubernetes/pki/ca.crt")
                || node.exists("/var/lib/kubelet/kjadm-join.json");
    }

    @Override
    public void close() {
        if (writer != null) {
            writer.close();
        }
        lab.close();
    }
}
