package io.kjadm.e2e.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.grpc.ManagedChannel;
import io.kjadm.e2e.lab.Node;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.history.PrefixRules;
import io.kjadm.etcd.history.PrefixRules.Snapshot;
import io.kjadm.etcd.history.Recorder;
import io.kjadm.etcd.history.Recorder.Plot;
import io.kjadm.etcd.history.Recording;
import io.netty.handler.ssl.SslContext;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Eight clients and a watch of the etcd of some nodes, whose every answer is recorded while something
 * is done to the cluster, and held against the logs of its members.
 */
public final class NodeRecorder {

    /** Where a member has its log, and where a reset leaves it. */
    private static final String WALS = "find /var/lib/etcd* -type d -name wal";

    /** Those that a restore or a reset has set aside. */
    private static final String FORMER_WALS = WALS + " ! -path /var/lib/etcd/member/wal";

    private static final int LAST_WRITES = 3;
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final Path folder;
    private final Map<URI, Node> nodes;
    private final List<URI> serving = new CopyOnWriteArrayList<>();
    private final SslContext certificates;
    private final Recorder recorder;

    /**
     * Of a cluster with one member, or more that join later.
     *
     * @param folder of this machine, for the members' logs
     * @param first  whose certificates the clients have
     * @param all    nodes that are members, or come to be
     */
    public NodeRecorder(Path folder, Node first, Collection<Node> all) {
        this.folder = folder;
        this.nodes = all.stream().collect(Collectors.toMap(NodeRecorder::url, Function.identity()));
        this.certificates = EtcdClient.tls(first);
        this.recorder = new Recorder(() -> serving, this::dial, Recorder.anySeed());
        serves(first);
    }

    private NodeRecorder(NodeRecorder before, Node first) {
        this.folder = before.folder.resolve("restored");
        this.nodes = before.nodes;
        this.certificates = before.certificates;
        serves(first);
        this.recorder = before.recorder.afterRestore(() -> serving);
    }

    /**
     * One for the cluster that has taken the place of this one, to which no client writes yet. What
     * the nodes have kept of the former one is deleted: it is no part of the new one's history.
     *
     * @param first the node of its only member
     */
    public NodeRecorder afterRestore(Node first) {
        nodes.values().forEach(node -> node.shell(FORMER_WALS + " -exec rm -r {} +"));
        return new NodeRecorder(this, first);
    }

    private ManagedChannel dial(URI url) {
        return EtcdClient.channel(nodes.get(url), certificates);
    }

    private static URI url(Node node) {
        return URI.create("https://" + node.at(2379));
    }

    /** From now on clients ask this node's member, too. */
    public void serves(Node node) {
        serving.add(url(node));
    }

    /** From now on they do not. */
    public void leaves(Node node) {
        serving.remove(url(node));
    }

    /**
     * Raises the alarm that the space of a member is used up, as that would itself.
     *
     * @param member ID, in hexadecimal digits
     */
    public void fillsUp(Node node, String member) {
        try (EtcdClient etcd = EtcdClient.to(node)) {
            etcd.alarm(Alarm.NOSPACE, Long.parseUnsignedLong(member, 16), true);
        }
    }

    /** That the first node's member tells. */
    public String version() {
        try (EtcdClient etcd = EtcdClient.to(nodes.get(serving.getFirst()))) {
            return etcd.version();
        }
    }

    /** Does a part of the plot, and notes under that name when it was. */
    public void during(String name, Plot part) throws IOException {
        recorder.during(name, part);
    }

    /**
     * Records while a plot is played. Every answer must be that of one store.
     *
     * @param operation what is done, for the summary
     * @param etcd      the members' version
     */
    public Recording requireRight(String operation, String etcd, Plot plot) throws IOException {
        Recording recording = recorder.record(plot, () -> {
            writeOnce();
            return logs();
        });
        recording.requireRight(operation, EtcdVersion.parse(etcd));
        return recording;
    }

    /** The same of a plot after which there is no quorum. */
    public Recording requireRightUntilLost(String operation, String etcd, Plot plot)
            throws IOException {
        Recording recording = recorder.recordLoss(plot, this::logs);
        recording.requireRight(operation, EtcdVersion.parse(etcd));
        return recording;
    }

    /**
     * That what was restored is what the former cluster held at one moment, and that nothing is
     * missing that must not be.
     *
     * @param before   of the former cluster
     * @param snapshot what was restored
     * @param after    of this one
     */
    public void requirePrefix(Recording before, Snapshot snapshot, Recording after) {
        assertEquals(List.of(), PrefixRules.violations(before, snapshot, recorder.begin(), after));
    }

    /** Those of the members that the nodes have now, and of those that were reset. */
    private Collection<Path> logs() throws IOException {
        List<Path> logs = new ArrayList<>();
        for (Node node : nodes.values().stream().filter(Node::isOn).toList()) {
            for (var wal : node.shell(WALS).lines().toList()) {
                var dataDir = folder.resolve("%s-%d".formatted(node.name(), logs.size()));
                var copy = Files.createDirectories(dataDir.resolve("member/wal"));
                node.shell("ls -d %s/*.wal || true".formatted(wal))
                        .lines()
                        .forEach(file ->
                                node.fetch(file, copy.resolve(Path.of(file).getFileName())));
                logs.add(dataDir);
            }
        }
        return logs;
    }

    /** A member writes how far it knows its log to be committed with the entry after that. */
    private void writeOnce() {
        try (EtcdClient etcd = EtcdClient.to(nodes.get(serving.getFirst()))) {
            for (int i = 0; i < LAST_WRITES; i++) {
                var value = String.valueOf(i);
                Eventually.passes(LIMIT, () -> etcd.put("/kjadm-e2e/end", value));
            }
        }
    }
}
