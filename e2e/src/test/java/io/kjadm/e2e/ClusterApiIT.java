package io.kjadm.e2e;

import static io.kjadm.e2e.cluster.UpgradeLab.FORMER;
import static io.kjadm.e2e.cluster.UpgradeLab.NEXT;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.kjadm.e2e.capi.Bootstrap;
import io.kjadm.e2e.capi.ControlPlaneProvider;
import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Member;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.UpgradeLab;
import io.kjadm.e2e.cluster.UpgradeLab.EtcdStep;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.KubeVersions;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Running;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Cluster API, a stand-in for it, makes a cluster with {@code kubeadm}, which is kjadm, and replaces
 * its machines. Between the commands it changes kubeadm's objects and the members of etcd by itself.
 */
@NeedsLab
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ClusterApiIT {
    private static final Duration SETTLING = Duration.ofMinutes(2);
    private static final String MANIFESTS = "/etc/kubernetes/manifests/";
    private static final String KUBELET_CONFIG = "/var/lib/kubelet/config.yaml";
    private static final String REPOSITORY = "registry.example.org";
    private static final String FORMER_DNS = "v1.14.2";
    private static final String NEXT_DNS = "v1.14.6";
    private static final String CACHE = "cache 90";
    private static final int PODS = 97;

    private EtcdStep etcd;
    private Lab lab;
    private Cluster cluster;
    private Bootstrap bootstrap;

    @BeforeAll
    void begin() {
        UpgradeLab.requireVersions();
        etcd = EtcdStep.patch();
        lab = Lab.withNodes(4, KubeVersions.of(FORMER, NEXT));
        lab.nodes().forEach(Tool::linkAsKubeadm);
        cluster = new Cluster(lab, Settings.standard());
        bootstrap = Bootstrap.withNewAuthorities(
                lab,
                Stream.concat(Stream.of("SystemVerification", "Swap"), etcd.ignoredChecks())
                        .toList());
    }

    @AfterAll
    void end() {
        if (lab != null) {
            lab.close();
        }
    }

    @Order(1)
    @Test
    void initReadsWhatCloudInitWrites() {
        var authority = "/etc/kubernetes/pki/ca.crt";
        bootstrap.init(lab.node(1), FORMER, etcd.former(), FORMER_DNS).orFail();

        assertTrue(bootstrap.succeeded(lab.node(1)));
        assertTrue(lab.node(1).read(authority).endsWith("\n\n"), "the given authority is kept");
        var stored = provider(1).clusterConfiguration();
        assertEquals(FORMER, stored.get("kubernetesVersion"));
        assertEquals("prod", stored.get("clusterName"));
        cluster.awaitReady(lab.node(1));
    }

    /** The old gate is what the provider wrote for Kubernetes before 1.36. */
    @Order(2)
    @Test
    void aJoinReadsWhatTheProviderHasWritten() {
        var provider = provider(1);
        provider.updateRoles();
        provider.updateClusterConfiguration(configuration ->
                configuration.put("featureGates", Map.of("ControlPlaneKubeletLocalMode", true)));
        provider.updateKubeletConfiguration(configuration -> configuration.put("maxPods", PODS));
        var written = provider.configurationText();

        join(lab.node(2), provider);

        assertEquals(written, provider.configurationText());
        assertEquals(PODS, tree(lab.node(2), KUBELET_CONFIG).get("maxPods"));
        cluster.assertVoters(lab.node(1), lab.node(2));
    }

    @Order(3)
    @Test
    void aJoinDeploysTheVersionsThatTheProviderSet() {
        var provider = provider(1);
        provider.updateClusterConfiguration(configuration -> {
            configuration.put("kubernetesVersion", NEXT);
            configuration.put("imageRepository", REPOSITORY);
            configuration.put("etcd", Map.of("local", Map.of("imageTag", etcd.next())));
            configuration.put("dns", Map.of("imageTag", NEXT_DNS));
            configuration.remove("featureGates");
        });
        provider.updateKubeProxy(REPOSITORY + "/kube-proxy:" + NEXT);
        provider.updateCoreDns(
                corefile -> corefile.replaceFirst("cache \\d+", CACHE),
                REPOSITORY + "/coredns:" + NEXT_DNS);
        mirrorImages(lab.node(3));

        join(lab.node(3), provider);

        assertDeployed(lab.node(3));
        cluster.assertVoters(lab.node(1), lab.node(2), lab.node(3));
    }

    @Order(4)
    @Test
    void theUpgradeReadsTheObjectsThatTheProviderWrote() {
        var node = lab.node(2);
        mirrorImages(node);
        var provider = provider(1);
        var written = provider.configurationText();

        var plan = node.exec("kubeadm", "upgrade", "plan", NEXT).orFail();
        assertTrue(plan.stdout().contains(NEXT_DNS), plan::everything);
        node.exec("kubeadm", "upgrade", "node", "--ignore-preflight-errors=SystemVerification")
                .orFail();

        assertDeployed(node);
        assertEquals(written, provider.configurationText());
        assertTrue(corefile().contains(CACHE), this::corefile);
        cluster.assertVoters(lab.node(1), node, lab.node(3));
    }

    @Order(5)
    @Test
    void aMachineReplacesOneWhoseMemberTheProviderRemoved() {
        var leaving = lab.node(1);
        var provider = provider(2);
        if (!cluster.leads(leaving)) {
            lab.nodes().subList(1, 3).forEach(node -> provider.forwardLeadership(node, leaving));
        }
        assertTrue(cluster.leads(leaving), "the machine that leaves leads");
        provider.forwardLeadership(leaving, lab.node(3));
        provider.removeMember(leaving);
        provider.removeNode(leaving);
        mirrorImages(lab.node(4));

        join(lab.node(4), provider);

        assertMembers(lab.node(2), lab.node(3), lab.node(4));
    }

    @Order(6)
    @Test
    void aResetLeavesTheMembersOfOthersAlone() {
        var gone = lab.node(1);
        var provider = provider(2);

        gone.exec("kubeadm", "reset", "--force").orFail();

        assertFalse(gone.exists(MANIFESTS + "etcd.yaml"), "manifest");
        assertFalse(gone.exists("/var/lib/etcd/member"), "data");
        provider.removeNode(gone);
        assertMembers(lab.node(2), lab.node(3), lab.node(4));
    }

    /** The Node of the machine that leaves is still there, and its member is not. */
    @Order(7)
    @Test
    void aMachineOfAFormerNameJoinsWhileAnotherLeaves() {
        var provider = provider(3);
        mirrorImages(lab.node(1));
        provider.forwardLeadership(lab.node(2), lab.node(4));
        provider.removeMember(lab.node(2));

        join(lab.node(1), provider);

        provider.removeNode(lab.node(2));
        assertMembers(lab.node(3), lab.node(4), lab.node(1));
    }

    /** As soon as the API server of the new machine serves, the provider lets the oldest one go. */
    @Order(8)
    @Test
    void joinsSucceedWhileTheOldestMachineGoes() {
        var machines = new ArrayDeque<>(List.of(lab.node(3), lab.node(4), lab.node(1)));
        var fresh = lab.node(2);
        for (int i = 0; i < (Components.playsAll() ? 4 : 1); i++) {
            var oldest = machines.removeFirst();
            var provider = new ControlPlaneProvider(cluster, machines.getFirst());
            fresh.wipe();
            var join = bootstrap.startJoin(fresh, provider.newToken());
            awaitServing(fresh, join);
            provider.forwardLeadership(oldest, machines.getLast());
            provider.removeMember(oldest);
            provider.removeNode(oldest);
            oldest.wipe();

            join.outcome().orFail();
            assertTrue(bootstrap.succeeded(fresh));
            machines.addLast(fresh);
            assertMembers(machines.toArray(Node[]::new));
            fresh = oldest;
        }
    }

    private static void awaitServing(Node node, Running join) {
        Eventually.passes(
                UpgradeLab.LONG,
                () -> assertTrue(
                        join.ended()
                                || node.exec(
                                                "curl",
                                                "-ksf",
                                                "-m",
                                                "5",
                                                "https://" + node.at(6443) + "/readyz")
                                        .succeeded(),
                        join::output));
    }

    private ControlPlaneProvider provider(int by) {
        return new ControlPlaneProvider(cluster, lab.node(by));
    }

    private void join(Node node, ControlPlaneProvider provider) {
        bootstrap.join(node, provider.newToken()).orFail();
        assertTrue(bootstrap.succeeded(node));
    }

    /** Under the names of a repository that the machines cannot reach. */
    private static void mirrorImages(Node node) {
        node.shell("""
                ctr -n k8s.io images ls -q | grep '^registry.k8s.io/' | while read -r image; do
                    name=${image#registry.k8s.io/}
                    ctr -n k8s.io images tag --force "$image" "%s/${name#coredns/}"
                done""".formatted(REPOSITORY));
    }

    private void assertDeployed(Node node) {
        for (var component :
                List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler")) {
            assertEquals("%s/%s:%s".formatted(REPOSITORY, component, NEXT), image(node, component));
        }
        assertEquals("%s/etcd:%s".formatted(REPOSITORY, etcd.next()), image(node, "etcd"));
    }

    private static String image(Node node, String component) {
        return node.shell("sed -n 's/^ *image: *//p' %s%s.yaml".formatted(MANIFESTS, component));
    }

    private String corefile() {
        try (var client = cluster.client(lab.node(1))) {
            return client.configMaps()
                    .inNamespace("kube-system")
                    .withName("coredns")
                    .get()
                    .getData()
                    .get("Corefile");
        }
    }

    /** Each member has its node's name and address, as the provider expects, and votes. */
    private void assertMembers(Node... nodes) {
        Eventually.passes(SETTLING, () -> {
            cluster.assertVoters(nodes);
            assertEquals(
                    Stream.of(nodes)
                            .collect(Collectors.toMap(
                                    Node::name, node -> "https://" + node.at(2380))),
                    cluster.members(nodes[0]).stream()
                            .collect(Collectors.toMap(Member::name, Member::peerUrls)));
        });
        Stream.of(nodes).forEach(node -> cluster.etcdctl(node, "endpoint health"));
    }

    private static Map<?, ?> tree(Node node, String path) {
        return Serialization.unmarshal(node.read(path), Map.class);
    }
}
