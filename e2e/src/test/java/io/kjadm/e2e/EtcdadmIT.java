package io.kjadm.e2e;

import static io.kjadm.e2e.AutoCommands.OPERATOR;
import static io.kjadm.e2e.AutoCommands.SETTLING;
import static io.kjadm.e2e.AutoCommands.daemon;
import static io.kjadm.e2e.AutoCommands.serves;
import static io.kjadm.e2e.AutoCommands.shareToken;
import static io.kjadm.e2e.AutoCommands.told;
import static io.kjadm.e2e.StandaloneCommands.kjadm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The automatic mode takes over a cluster that etcdadm has set up. Where etcdadm is not at hand, its
 * files are written as its templates ({@code constants/constants.go}) have them.
 */
@NeedsLab
@Tag("long")
final class EtcdadmIT {

    /** What kjadm has noted goes, and etcd runs with etcdadm's files. */
    private static final String AS_ETCDADM = """
            set -e
            . /etc/etcd/etcd.env
            cat > /etc/etcd/etcd.env <<EOF
            ETCD_NAME=$ETCD_NAME

            # Initial cluster configuration
            ETCD_INITIAL_CLUSTER=$ETCD_INITIAL_CLUSTER
            ETCD_INITIAL_CLUSTER_TOKEN=$ETCD_INITIAL_CLUSTER_TOKEN
            ETCD_INITIAL_CLUSTER_STATE=$ETCD_INITIAL_CLUSTER_STATE

            # Peer configuration
            ETCD_INITIAL_ADVERTISE_PEER_URLS=$ETCD_INITIAL_ADVERTISE_PEER_URLS
            ETCD_LISTEN_PEER_URLS=$ETCD_LISTEN_PEER_URLS

            ETCD_CLIENT_CERT_AUTH=true
            ETCD_PEER_CERT_FILE=/etc/etcd/pki/peer.crt
            ETCD_PEER_KEY_FILE=/etc/etcd/pki/peer.key
            ETCD_PEER_TRUSTED_CA_FILE=/etc/etcd/pki/ca.crt

            # Client/server configuration
            ETCD_ADVERTISE_CLIENT_URLS=$ETCD_ADVERTISE_CLIENT_URLS
            ETCD_LISTEN_CLIENT_URLS=$ETCD_LISTEN_CLIENT_URLS

            ETCD_PEER_CLIENT_CERT_AUTH=true
            ETCD_CERT_FILE=/etc/etcd/pki/server.crt
            ETCD_KEY_FILE=/etc/etcd/pki/server.key
            ETCD_TRUSTED_CA_FILE=/etc/etcd/pki/ca.crt

            # Other
            ETCD_DATA_DIR=/var/lib/etcd
            ETCD_STRICT_RECONFIG_CHECK=true
            GOMAXPROCS=2
            EOF
            cat > /etc/systemd/system/etcd.service <<EOF
            [Unit]
            Description=etcd
            Documentation=https://github.com/coreos/etcd
            Conflicts=etcd-member.service
            Conflicts=etcd2.service

            [Service]
            EnvironmentFile=/etc/etcd/etcd.env
            ExecStart=/opt/bin/etcd

            Type=notify
            TimeoutStartSec=0
            Restart=on-failure
            RestartSec=5s

            LimitNOFILE=65536
            MemoryLow=200M

            [Install]
            WantedBy=multi-user.target
            EOF
            rm -r /var/lib/kjadm /etc/etcd/external-etcd.yaml
            systemctl daemon-reload
            systemctl restart etcd
            """;

    @Test
    void aClusterOfEtcdadmIsAdopted() {
        try (var lab = Lab.withNodes(3)) {
            var version = EtcdRelease.named(98);
            lab.nodes().forEach(node -> EtcdRelease.pack(node, version));
            var store = Lab.SHARED + "/store";
            var first = lab.node(1);
            var members = lab.nodes().subList(0, 2);
            if (Components.etcdadm().isPresent()) {
                members.forEach(node -> install(node, Components.etcdadm().get(), version));
                etcdadm(first, version, "init");
                for (var file : List.of("/etc/etcd/pki/ca.crt", "/etc/etcd/pki/ca.key")) {
                    lab.node(2).write(file, first.read(file));
                }
                etcdadm(lab.node(2), version, "join", StandaloneCommands.url(first));
                serves(first, 2);
            } else {
                kjadm(first, StandaloneCommands.founding(version)).orFail();
                lab.node(2).write(StandaloneCommands.BUNDLE, first.read(StandaloneCommands.BUNDLE));
                kjadm(lab.node(2), StandaloneCommands.joining(first, version)).orFail();
                members.forEach(node -> {
                    node.shell(AS_ETCDADM);
                    serves(first, 2);
                });
            }
            first.shell("/opt/bin/etcdctl.sh put kept yes");
            var before = members.stream().map(EtcdadmIT::process).toList();

            first.run("kjadm", "etcd", "auto", "adopt", store, "nodes=3", "--yes");
            shareToken(lab);
            lab.nodes().forEach(node -> daemon(node, store, version));
            serves(first, 3);
            lab.nodes()
                    .forEach(node -> Eventually.passes(
                            SETTLING,
                            () -> assertTrue(
                                    told(node, "explain").contains("IDLE"),
                                    () -> told(node, "explain"))));
            assertEquals(before, members.stream().map(EtcdadmIT::process).toList());

            // from now on its members are as all others: one is emptied, and one leaves
            lab.node(2)
                    .shell(
                            "systemctl stop etcd; rm -r /var/lib/etcd/*; systemctl start etcd || true");
            Eventually.passes(SETTLING, () -> {
                assertTrue(told(first, "log").contains("data of member"), told(first, "log"));
                assertEquals(3, StandaloneCommands.voters(first));
            });
            assertEquals(
                    "yes", lab.node(2).shell("/opt/bin/etcdctl.sh get --print-value-only kept"));
            kjadm(first, List.of("certs", "check")).orFail();
            first.run("kjadm", "etcd", "auto", "approve", "spec", "nodes=2", OPERATOR, "--yes");
            serves(first, 2);
        }
    }

    /** It looks for the release in a directory of its own. */
    private static void install(Node node, Path etcdadm, String version) {
        node.copy(etcdadm, "/usr/local/bin/etcdadm");
        node.shell("cd /var/cache && mkdir -p etcdadm/etcd/v%1$s && cp %2$s etcdadm/etcd/v%1$s/"
                .formatted(version, EtcdRelease.tarball(version)));
    }

    /** It looks once whether etcd serves, after 5 s, and fails then; etcd goes on. */
    private static void etcdadm(Node node, String version, String... words) {
        node.exec(Stream.concat(
                        Stream.of("/usr/local/bin/etcdadm"),
                        Stream.concat(
                                Stream.of(words),
                                Stream.of(
                                        "--version=" + version,
                                        "--bind-address=" + node.address())))
                .toArray(String[]::new));
    }

    /** Of etcd on a node. */
    private static String process(Node node) {
        return node.shell("pgrep -x etcd");
    }
}
