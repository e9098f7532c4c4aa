package io.kjadm.e2e;

import static io.kjadm.e2e.cluster.UpgradeLab.FORMER;
import static io.kjadm.e2e.cluster.UpgradeLab.NEXT;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.ClusterWriters;
import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.UpgradeLab;
import io.kjadm.e2e.cluster.UpgradeLab.EtcdStep;
import io.kjadm.e2e.lab.KubeVersions;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Clusters that one program made and both upgrade, node by node in turn, with figures for each:
 * the same machines, the same versions, the same clients that write all the while.
 */
@NeedsLab(kubeadm = true)
final class UpgradeMixedIT {
    private static final Duration SETTLING = Duration.ofMinutes(4);

    @ParameterizedTest
    @EnumSource(Tool.class)
    void theProgramsTakeTurns(Tool first) {
        UpgradeLab.requireVersions();
        var etcd = EtcdStep.patch();
        var second = first == Tool.KJADM ? Tool.KUBEADM : Tool.KJADM;
        try (var lab = Lab.withNodes(3, KubeVersions.of(FORMER, NEXT))) {
            lab.nodes().forEach(UpgradeMixedIT::nameImagesAsTheFormerVersionDoes);
            var cluster = new Cluster(
                    lab, Settings.standard().withKubernetes(FORMER).withEtcdTag(etcd.former()));
            cluster.init(first);
            cluster.joinControlPlane(second, lab.node(2));
            cluster.joinControlPlane(first, lab.node(3));
            cluster.awaitReady(lab.nodes().toArray(Node[]::new));
            cluster.configure(text -> text.replace(etcd.former(), etcd.next()));
            try (var writers = new ClusterWriters(cluster, lab.nodes())) {
                upgrade(first, lab.node(1), true, cluster, writers);
                cluster.awaitReady(lab.nodes().toArray(Node[]::new));
                upgrade(second, lab.node(2), false, cluster, writers);
                cluster.awaitReady(lab.nodes().toArray(Node[]::new));
                upgrade(first, lab.node(3), false, cluster, writers);

                assertEquals(List.of(), writers.lost(lab.node(2)));
                assertEquals(0, writers.missed());
            }
            lab.nodes().forEach(node -> assertEquals(NEXT, version(cluster, node)));
            cluster.assertVoters(lab.nodes().toArray(Node[]::new));
            cluster.awaitReady(lab.nodes().toArray(Node[]::new));
        }
    }

    /** The nodes have one CoreDNS and one pause image; kubeadm asks for its own version's tags. */
    private static void nameImagesAsTheFormerVersionDoes(Node node) {
        node.shell("""
                for image in $(kubeadm config images list --kubernetes-version %s 2> /dev/null |
                        grep 'coredns\\|pause'); do
                    there=$(ctr -n k8s.io images ls -q)
                    like=$(grep "^${image%%:*}:" <<< "$there" | head -1)
                    grep -qxF "$image" <<< "$there" || ctr -n k8s.io images tag "$like" "$image"
                done
                """.formatted(FORMER));
    }

    private static void upgrade(
            Tool tool, Node node, boolean first, Cluster cluster, ClusterWriters writers) {
        var words = new ArrayList<String>();
        words.add(tool == Tool.KUBEADM ? "/opt/kube/%s/kubeadm".formatted(NEXT) : tool.command());
        words.add("upgrade");
        words.addAll(first ? List.of("apply", NEXT, "--yes") : List.of("node"));
        words.add("--ignore-preflight-errors=SystemVerification");
        // kubeadm fails at an API server that has only just started; an operator waits a while
        Eventually.passes(SETTLING, () -> cluster.etcdctl(node, "endpoint health --cluster"));

        var span = writers.begin();
        var told = node.run(words.toArray(String[]::new));
        var what = "%s %s".formatted(tool.command(), first ? "upgrade apply" : "upgrade node");
        System.out.printf(
                "[upgrade] %s on %s: %.1f s%n", what, node.name(), told.took().toMillis() / 1000.0);
        span.report(what, node);
        if (tool == Tool.KJADM) {
            span.requireServed(node);
        }
    }

    private static String version(Cluster cluster, Node node) {
        return Eventually.get(SETTLING, () -> {
            try (var client = cluster.client(node)) {
                return client.getKubernetesVersion().getGitVersion();
            }
        });
    }
}
