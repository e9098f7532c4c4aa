package io.kjadm.e2e.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.lab.Node;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Clients that write all the while: one through each node's etcd member, and one through the
 * balancer of the API servers.
 */
public final class ClusterWriters implements AutoCloseable {
    private static final int PER_SECOND = 5;

    private final Cluster cluster;
    private final Map<Node, Writer> members = new LinkedHashMap<>();
    private final Writer api;

    public ClusterWriters(Cluster cluster, List<Node> controlPlanes) {
        this.cluster = cluster;
        controlPlanes.forEach(node -> members.put(node, Writer.on(node, PER_SECOND)));
        api = cluster.apiWriter(PER_SECOND);
    }

    /** From now on. */
    public Span begin() {
        return new Span();
    }

    /** What was acknowledged and is not there, read from that node. */
    public List<String> lost(Node from) {
        return java.util.stream.Stream.concat(
                        members.values().stream().flatMap(writer -> writer.lost(from).stream()),
                        api.lost().stream())
                .toList();
    }

    /** How often an acknowledged key was not read. */
    public int missed() {
        return api.writes().missed()
                + members.values().stream()
                        .mapToInt(writer -> writer.writes().missed())
                        .sum();
    }

    @Override
    public void close() {
        members.values().forEach(Writer::close);
        api.close();
    }

    /** What was written since a moment. */
    public final class Span {
        private final Map<Node, Writes> before = new LinkedHashMap<>();
        private final Writes apiBefore = api.writes();
        private final Optional<Node> leader =
                members.keySet().stream().filter(cluster::leads).findFirst();

        private Span() {
            members.forEach((node, writer) -> before.put(node, writer.writes()));
        }

        /** Through the balancer. */
        public Writes api() {
            return api.writes().since(apiBefore);
        }

        /** Through the members of all nodes but one. */
        public Map<Node, Writes> others(Node except) {
            var others = new LinkedHashMap<Node, Writes>();
            members.forEach((node, writer) -> {
                if (!node.equals(except)) {
                    others.put(node, writer.writes().since(before.get(node)));
                }
            });
            return others;
        }

        /**
         * Fails unless etcd served all the while through the other nodes. Where the node led,
         * leadership went from hand to hand, and what raft is proposed in that moment it drops
         * without a word: the one write that a client had under way may not have been answered.
         */
        public void requireServed(Node except) {
            var dropped = leader.filter(except::equals).isPresent() ? 1 : 0;
            others(except)
                    .forEach((node, writes) -> assertTrue(
                            writes.failed() <= dropped, () -> node.name() + ": " + writes));
        }

        /** A line of figures for each. */
        public void report(String what, Node except) {
            System.out.printf("[upgrade] %s, API: %s%n", what, api());
            others(except)
                    .forEach((node, writes) -> System.out.printf(
                            "[upgrade] %s, etcd of %s: %s%n", what, node.name(), writes));
        }
    }
}
