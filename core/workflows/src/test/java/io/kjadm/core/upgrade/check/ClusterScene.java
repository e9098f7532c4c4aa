package io.kjadm.core.upgrade.check;

import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.etcd.check.LabProbes;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.upgrade.EtcdPatch;
import io.kjadm.core.upgrade.VersionPolicy;
import io.kjadm.core.upgrade.VersionPolicy.PreReleases;
import io.kjadm.core.upgrade.check.ClusterState.ApiServer;
import io.kjadm.core.upgrade.check.ClusterState.Component;
import io.kjadm.core.upgrade.check.ClusterState.Dns;
import io.kjadm.core.upgrade.check.ClusterState.Election;
import io.kjadm.core.upgrade.check.ClusterState.Node;
import io.kjadm.core.upgrade.check.NodeState.Certificate;
import io.kjadm.core.upgrade.check.NodeState.Disk;
import io.kjadm.core.upgrade.check.NodeState.Images;
import io.kjadm.core.upgrade.check.NodeState.Manifest;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.KubernetesReleases;
import io.kjadm.manifests.PatchTarget;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The facts of a healthy cluster of three control-plane nodes and a worker, before its upgrade from
 * v1.36.2 to v1.37.0; each may be spoiled.
 */
public final class ClusterScene {

    public static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

    public KubernetesVersion target = KubernetesVersion.of("v1.37.0");
    public final Map<String, Node> nodes = new TreeMap<>();
    public final List<Component> components = new ArrayList<>();
    public final List<ApiServer> apiServers = new ArrayList<>();
    public final Map<String, Election> elections = new TreeMap<>();
    public Dns dns = Dns.NONE;
    public SimulatedCluster etcd = SimulatedCluster.ofVoters(3, "3.6.14");
    public Optional<EtcdState> etcdState = Optional.empty();
    public boolean withEtcd = true;
    public String etcdTag = "3.7.1-0";
    Optional<EtcdPatch> patch = Optional.empty();
    public final Map<PatchTarget, Manifest> manifests = new EnumMap<>(PatchTarget.class);
    public final List<Certificate> certificates = new ArrayList<>();
    public final List<Disk> disks = new ArrayList<>();
    public Images images = new Images(List.of(), Optional.empty());
    public final Map<String, List<Argument>> arguments = new HashMap<>();

    public ClusterScene() {
        for (String name : List.of("cp-1", "cp-2", "cp-3")) {
            node(name, true, "v1.36.2");
            components.add(new Component("kube-apiserver", name, "v1.36.2"));
            components.add(new Component("etcd", name, "3.6.8-0"));
            apiServers.add(
                    new ApiServer(name, URI.create("https://" + name + ":6443"), Optional.empty()));
        }
        node("worker-1", false, "v1.36.2");
        elected("kube-controller-manager", Duration.ofSeconds(2));
        elected("kube-scheduler", Duration.ofSeconds(2));
        certificate("apiserver.crt", Duration.ofDays(200));
        disks.add(new Disk(Path.of("/var/lib/etcd"), OptionalLong.of(100L << 30)));
    }

    public void node(String name, boolean controlPlane, String kubelet) {
        nodes.put(
                name,
                new Node(
                        name,
                        controlPlane,
                        Optional.empty(),
                        kubelet,
                        "Debian GNU/Linux 13 (trixie)"));
    }

    public void notReady(String name) {
        Node node = nodes.get(name);
        nodes.put(
                name,
                new Node(
                        name,
                        node.controlPlane(),
                        Optional.of("KubeletNotReady"),
                        node.kubelet(),
                        node.system()));
    }

    public void elected(String component, Duration age) {
        elections.put(component, new Election(component, Optional.of(age)));
    }

    public void certificate(String name, Duration left) {
        certificates.add(
                new Certificate(name, name.endsWith("ca.crt"), Optional.of(NOW.plus(left))));
    }

    public UpgradeFacts facts() {
        Map<String, String> kubelets = new TreeMap<>();
        nodes.forEach((name, node) -> kubelets.put(name, node.kubelet()));
        return new UpgradeFacts(
                new VersionPolicy.Facts(
                        target,
                        Optional.of(KubernetesVersion.of("v1.36.2")),
                        KubernetesReleases.KNOWN,
                        Optional.of(kubelets),
                        PreReleases.NONE),
                Optional.of(new ClusterState(
                        List.copyOf(nodes.values()),
                        components,
                        apiServers,
                        List.copyOf(elections.values()),
                        dns)),
                new NodeState(manifests, certificates, disks, images, arguments),
                Optional.of(etcdState.orElseGet(this::seen)).filter(state -> withEtcd),
                NOW);
    }

    /** Members of these nodes need the patch release before 3.7, the last one leads. */
    public void patch(String... nodes) {
        patch = Optional.of(new EtcdPatch(
                "3.6.11-0",
                EtcdVersion.parse("3.7.0"),
                Stream.of(nodes)
                        .map(name -> new Member(
                                new MemberId(name.hashCode()), name, List.of(), List.of(), false))
                        .toList(),
                false));
    }

    private EtcdState seen() {
        var checkup =
                new EtcdCheckup(new LabProbes().ports(() -> etcd).etcd(), new VirtualWaiter());
        return new EtcdState.Seen(
                checkup.look(EtcdAccess.plain(List.of(URI.create("http://cp-1:2379")))),
                etcdTag,
                Map.of(),
                patch);
    }
}
