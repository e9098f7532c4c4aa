package io.kjadm.core.preflight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.kjadm.core.check.Check;
import io.kjadm.core.config.ApiEndpoint;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.Discovery;
import io.kjadm.core.config.ExternalEtcd;
import io.kjadm.core.config.JoinConfiguration;
import io.kjadm.core.config.JoinControlPlane;
import io.kjadm.core.config.NodeRegistration;
import io.kjadm.core.config.RunSettings;
import io.kjadm.core.config.TokenDiscovery;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.preflight.machine.GoodHost;
import io.kjadm.core.value.HostAndPort;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class JoinChecksTest {

    private final GoodHost host = new GoodHost();

    private static JoinConfiguration join(String server, Optional<JoinControlPlane> controlPlane) {
        Discovery discovery = new TokenDiscovery(
                "abcdef.0123456789abcdef",
                new HostAndPort(server, 6443),
                List.of(),
                true,
                Optional.empty());
        return new JoinConfiguration(
                NodeRegistration.defaults().withName("node2").withCriSocket("unix:///run/c.sock"),
                JoinConfiguration.DEFAULT_CA_CERT_PATH,
                discovery,
                controlPlane,
                RunSettings.DEFAULTS);
    }

    private static JoinControlPlane controlPlane(Optional<String> key) {
        return new JoinControlPlane(new ApiEndpoint("10.0.0.2", 6443), key);
    }

    private List<String> names(JoinConfiguration join) {
        return JoinChecks.of(host.ports(), join, new RecordingReporter()).stream()
                .map(Check::name)
                .toList();
    }

    @Test
    void workersAreCheckedInKubeadmsOrder() {
        assertEquals(
                List.of(
                        "FileAvailable--etc-kubernetes-kubelet.conf",
                        "FileAvailable--etc-kubernetes-bootstrap-kubelet.conf",
                        "CRI",
                        "ContainerRuntimeVersion",
                        "Swap",
                        "FileExisting-losetup",
                        "FileExisting-mount",
                        "FileExisting-cp",
                        "SystemVerification",
                        "Hostname",
                        "KubeletVersion",
                        "Service-kubelet",
                        "Port-10250",
                        "FileAvailable--etc-kubernetes-pki-ca.crt",
                        "HTTPProxy",
                        "FileContent--proc-sys-net-ipv4-ip_forward"),
                names(join("10.0.0.1", Optional.empty())));
    }

    @Test
    void serverNameTellsNothingOfAddressFamilies() {
        assertFalse(names(join("cp.example.org", Optional.empty())).stream()
                .anyMatch(name -> name.startsWith("FileContent")));
        assertEquals(
                "FileContent--proc-sys-net-ipv6-conf-default-forwarding",
                names(join("fd00::1", Optional.empty())).getLast());
    }

    @Test
    void controlPlanesMayHaveTheCaAlready() {
        Set<String> worker = new HashSet<>(names(join("10.0.0.1", Optional.empty())));
        worker.removeAll(names(join("10.0.0.1", Optional.of(controlPlane(Optional.empty())))));
        assertEquals(Set.of("FileAvailable--etc-kubernetes-pki-ca.crt"), worker);
    }

    @Test
    void secondBatchOfAControlPlaneLeavesOutWhatTheFirstAsked() {
        List<String> names = JoinChecks.controlPlane(
                        host.ports(),
                        controlPlane(Optional.empty()),
                        ClusterConfiguration.defaults())
                .stream()
                .map(Check::name)
                .toList();
        // data of etcd is looked at beside the member list
        String manifest = "FileAvailable--etc-kubernetes-manifests-%s.yaml";
        assertEquals(
                List.of(
                        "NumCPU",
                        "Mem",
                        "KubernetesVersion",
                        "Firewalld",
                        "Port-6443",
                        "Port-10259",
                        "Port-10257",
                        manifest.formatted("kube-apiserver"),
                        manifest.formatted("kube-controller-manager"),
                        manifest.formatted("kube-scheduler"),
                        manifest.formatted("etcd"),
                        "HTTPProxy",
                        "HTTPProxyCIDR",
                        "Port-2379",
                        "Port-2380"),
                names);
    }

    @Test
    void downloadedEtcdCertificatesNeedNotBeThere() {
        ClusterConfiguration cluster = ClusterConfiguration.defaults()
                .withEtcd(new ExternalEtcd(
                        List.of(),
                        List.of(),
                        Optional.of(Path.of("/e/ca.crt")),
                        Optional.empty(),
                        Optional.empty()));
        assertEquals(1, certificateChecks(controlPlane(Optional.empty()), cluster));
        assertEquals(0, certificateChecks(controlPlane(Optional.of("00")), cluster));
    }

    private long certificateChecks(JoinControlPlane join, ClusterConfiguration cluster) {
        return JoinChecks.controlPlane(host.ports(), join, cluster).stream()
                .filter(check -> check.name().equals("ExternalEtcdClientCertificates"))
                .count();
    }
}
