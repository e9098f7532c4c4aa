package io.kjadm.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.net.FakeHost;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a file says of the kubelet and of kube-proxy. */
class ComponentConfigurationsTest {

    private final List<String> warnings = new ArrayList<>();
    private final FakeHost host = new FakeHost();

    @Test
    void componentConfigurationsKeepWhatWasWritten() {
        LoadedInit loaded = loader().init(
                        Optional.of(ConfigurationFile.of("f", """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                ---
                apiVersion: kubelet.config.k8s.io/v1beta1
                kind: KubeletConfiguration
                maxPods: 200
                syncFrequency: 90s
                rotateCertificates: false
                failSwapOn: false
                clusterDNS: [10.96.0.53]
                nonsense: 1
                """)),
                        CommandFlags.none(),
                        LoadOptions.RUN);
        KubeletConfig kubelet = loaded.kubelet();
        assertTrue(kubelet.userSupplied());
        assertFalse(loaded.kubeProxy().userSupplied());
        assertEquals(200, kubelet.tree().get("maxPods"));
        assertEquals("1m30s", kubelet.tree().get("syncFrequency"));
        assertEquals(true, kubelet.tree().get("rotateCertificates"));
        assertEquals(false, kubelet.tree().get("failSwapOn"));
        assertFalse(kubelet.tree().containsKey("nonsense"));
        assertEquals(
                List.of(
                        "KubeletConfiguration nonsense in f: unknown field",
                        "KubeletConfiguration clusterDNS: the recommended value is [\"10.96.0.10\"],"
                                + " the given one is [\"10.96.0.53\"]",
                        "KubeletConfiguration rotateCertificates: false is overridden,"
                                + " client certificates of kubelets are rotated"),
                warnings);
    }

    @ParameterizedTest
    @CsvSource({
        "'', iptables, false",
        "mode: \"\", iptables, false",
        "mode: nftables, nftables, false",
        "mode: ipvs, ipvs, true"
    })
    void theModeOfKubeProxyIsWrittenOut(String line, String mode, boolean warned) {
        KubeProxyConfig proxy = kubeProxy(line);
        assertEquals(mode, proxy.tree().get("mode"));
        assertEquals(
                warned
                        ? List.of(
                                "KubeProxyConfiguration mode: ipvs is deprecated since Kubernetes v1.35"
                                        + " and will be removed; use iptables or nftables")
                        : List.of(),
                warnings);
    }

    @ParameterizedTest
    @CsvSource({"0.0.0.0, false", "::, false", "10.1.2.3, true"})
    void onlyABindAddressThatIsNoWildcardIsToldOf(String address, boolean warned) {
        assertEquals(address, kubeProxy("bindAddress: '" + address + "'").bindAddress());
        assertEquals(
                warned
                        ? List.of("KubeProxyConfiguration bindAddress: the recommended value is"
                                + " \"0.0.0.0\", the given one is \"10.1.2.3\"")
                        : List.of(),
                warnings);
    }

    private KubeProxyConfig kubeProxy(String line) {
        return loader().init(
                        Optional.of(ConfigurationFile.of("f", """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                ---
                apiVersion: kubeproxy.config.k8s.io/v1alpha1
                kind: KubeProxyConfiguration
                %s
                """.formatted(line))),
                        CommandFlags.none(),
                        LoadOptions.RUN)
                .kubeProxy();
    }

    private ConfigurationLoader loader() {
        return new ConfigurationLoader(host, warnings::add);
    }
}
