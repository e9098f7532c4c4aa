package io.kjadm.e2e.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.lab.Node;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Clients that write all the while: one through each node's etcd member, and one through the
 * balancer of the API servers.
 */
public final class ClusterWriters implements AutoCloseable {
    private static final int PER_SECOND = 5;
    /** So many threads want each processor of an overloaded machine. */
    private static final int WAITING = 8;

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
        private final String leader =
                cluster.leadingNode(members.keySet().iterator().next());

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
         * Fails unless etcd served clients of the other nodes throughout. Where the node led,
         * leadership was transferred, and etcd drops a write that it is proposed or that a follower
         * forwards meanwhile: one write of a client may be without a reply. Members that get no
         * processor for a second elect another leader, whatever kjadm does: on an overloaded machine
         * one write of a hundred may be, too.
         */
        public void requireServed(Node except) {
            var dropped = leader.equals(except.name()) ? 1 : 0;
            var overloaded = isOverloaded();
            others(except)
                    .forEach((node, writes) -> assertTrue(
                            writes.failed()
                                    <= dropped
                                            + (overloaded
                                                    ? writes.acknowledged().size() / 100
                                                    : 0),
                            () -> node.name() + ": " + writes));
        }

        private static boolean isOverloaded() {
            var system = ManagementFactory.getOperatingSystemMXBean();
            return system.getSystemLoadAverage() > WAITING * system.getAvailableProcessors();
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
