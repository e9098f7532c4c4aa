package io.kjadm.core.config;

import static io.kjadm.core.config.KubeadmYaml.cluster;
import static io.kjadm.core.config.KubeadmYaml.head;
import static io.kjadm.core.config.KubeadmYaml.init;
import static io.kjadm.core.config.KubeadmYaml.join;
import static io.kjadm.core.config.KubeadmYaml.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.net.FakeHost;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** One case per way to get a configuration wrong; each refusal has to say where and why. */
class InvalidConfigurationTest {

    private static final String TOKEN = "abcdef.0123456789abcdef";

    private final List<String> warnings = new ArrayList<>();
    private final FakeHost host = new FakeHost();

    static Stream<Arguments> refusedInits() {
        return Stream.of(
                refused(head("v1beta2", "InitConfiguration"), "v1beta2", "v1.22"),
                refused(head("v1", "InitConfiguration"), "InitConfiguration", "experimental"),
                refused("apiVersion: kubeadm.k8s.io/v1beta4\n", "mandatory"),
                refused("apiVersion: v1\nkind: ConfigMap\n", "mandatory"),
                refused("# a comment\n---\n" + init(""), "mandatory"),
                refused(cluster("") + "---\n" + cluster(""), "ClusterConfiguration twice"),
                refused(init("") + "--- junk\n" + cluster(""), "separator", "junk"),
                refused(
                        "apiVersion: kubelet.config.k8s.io/v1beta1\n"
                                + "kind: KubeletConfiguration\n",
                        "neither InitConfiguration"),
                refused(
                        cluster("apiServer: {extraArgs: [{name: v, value: 5}]}"),
                        "ClusterConfiguration apiServer.extraArgs.0.value",
                        "5",
                        "number"),
                refused(
                        cluster("apiServer: {extraArgs: [{name: v, value: y}]}"),
                        "apiServer.extraArgs.0.value",
                        "boolean"),
                refused(cluster("apiServer: {extraArgs: {v: '5'}}"), "apiServer.extraArgs", "list"),
                refused(
                        head("v1beta3", "ClusterConfiguration")
                                + "scheduler: {extraArgs: [{name: v, value: '5'}]}\n",
                        "scheduler.extraArgs",
                        "object"),
                refused(
                        cluster("apiServer: {extraArgs: [{value: '5'}]}"),
                        "apiServer.extraArgs",
                        "index 0"),
                refused(init("bootstrapTokens: [{token: ABC}]"), "bootstrapTokens.0.token"),
                refused(init("bootstrapTokens: [{token: ''}]"), "bootstrapTokens.0.token"),
                refused(
                        init("bootstrapTokens: [{usages: [foo]}]"),
                        "bootstrapTokens.0.usages",
                        "foo",
                        "signing"),
                refused(
                        init("bootstrapTokens: [{groups: [admins]}]"),
                        "bootstrapTokens.0.groups",
                        "admins"),
                refused(
                        init("bootstrapTokens: [{usages: [signing], groups: "
                                + "['system:bootstrappers:x']}]"),
                        "authentication"),
                refused(
                        init("bootstrapTokens: [{ttl: 1h, expires: 2030-01-01T00:00:00Z}]"),
                        "bootstrapTokens.0",
                        "exclusive"),
                refused(
                        init("nodeRegistration: {name: bad_name}"),
                        "nodeRegistration.name",
                        "bad_name"),
                refused(
                        init("nodeRegistration: {criSocket: unixfoo}"),
                        "nodeRegistration.criSocket",
                        "unixfoo"),
                refused(
                        init("nodeRegistration: {criSocket: 'tcp://x'}"),
                        "nodeRegistration.criSocket",
                        "tcp://x"),
                refused(
                        init("nodeRegistration: {imagePullPolicy: Sometimes}"),
                        "nodeRegistration.imagePullPolicy",
                        "Sometimes",
                        "IfNotPresent"),
                refused(
                        init("localAPIEndpoint: {advertiseAddress: foo}"),
                        "foo",
                        "localAPIEndpoint.advertiseAddress"),
                refused(init("localAPIEndpoint: {advertiseAddress: 224.0.0.1}"), "224.0.0.1"),
                refused(
                        init("localAPIEndpoint: {bindPort: 70000}"),
                        "localAPIEndpoint.bindPort",
                        "70000"),
                refused(init("certificateKey: abcd"), "certificateKey", "2 bytes"),
                refused(init("certificateKey: xyz"), "certificateKey", "hexadecimal"),
                refused(cluster("kubernetesVersion: foo"), "foo", "label"),
                refused(cluster("kubernetesVersion: v1.36"), "v1.36", "label"),
                refused(cluster("kubernetesVersion: v1.30.0"), "v1.30.0", "v1.36.0"),
                refused(
                        cluster("controlPlaneEndpoint: 'Host:6443'"),
                        "controlPlaneEndpoint",
                        "Host:6443"),
                refused(
                        cluster("controlPlaneEndpoint: '[fd00::1]'"),
                        "controlPlaneEndpoint",
                        "[fd00::1]"),
                refused(
                        cluster("controlPlaneEndpoint: 'http://api:1'"),
                        "controlPlaneEndpoint",
                        "http://api:1"),
                refused(cluster("controlPlaneEndpoint: '1.2.3.4:0'"), "1.2.3.4:0", "65535"),
                refused(
                        network("serviceSubnet: 10.0.0.0/8"),
                        "networking.serviceSubnet",
                        "10.0.0.0/8",
                        "/12"),
                refused(network("serviceSubnet: 10.0.0.0/29"), "8 addresses", "10"),
                refused(network("serviceSubnet: '10.96.0.0/16, fd00::/112'"), "not a CIDR"),
                refused(network("serviceSubnet: '10.0.0.0/16,10.1.0.0/16'"), "dual stack"),
                refused(network("podSubnet: 10.244.0.0/25"), "podSubnet", "/25", "/24"),
                refused(network("podSubnet: 'fd00::/40'"), "podSubnet", "16 bits"),
                refused(network("podSubnet: 10.244.0.0/33"), "podSubnet", "10.244.0.0/33"),
                refused(network("dnsDomain: Cluster.Local"), "networking.dnsDomain"),
                refused(cluster("certificatesDir: pki"), "certificatesDir", "absolute"),
                refused(cluster("imageRepository: 'https://reg'"), "imageRepository"),
                refused(cluster("imageRepository: reg.test/Upper"), "imageRepository"),
                refused(
                        cluster("encryptionAlgorithm: ECDSA"),
                        "encryptionAlgorithm",
                        "ECDSA-P256, ECDSA-P384, RSA-2048"),
                refused(cluster("encryptionAlgorithm: ML-DSA-65"), "ML-DSA", "v1.38"),
                refused(cluster("featureGates: {Foo: true}"), "featureGates", "Foo"),
                refused(
                        cluster(
                                "kubernetesVersion: v1.37.0\nfeatureGates: {PublicKeysECDSA: true}"),
                        "PublicKeysECDSA",
                        "v1.37",
                        "encryptionAlgorithm"),
                refused(
                        cluster(
                                "kubernetesVersion: v1.37.0\nfeatureGates: {NodeLocalCRISocket: true}"),
                        "NodeLocalCRISocket",
                        "v1.37"),
                refused(
                        cluster("featureGates: {RootlessControlPlane: 'yes'}"),
                        "featureGates.RootlessControlPlane",
                        "true or false"),
                refused(cluster("certificateValidityPeriod: 1y"), "duration"),
                refused(cluster("certificateValidityPeriod: 8760"), "duration", "number"),
                refused(
                        cluster("etcd: {local: {dataDir: x}, external: {}}"),
                        "ClusterConfiguration etcd",
                        "exclusive"),
                refused(external("endpoints: []"), "etcd.external.endpoints", "at least one"),
                refused(external("endpoints: ['http://a:2379'], caFile: /ca"), "https"),
                refused(external("endpoints: ['10.0.0.1:2379']"), "10.0.0.1:2379", "URL"),
                refused(external("endpoints: ['name.example:2379']"), "name.example", "URL"),
                refused(external("endpoints: ['https://a:2379,https://b:2379']"), "one URL"),
                refused(external("endpoints: ['https://a:x']"), "one URL"),
                refused(
                        external("endpoints: ['https://a:1'], caFile: /c, certFile: /d"),
                        "certFile",
                        "together"),
                refused(
                        external("endpoints: ['https://a:1'], certFile: /c, keyFile: /d"),
                        "caFile"),
                refused(cluster("apiServer: {certSANs: ['a b']}"), "certSANs", "a b"),
                refused(cluster("apiServer: {certSANs: ['*.*.x']}"), "certSANs", "*.*.x"),
                refused(
                        cluster("etcd: {local: {serverCertSANs: [API.example]}}"),
                        "etcd.local.serverCertSANs",
                        "API.example"),
                refused(
                        cluster("") + "---\napiVersion: kubelet.config.k8s.io/v1alpha1\n"
                                + "kind: KubeletConfiguration\n",
                        "v1alpha1",
                        "by hand"),
                refused(
                        init("nodeRegistration: {ignorePreflightErrors: [all, Swap]}"),
                        "ignorePreflightErrors",
                        "all"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusedInits")
    void initRefuses(String text, List<String> words) {
        assertNames(assertThrows(UsageException.class, () -> load(text)), words);
    }

    static Stream<Arguments> refusedJoins() {
        String discovery = "discovery: {bootstrapToken: {token: " + TOKEN;
        return Stream.of(
                refused(cluster(""), "no JoinConfiguration"),
                refused(join("discovery: {}"), "JoinConfiguration discovery", "either"),
                refused(join(discovery + ", apiServerEndpoint: 'h:1'}}"), "caCertHashes"),
                refused(
                        join(discovery + ", apiServerEndpoint: host, "
                                + "unsafeSkipCAVerification: true}}"),
                        "apiServerEndpoint",
                        "host:port"),
                refused(
                        join(discovery + ", apiServerEndpoint: 'api.4lab:1', "
                                + "unsafeSkipCAVerification: true}}"),
                        "apiServerEndpoint",
                        "host:port",
                        "begins with a letter"),
                refused(
                        join(discovery + ", unsafeSkipCAVerification: true}}"),
                        "required value",
                        "invalid value"),
                refused(join("discovery: {file: {kubeConfigPath: ''}}"), "kubeConfigPath"),
                refused(join("discovery: {file: {kubeConfigPath: 'http://x'}}"), "https"),
                refused(
                        join("discovery: {file: {kubeConfigPath: /no/such/file}}"),
                        "/no/such/file",
                        "existing"),
                refused(
                        join("caCertPath: /etc/ca.pem\ndiscovery: {bootstrapToken: {token: " + TOKEN
                                + ", apiServerEndpoint: 'h:1', caCertHashes: [x]}}"),
                        ".crt"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusedJoins")
    void joinRefuses(String text, List<String> words) {
        assertNames(
                assertThrows(
                        UsageException.class,
                        () -> loader().join(
                                        Optional.of(file(text)),
                                        CommandFlags.none(),
                                        Optional.empty(),
                                        LoadOptions.RUN)),
                words);
    }

    static Stream<Arguments> refusedResets() {
        return Stream.of(
                refused(head("v1beta3", "ResetConfiguration"), "v1beta3", "no such"),
                refused(reset("certificatesDir: pki"), "certificatesDir", "absolute"),
                refused(reset("unmountFlags: [FORCE]"), "unmountFlags", "index 0", "FORCE"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusedResets")
    void resetRefuses(String text, List<String> words) {
        assertNames(
                assertThrows(
                        UsageException.class,
                        () -> loader().reset(Optional.of(file(text)), CommandFlags.none())),
                words);
    }

    static Stream<Arguments> refusedByValidateOnly() {
        return Stream.of(
                refused(init("foo: bar"), "unknown field", "foo"),
                refused(
                        cluster("ControlPlaneEndpoint: x"),
                        "unknown field",
                        "controlPlaneEndpoint"),
                refused(cluster("clusterName: a\nclusterName: b"), "more than once"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusedByValidateOnly")
    void validateRefusesWhatInitWarnsAbout(String text, List<String> words) {
        assertNames(assertThrows(UsageException.class, () -> validate(text)), words);
        load(text);
        assertTrue(String.join("\n", warnings).contains(words.getFirst()), warnings.toString());
    }

    static Stream<Arguments> refusedByValidate() {
        return Stream.of(
                refused(head("v1", "InitConfiguration"), "experimental", "v1"),
                refused(
                        head("v1beta4", "UpgradeConfiguration") + "apply: {patches: {}}\n",
                        "apply.patches.directory"),
                refused(
                        head("v1beta4", "UpgradeConfiguration")
                                + "node: {patches: {directory: x}}\n",
                        "node.patches.directory"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusedByValidate")
    void validateRefuses(String text, List<String> words) {
        assertNames(assertThrows(UsageException.class, () -> validate(text)), words);
    }

    static Stream<Arguments> accepted() {
        return Stream.of(
                refused(head("v1beta3", "InitConfiguration"), "deprecated"),
                refused(init("nodeRegistration: {criSocket: /run/x.sock}"), "unix:///run/x.sock"),
                refused(cluster("certificateValidityPeriod: 100000h"), "recommended", "outlive"),
                refused(cluster("controlPlaneEndpoint: api.4lab"), "begins with a letter"),
                refused(
                        cluster("") + "---\napiVersion: kubelet.config.k8s.io/v1beta1\n"
                                + "kind: KubeletConfiguration\nclusterDomain: x.y\n",
                        "clusterDomain",
                        "cluster.local"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("accepted")
    void initAcceptsWithAWarning(String text, List<String> words) {
        load(text);
        words.forEach(word ->
                assertTrue(String.join("\n", warnings).contains(word), warnings.toString()));
    }

    @Test
    void signingOnlyTokenNeedsNoGroups() {
        BootstrapToken token = load(init("bootstrapTokens: [{usages: [signing]}]"))
                .init()
                .bootstrapTokens()
                .getFirst();
        assertEquals(List.of(), token.groups());
    }

    @Test
    void expiryAloneReplacesTheLifetime() {
        BootstrapToken token = load(init("bootstrapTokens: [{expires: 2030-01-01T00:00:00Z}]"))
                .init()
                .bootstrapTokens()
                .getFirst();
        assertEquals("2030-01-01T00:00:00Z", token.expires().orElseThrow().toString());
        assertEquals(Optional.empty(), token.ttl());
    }

    @Test
    void smallPodNetworkIsFineWithoutNodeNetworks() {
        load(cluster("networking: {podSubnet: 10.244.0.0/25}\ncontrollerManager: {extraArgs: "
                + "[{name: allocate-node-cidrs, value: 'false'}]}"));
    }

    @Test
    void upperCaseNamesAreLowered() {
        LoadedInit loaded = load(init("nodeRegistration: {name: UPPER}") + "---\n"
                + cluster("apiServer: {certSANs: [API.example]}"));
        assertEquals("upper", loaded.init().nodeRegistration().name());
        assertEquals(List.of("api.example"), loaded.cluster().apiServer().certSans());
    }

    @Test
    void lastOfRepeatedValuesCounts() {
        assertEquals(
                "b", load(cluster("clusterName: a\nclusterName: b")).cluster().clusterName());
    }

    @Test
    void allErrorsAreReportedAtOnceAndSecretsAreNot() {
        UsageException error = assertThrows(
                UsageException.class,
                () -> load(init("certificateKey: feedbeef") + "---\n"
                        + cluster("certificatesDir: pki\nencryptionAlgorithm: DSA")));
        assertEquals(
                "the configuration in f.yaml is invalid: ["
                        + "InitConfiguration certificateKey: invalid value (hidden):"
                        + " the key has 4 bytes, 32 are needed, "
                        + "ClusterConfiguration certificatesDir: invalid value \"pki\":"
                        + " must be an absolute path, "
                        + "ClusterConfiguration encryptionAlgorithm: invalid value \"DSA\":"
                        + " must be one of ECDSA-P256, ECDSA-P384, RSA-2048, RSA-3072, RSA-4096]",
                error.getMessage());
    }

    @Test
    void separatorsMayLeadFollowAndRepeat() {
        load("---\n" + init("") + "---\n---\n" + cluster("") + "---  # end\n");
        assertThrows(UsageException.class, () -> file("---\n---\n" + init("")));
    }

    @Test
    void jsonIsAccepted() {
        assertEquals(
                "blue",
                load("{\"apiVersion\": \"kubeadm.k8s.io/v1beta4\", \"kind\": "
                                + "\"ClusterConfiguration\", \"kubernetesVersion\": \"v1.36.2\", "
                                + "\"clusterName\": \"blue\"}")
                        .cluster()
                        .clusterName());
    }

    @Test
    void otherDocumentsAreIgnoredWithAWarning() {
        load(init("") + "---\n" + reset(""));
        assertEquals(
                "kubeadm.k8s.io/v1beta4 ResetConfiguration in f.yaml is ignored here",
                warnings.getFirst());
    }

    private LoadedInit load(String text) {
        String version = "kubernetesVersion: v1.36.2\n";
        String withVersion = text.contains("kubernetesVersion")
                ? text
                : text.replaceFirst(
                        "kind: ClusterConfiguration\n", "kind: ClusterConfiguration\n" + version);
        return loader().init(Optional.of(file(withVersion)), CommandFlags.none(), LoadOptions.RUN);
    }

    private void validate(String text) {
        new ConfigurationConverter(host, warning -> {}).validate(file(text), false, false);
    }

    private ConfigurationLoader loader() {
        return new ConfigurationLoader(host, warnings::add);
    }

    private static ConfigurationFile file(String text) {
        return ConfigurationFile.of("f.yaml", text);
    }

    private static void assertNames(UsageException error, List<String> words) {
        words.forEach(word -> assertTrue(
                (error.getMessage() + error.next()).contains(word),
                () -> "\"" + word + "\" is missing in: " + error.getMessage()));
    }

    private static Arguments refused(String text, String... words) {
        return Arguments.of(text, List.of(words));
    }

    private static String network(String body) {
        return cluster("networking: {" + body + "}");
    }

    private static String external(String body) {
        return cluster("etcd: {external: {" + body + "}}");
    }
}
