package io.kjadm.e2e.cluster;

import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Node;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a test wants of a cluster; everything else is as in any lab.
 *
 * @param kubernetes the version of the control plane
 * @param etcdTag the tag of the etcd image, if not the default of the Kubernetes version
 * @param gates feature gates to be written into the configuration
 * @param etcd the {@code etcd} section as YAML in flow style, in place of the one with
 *         {@code etcdTag}
 * @param networking the {@code networking} section in the same way
 */
public record Settings(
        String kubernetes,
        Optional<String> etcdTag,
        Map<String, Boolean> gates,
        Optional<String> etcd,
        Optional<String> networking) {
    private static final String LEARNER_MODE = System.getenv("KJADM_E2E_LEARNER_MODE");

    public Settings {
        gates = Map.copyOf(gates);
    }

    public static Settings standard() {
        return new Settings(
                Components.kubernetesVersion(),
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                Optional.empty());
    }

    public Settings withKubernetes(String version) {
        return new Settings(version, etcdTag, gates, etcd, networking);
    }

    public Settings withEtcdTag(String tag) {
        return new Settings(kubernetes, Optional.of(tag), gates, etcd, networking);
    }

    public Settings withGate(String name, boolean enabled) {
        return new Settings(kubernetes, etcdTag, Map.of(name, enabled), etcd, networking);
    }

    public Settings withEtcd(String section) {
        return new Settings(kubernetes, etcdTag, gates, Optional.of(section), networking);
    }

    public Settings withNetworking(String section) {
        return new Settings(kubernetes, etcdTag, gates, etcd, Optional.of(section));
    }

    /**
     * The gate under test, written for a cluster that kjadm makes unless the test chose one itself.
     * KJADM_E2E_LEARNER_MODE runs all suites with the gate on or off; kubeadm does not know it.
     */
    Settings forTool(Tool tool) {
        return tool == Tool.KJADM && gates.isEmpty() && LEARNER_MODE != null
                ? withGate("EtcdLearnerMode", learnersByDefault())
                : this;
    }

    /** Whether a cluster whose test chose no gate adds its members as learners. */
    public static boolean learnersByDefault() {
        return LEARNER_MODE == null || Boolean.parseBoolean(LEARNER_MODE);
    }

    /**
     * The documents for {@code init --config} on {@code node}.
     *
     * @param balancer its address, under which tests ask from outside of the lab
     */
    String initDocuments(Node node, String endpoint, String balancer) {
        return """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                localAPIEndpoint: {advertiseAddress: "%s"}
                nodeRegistration: %s
                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: %s
                controlPlaneEndpoint: "%s"
                apiServer: {certSANs: ["%s"]}
                networking: %s
                etcd: %s
                %s%s""".formatted(
                        node.address(),
                        nodeRegistration(node),
                        kubernetes,
                        endpoint,
                        balancer,
                        networking.orElseGet(() -> networking(node)),
                        etcdSection(),
                        gateSection(),
                        componentDocuments());
    }

    /** The documents of the components, further ones of a file: what a container as a node needs. */
    public static String componentDocuments() {
        return """
                ---
                apiVersion: kubelet.config.k8s.io/v1beta1
                kind: KubeletConfiguration
                cgroupDriver: cgroupfs
                failCgroupV1: false
                failSwapOn: false
                # the disk is that of this machine, and its images are not to be had again
                imageGCHighThresholdPercent: 100
                evictionHard: {nodefs.available: 0%, nodefs.inodesFree: 0%, imagefs.available: 0%}
                ---
                apiVersion: kubeproxy.config.k8s.io/v1alpha1
                kind: KubeProxyConfiguration
                conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
                """;
    }

    /**
     * With IPv6 the kubelet has to be told which of its addresses counts: left alone it takes the
     * IPv4 one.
     */
    static String nodeRegistration(Node node) {
        var ignored = "ignorePreflightErrors: [SystemVerification, Swap]";
        return node.ipv6()
                ? "{%s, kubeletExtraArgs: [{name: node-ip, value: \"%s\"}]}"
                        .formatted(ignored, node.address())
                : "{" + ignored + "}";
    }

    private static String networking(Node node) {
        return node.ipv6()
                ? "{podSubnet: \"fd00:10:244::/56\", serviceSubnet: \"fd00:10:96::/112\"}"
                : "{podSubnet: 10.244.0.0/16}";
    }

    private String etcdSection() {
        return etcd.orElseGet(
                () -> etcdTag.map("{local: {imageTag: %s}}"::formatted).orElse("{}"));
    }

    private String gateSection() {
        if (gates.isEmpty()) {
            return "";
        }
        return gates.entrySet().stream()
                .map(gate -> gate.getKey() + ": " + gate.getValue())
                .collect(Collectors.joining(", ", "featureGates: {", "}\n"));
    }
}
