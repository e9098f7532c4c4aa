package io.kjadm.core.upgrade.check;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.check.LabProbes;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.init.InitLab;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.core.node.ControlPlanePods;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.node.PatchDirectory;
import io.kjadm.core.node.RootlessUsers;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.upgrade.InstalledNode;
import io.kjadm.core.upgrade.StoredConfiguration;
import io.kjadm.core.upgrade.UpgradeFinding;
import io.kjadm.core.upgrade.VersionPolicy.PreReleases;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.core.value.Timeouts;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdProbe;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ManifestYaml;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A cluster of v1.36.2 that {@code init} made in memory, with one control-plane node, as it is
 * before its upgrade.
 */
public final class UpgradeLab {

    public static final String MANIFESTS = "/etc/kubernetes/manifests/";

    public final InitLab init = new InitLab();
    public final MemoryKubeApi api = init.api;
    public final VirtualWaiter waiter = init.waiter;
    public final RecordingReporter out = new RecordingReporter();
    final LabProbes probes = new LabProbes();
    public SimulatedCluster etcd = SimulatedCluster.ofVoters(1, "3.6.11");
    KubernetesVersion target = KubernetesVersion.of("v1.37.0");
    boolean withEtcd = true;
    Optional<Path> patches = Optional.empty();

    /** Hosts of API servers that cannot be reached. */
    public final Set<String> unreachable = new HashSet<>();

    private final KubeApi closed = new MemoryKubeApi().down(Kind.UNREACHABLE);

    /** As {@code init} leaves it. */
    public UpgradeLab() {
        this("");
    }

    /** @param more lines of the cluster's configuration */
    UpgradeLab(String more) {
        init.initialized("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                localAPIEndpoint: {advertiseAddress: 192.0.2.10}
                nodeRegistration: {name: cp-1, criSocket: "unix:///run/c.sock"}
                bootstrapTokens: [{token: abcdef.0123456789abcdef}]
                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                encryptionAlgorithm: ECDSA-P256
                controlPlaneEndpoint: cluster.example:6443
                %s""".formatted(more), false);
        node("cp-1", true);
        api.withPage("/version", "{\"gitVersion\": \"v1.36.2\"}");
        List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
                .forEach(name -> pod(name, "cp-1"));
        renew("kube-controller-manager");
        renew("kube-scheduler");
    }

    /** A node that is ready. */
    void node(String name, boolean controlPlane) {
        api.with(new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .addToLabels("kubernetes.io/hostname", name)
                .addToLabels(
                        controlPlane
                                ? Map.of("node-role.kubernetes.io/control-plane", "")
                                : Map.of())
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .withNewStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .withNewNodeInfo()
                .withKubeletVersion("v1.36.2")
                .withOsImage("Debian GNU/Linux 13 (trixie)")
                .endNodeInfo()
                .endStatus()
                .build());
    }

    /** The mirror pod of a manifest. */
    private void pod(String name, String node) {
        Pod pod = ManifestYaml.typed(
                ManifestYaml.readObject(init.files.text(MANIFESTS + name + ".yaml")), Pod.class);
        api.with(new PodBuilder(pod)
                .editMetadata()
                .withName(name + "-" + node)
                .withNamespace("kube-system")
                .endMetadata()
                .editSpec()
                .withNodeName(node)
                .endSpec()
                .build());
    }

    /** The pod of another API server. */
    void apiServer(String node, String address) {
        api.with(new PodBuilder()
                .withNewMetadata()
                .withName("kube-apiserver-" + node)
                .withNamespace("kube-system")
                .addToLabels("component", "kube-apiserver")
                .addToLabels("tier", "control-plane")
                .addToAnnotations(ApiServerPod.ENDPOINT_ANNOTATION, address + ":6443")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withImage("registry.k8s.io/kube-apiserver:v1.37.0")
                .endContainer()
                .endSpec()
                .build());
    }

    /** A component renews its Lease now. */
    public void renew(String component) {
        renewed(component, waiter.now());
    }

    void renewed(String component, Instant at) {
        api.with(new LeaseBuilder()
                .withNewMetadata()
                .withName(component)
                .withNamespace("kube-system")
                .endMetadata()
                .withNewSpec()
                .withRenewTime(at.atZone(ZoneOffset.UTC))
                .endSpec()
                .build());
    }

    /** Clients of its API servers. */
    public KubeClients clients(HostFiles files) {
        return new KubeClients(
                files, access -> unreachable.contains(access.server().getHost()) ? closed : api);
    }

    UpgradeCheckup checkup() {
        KubeClients clients = clients(init.files);
        return new UpgradeCheckup(
                new UpgradeCheckup.Sources(
                        init.files,
                        init.runtime,
                        probes.ports(() -> etcd),
                        clients,
                        new EtcdClients(init.files, clients, access -> etcd, waiter),
                        manifests(),
                        waiter),
                Path.of("/etc/kubernetes/admin.conf"),
                out);
    }

    ManifestStore manifests() {
        return new ManifestStore(
                init.files,
                new ControlPlanePods(init.files, Map.of()),
                new RootlessUsers(init.files, waiter),
                new PatchDirectory(init.files, out),
                out);
    }

    /** What looks at the members of an etcd. */
    public Function<EtcdAccess, EtcdProbe> probesOf(Supplier<EtcdCluster> cluster) {
        return probes.ports(cluster).etcd();
    }

    /** The same, for those who are elsewhere. */
    public StoredConfiguration storedConfiguration() {
        return stored();
    }

    /** A part of ConfigMap {@code kubeadm-config}. */
    public String stored(String key) {
        return api.get(ConfigMap.class, "kube-system", "kubeadm-config")
                .orElseThrow()
                .getData()
                .get(key);
    }

    StoredConfiguration stored() {
        return StoredConfiguration.read(
                api, new KubeCalls(waiter, Duration.ofSeconds(5)), Optional.empty(), out::warn);
    }

    UpgradeFacts facts() {
        StoredConfiguration stored = stored();
        return checkup()
                .gather(
                        stored,
                        InstalledNode.look(init.files, stored.cluster()),
                        new UpgradeGoal(
                                target, PreReleases.NONE, withEtcd, patches, Timeouts.DEFAULTS));
    }

    List<UpgradeFinding> findings() {
        return UpgradeChecklist.findings(facts());
    }

    /** Rule and severity of each finding. */
    String told() {
        return findings().stream()
                .filter(finding -> finding.rule() != EtcdUpgradeFinding.Rule.KNOWN_DEFECTS)
                .map(finding -> finding.rule() + " " + finding.severity())
                .collect(Collectors.joining(", "));
    }

    /** What each finding says. */
    String text() {
        return findings().stream()
                .map(finding -> finding.problem().toString())
                .collect(Collectors.joining("\n"));
    }

    /** Replaces text of a file. */
    void edit(String path, String old, String replacement) {
        String text = init.files.text(path);
        if (!text.contains(old)) {
            throw new IllegalArgumentException("%s has no %s:%n%s".formatted(path, old, text));
        }
        init.files.with(path, text.replace(old, replacement));
    }
}
