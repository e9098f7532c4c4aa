package io.kjadm.core.preflight;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.config.ApiEndpoint;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.ConfigurationLoader;
import io.kjadm.core.config.ExternalEtcd;
import io.kjadm.core.config.InitConfiguration;
import io.kjadm.core.config.LoadOptions;
import io.kjadm.core.config.NodeRegistration;
import io.kjadm.core.config.RunSettings;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.net.FakeHost;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.preflight.machine.GoodHost;
import io.kjadm.core.preflight.machine.MachineChecks;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class InitChecksTest {

    private static final List<String> COMMON = List.of(
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
            "Port-10250");

    private final GoodHost host = new GoodHost();
    private final RecordingReporter out = new RecordingReporter();
    private final ClusterConfiguration cluster =
            ClusterConfiguration.defaults().withKubernetesVersion("v1.36.2", false);

    private static InitConfiguration init(String address) {
        return new InitConfiguration(
                List.of(),
                NodeRegistration.defaults().withName("node1").withCriSocket("unix:///run/c.sock"),
                new ApiEndpoint(address, 6443),
                Optional.empty(),
                RunSettings.DEFAULTS);
    }

    private List<Check> checks(String address, ClusterConfiguration of) {
        return InitChecks.of(host.ports(), init(address), of, out);
    }

    private static List<String> names(List<Check> checks) {
        return checks.stream().map(Check::name).toList();
    }

    @Test
    void orderIsKubeadms() {
        List<String> wanted = new ArrayList<>(List.of(
                "NumCPU",
                "Mem",
                "KubernetesVersion",
                "Firewalld",
                "Port-6443",
                "Port-10259",
                "Port-10257",
                "FileAvailable--etc-kubernetes-manifests-kube-apiserver.yaml",
                "FileAvailable--etc-kubernetes-manifests-kube-controller-manager.yaml",
                "FileAvailable--etc-kubernetes-manifests-kube-scheduler.yaml",
                "FileAvailable--etc-kubernetes-manifests-etcd.yaml",
                "HTTPProxy",
                "HTTPProxyCIDR"));
        wanted.addAll(COMMON);
        wanted.addAll(List.of(
                "FileContent--proc-sys-net-ipv4-ip_forward",
                "Port-2379",
                "Port-2380",
                "DirAvailable--var-lib-etcd"));
        assertEquals(wanted, names(checks("10.0.0.1", cluster)));
    }

    @Test
    void bothFamiliesOfAddressesAreCheckedWhereBothOccur() {
        ClusterConfiguration dual = new ConfigurationLoader(new FakeHost(), out::warn)
                .init(
                        Optional.empty(),
                        CommandFlags.none()
                                .with(Flag.KUBERNETES_VERSION, "1.36.2")
                                .with(Flag.SERVICE_CIDR, "10.96.0.0/12,fd00:1::/112")
                                .with(Flag.POD_NETWORK_CIDR, "10.1.0.0/16"),
                        LoadOptions.RUN)
                .cluster();
        List<String> names = names(checks("10.0.0.1", dual));
        assertEquals(
                List.of(
                        "FileContent--proc-sys-net-ipv4-ip_forward",
                        "FileContent--proc-sys-net-ipv6-conf-default-forwarding"),
                names.stream().filter(name -> name.startsWith("FileContent")).toList());
        assertEquals(2, names.stream().filter("HTTPProxyCIDR"::equals).count());
    }

    @Test
    void externalEtcdHasItsOwnChecks() {
        ExternalEtcd external = new ExternalEtcd(
                List.of(URI.create("https://10.0.0.9:2379")),
                List.of(URI.create("https://10.0.0.9:2379")),
                Optional.of(Path.of("/e/ca.crt")),
                Optional.of(Path.of("/e/c.crt")),
                Optional.of(Path.of("/e/c.key")));
        List<String> names = names(checks("10.0.0.1", cluster.withEtcd(external)));
        assertEquals(
                List.of(
                        "ExternalEtcdVersion",
                        "ExternalEtcdCluster",
                        "ExternalEtcdClientCertificates",
                        "ExternalEtcdClientCertificates",
                        "ExternalEtcdClientCertificates"),
                names.subList(names.size() - 5, names.size()));
    }

    @Test
    void goodMachineHasNoFindings() {
        assertEquals(List.of(), findings(MachineChecks.privileged(host.ports())));
        assertEquals(List.of(), findings(checks("10.0.0.1", cluster)));
        assertEquals(List.of(), out.lines());
    }

    @Test
    void usedMachineHasManyFindings() {
        host.usedPorts.put(6443, "Address already in use");
        host.usedPorts.put(2379, "Address already in use");
        host.files
                .with("/etc/kubernetes/manifests/etcd.yaml", "x")
                .with("/var/lib/etcd/member/wal/0", "x")
                .with("/proc/sys/net/ipv4/ip_forward", "0\n");
        assertEquals(5, findings(checks("10.0.0.1", cluster)).size());
    }

    private static List<Finding> findings(List<Check> checks) {
        return checks.stream().flatMap(check -> check.run().stream()).toList();
    }
}
