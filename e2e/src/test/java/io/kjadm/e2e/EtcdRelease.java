package io.kjadm.e2e;

import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Node;

/** An archive of an etcd release on a node, as the release server would send it. */
final class EtcdRelease {
    private EtcdRelease() {}

    /** Packs the binaries of that version, which this machine has. */
    static void pack(Node node, String version) {
        var folder = "/root/release/etcd-v%s-linux-amd64".formatted(version);
        node.copy(Components.etcdBinaries().resolve(version), folder);
        node.shell("tar -C /root/release -czf %s etcd-v%s-linux-amd64 && rm -r %s"
                .formatted(tarball(version), version, folder));
    }

    /** Where {@link #pack} puts it. */
    static String tarball(String version) {
        return "/root/release/etcd-%s.tar.gz".formatted(version);
    }

    /** The version that a node's own {@code etcd} program has. */
    static String installed(Node node) {
        return node.shell("etcd --version | sed -n 's/^etcd Version: //p'");
    }
}
