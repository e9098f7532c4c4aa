package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The whole text of manifests and addons, in the variants that differ. */
final class GoldenManifestsTest {

    private static final InetAddress IPV4 = InetAddress.ofLiteral("192.0.2.10");
    private static final InetAddress IPV6 = InetAddress.ofLiteral("2001:db8:0:0::10");

    record Golden(String file, String text) {

        @Override
        public String toString() {
            return file;
        }
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void textIsAsAgreed(Golden golden) throws IOException {
        try (InputStream in = getClass().getResourceAsStream("golden/" + golden.file())) {
            assertNotNull(in, golden.file());
            assertEquals(new String(in.readAllBytes(), StandardCharsets.UTF_8), golden.text());
        }
    }

    static List<Golden> goldens() {
        return List.of(
                new Golden("kube-apiserver.yaml", apiServer(IPV4, stackedEtcd(IPV4))),
                new Golden("kube-apiserver-ipv6.yaml", apiServer(IPV6, stackedEtcd(IPV6))),
                new Golden("kube-apiserver-external-etcd.yaml", apiServer(IPV4, externalEtcd())),
                new Golden(
                        "kube-controller-manager.yaml",
                        ManifestYaml.write(
                                ControllerManagerPod.build(new ControllerManagerPod.Input(
                                        host(),
                                        PodOptions.of("example.test/kcm:v1.36.2"),
                                        "10.96.0.0/12",
                                        Optional.of("10.244.0.0/16"),
                                        "kubernetes",
                                        true)))),
                new Golden(
                        "kube-scheduler-rootless.yaml",
                        ManifestYaml.write(
                                SchedulerPod.build(new SchedulerPod.Input(host(), scheduler())))),
                new Golden("etcd.yaml", etcd(IPV4, "3.6.8-0", Optional.empty())),
                new Golden("etcd-ipv6-join.yaml", etcd(IPV6, "3.6.8-0", Optional.of(members()))),
                new Golden("etcd-3.4.23-join.yaml", etcd(IPV4, "v3.4.23", Optional.of(members()))),
                new Golden(
                        "coredns-ipv6.yaml",
                        CoreDnsAddon.build(new CoreDnsAddon.Input(
                                        "example.test/coredns:v1.14.2",
                                        "cluster.local",
                                        InetAddress.ofLiteral("fd00:10:96::a"),
                                        2))
                                .print()),
                new Golden(
                        "kube-proxy.yaml",
                        KubeProxyAddon.build(new KubeProxyAddon.Input(
                                        "example.test/kube-proxy:v1.36.2",
                                        "https://[2001:db8::10]:6443",
                                        "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n",
                                        ConfigurationMaps.Origin.GENERATED,
                                        List.of(new EnvVariable(
                                                "https_proxy", "http://proxy.example.test:3128"))))
                                .print()));
    }

    private static PodHost host() {
        return new PodHost(
                Path.of("/etc/kubernetes/pki"),
                Path.of("/etc/kubernetes"),
                List.of(Path.of("/etc/pki/ca-trust")),
                List.of(),
                Duration.ofSeconds(95));
    }

    private static String apiServer(InetAddress address, ApiServerEtcd etcd) {
        return ManifestYaml.write(ApiServerPod.build(new ApiServerPod.Input(
                host(),
                PodOptions.of("example.test/kube-apiserver:v1.36.2"),
                address,
                6443,
                etcd,
                "cluster.local",
                "10.96.0.0/12")));
    }

    private static ApiServerEtcd stackedEtcd(InetAddress address) {
        return ApiServerEtcd.stacked(host(), address, List.of());
    }

    private static ApiServerEtcd externalEtcd() {
        return new ApiServerEtcd(
                List.of("https://etcd-1.example.test:2379", "https://[2001:db8::21]:2379"),
                Optional.of(Path.of("/opt/etcd/ca/ca.crt")),
                Optional.of(Path.of("/opt/etcd/client/tls.crt")),
                Optional.of(Path.of("/srv/keys/tls.key")));
    }

    private static PodOptions scheduler() {
        return new PodOptions(
                "example.test/kube-scheduler:v1.36.2",
                List.of(new Argument("bind-address", "::")),
                List.of(),
                List.of(new EnvVariable(
                        "NODE", "", Map.of("fieldRef", Map.of("fieldPath", "spec.nodeName")))),
                Optional.of(new RunAsIds(101, 102, List.of(103L))));
    }

    private static String etcd(
            InetAddress address, String tag, Optional<List<NameAndUrl>> members) {
        return ManifestYaml.write(EtcdPod.build(new EtcdPod.Input(
                host(),
                PodOptions.of("example.test/etcd:" + tag),
                ImageVersion.fromTag(tag),
                "cp-2",
                address,
                Path.of("/var/lib/etcd"),
                members)));
    }

    private static List<NameAndUrl> members() {
        return List.of(
                new NameAndUrl("cp-1", URI.create("https://[2001:db8::9]:2380")),
                new NameAndUrl("8e9e05c52164694d", URI.create("https://192.0.2.9:2380")),
                new NameAndUrl("cp-2", URI.create("https://[2001:db8::10]:2380")));
    }
}
