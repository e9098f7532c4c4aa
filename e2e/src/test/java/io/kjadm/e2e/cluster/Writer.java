package io.kjadm.e2e.cluster;

import io.kjadm.e2e.lab.Node;

/**
 * Writes one etcd key after another on a node, and counts those that fail. What it shows is that the cluster stayed
 * writable while something else went wrong.
 */
public final class Writer implements AutoCloseable {
    private static final String SCRIPT = """
            cd /etc/kubernetes/pki/etcd && touch /root/writer.on
            export ETCDCTL_API=3
            while [ -e /root/writer.on ]; do
                if etcdctl --cacert ca.crt --cert peer.crt --key peer.key --endpoints https://$1 \\
                        --command-timeout 3s put /kjadm-e2e/writer "$(date +%s%N)" > /dev/null 2>> /root/writer.errors
                then echo >> /root/writer.good; else echo >> /root/writer.bad; fi
                sleep 0.2
            done
            """;

    private final Node node;

    private Writer(Node node) {
        this.node = node;
    }

    /** Starts writing through the member of {@code node}. */
    public static Writer on(Node node) {
        node.write("/root/writer", SCRIPT);
        node.shell("setsid bash /root/writer '" + node.at(2379) + "' > /dev/null 2>&1 < /dev/null &");
        return new Writer(node);
    }

    /** Writes that were acknowledged until now. */
    public int good() {
        return count("good");
    }

    /** Writes that failed until now. */
    public int bad() {
        return count("bad");
    }

    private int count(String kind) {
        return Integer.parseInt(node.shell("cat /root/writer.%s 2>/dev/null | wc -l".formatted(kind)));
    }

    @Override
    public void close() {
        node.exec("rm", "-f", "/root/writer.on");
    }
}
