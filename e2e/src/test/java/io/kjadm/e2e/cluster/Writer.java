package io.kjadm.e2e.cluster;

import io.kjadm.e2e.lab.Node;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes one numbered etcd key after another on a node, and notes when each was acknowledged and which failed. What it
 * shows is that the cluster stayed writable, and kept what it acknowledged, while something else went wrong.
 */
public final class Writer implements AutoCloseable {
    private static final String SCRIPT = """
            cd /etc/kubernetes/pki/etcd
            export ETCDCTL_API=3
            n=0
            while [ -e /root/writer.on ]; do
                n=$((n + 1))
                if etcdctl --cacert ca.crt --cert peer.crt --key peer.key --endpoints https://$1 \\
                        --command-timeout 3s put "$2$n" "$n" > /dev/null 2>> /root/writer.errors
                then echo "$n $(date +%s%3N)" >> /root/writer.good; else echo "$n" >> /root/writer.bad; fi
                sleep 0.2
            done
            """;

    private final Node node;
    private final String prefix;

    private Writer(Node node, String prefix) {
        this.node = node;
        this.prefix = prefix;
    }

    /** Starts writing through the member of {@code node}. */
    public static Writer on(Node node) {
        var prefix = "/kjadm-e2e/writer-" + Long.toHexString(System.nanoTime()) + "/";
        node.write("/root/writer", SCRIPT);
        node.shell("rm -f /root/writer.*; touch /root/writer.on /root/writer.good /root/writer.bad");
        node.shell("setsid bash /root/writer '%s' '%s' > /dev/null 2>&1 < /dev/null &"
                .formatted(node.at(2379), prefix));
        return new Writer(node, prefix);
    }

    /** All that was written until now. */
    public Writes writes() {
        var acknowledged = lines("good").map(line -> Long.parseLong(line.split(" ")[1])).toList();
        return new Writes(acknowledged, bad());
    }

    /** Writes that were acknowledged until now. */
    public int good() {
        return (int) lines("good").count();
    }

    /** Writes that failed until now. */
    public int bad() {
        return (int) lines("bad").count();
    }

    /** Keys that were acknowledged, and are not there when they are read, linearizably, through another node. */
    public List<String> lost(Cluster cluster, Node reader) {
        // in this order: what is acknowledged between the two reads has to be there all the more
        var acknowledged = lines("good").map(line -> prefix + line.split(" ")[0]).toList();
        Set<String> found = cluster.etcdctl(reader, "get --prefix --keys-only " + prefix).stdout().lines()
                .collect(Collectors.toSet());
        return acknowledged.stream().filter(key -> !found.contains(key)).toList();
    }

    /** Whole lines only: the last one may be half written. */
    private Stream<String> lines(String kind) {
        var text = node.read("/root/writer." + kind);
        return text.substring(0, text.lastIndexOf('\n') + 1).lines();
    }

    @Override
    public void close() {
        node.exec("rm", "-f", "/root/writer.on");
    }
}
