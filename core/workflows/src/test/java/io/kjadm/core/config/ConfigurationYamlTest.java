package io.kjadm.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.net.FakeHost;
import io.kjadm.core.value.GoDuration;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

class ConfigurationYamlTest {

    @Test
    void initDefaultsAreWrittenInFull() {
        assertEquals("""
                apiVersion: kubeadm.k8s.io/v1beta4
                bootstrapTokens:
                - groups:
                  - system:bootstrappers:kubeadm:default-node-token
                  token: abcdef.0123456789abcdef
                  ttl: 24h0m0s
                  usages:
                  - signing
                  - authentication
                kind: InitConfiguration
                localAPIEndpoint:
                  advertiseAddress: 1.2.3.4
                  bindPort: 6443
                nodeRegistration:
                  criSocket: unix:///var/run/containerd/containerd.sock
                  imagePullPolicy: IfNotPresent
                  imagePullSerial: true
                  name: node
                  taints: null
                timeouts:
                  controlPlaneComponentHealthCheck: 4m0s
                  discovery: 5m0s
                  etcdAPICall: 2m0s
                  kubeletHealthCheck: 4m0s
                  kubernetesAPICall: 1m0s
                  tlsBootstrap: 5m0s
                  upgradeManifests: 5m0s
                ---
                apiServer: {}
                apiVersion: kubeadm.k8s.io/v1beta4
                caCertificateValidityPeriod: 87600h0m0s
                certificateValidityPeriod: 8760h0m0s
                certificatesDir: /etc/kubernetes/pki
                clusterName: kubernetes
                controllerManager: {}
                dns: {}
                encryptionAlgorithm: RSA-2048
                etcd:
                  local:
                    dataDir: /var/lib/etcd
                imageRepository: registry.k8s.io
                kind: ClusterConfiguration
                kubernetesVersion: 1.37.0
                networking:
                  dnsDomain: cluster.local
                  serviceSubnet: 10.96.0.0/12
                proxy: {}
                scheduler: {}
                """, ConfigurationYaml.printInitDefaults(List.of()));
    }

    @Test
    void kubeletDefaultsHaveTheFieldsOfTheStoredConfiguration() {
        Map<String, Object> kubelet = document(
                ConfigurationYaml.printInitDefaults(
                        List.of("KubeProxyConfiguration", "KubeletConfiguration")),
                3);
        assertTrue(kubelet.containsKey("memorySwap"));
        assertEquals(10248L, kubelet.get("healthzPort"));
        assertEquals("", kubelet.get("containerRuntimeEndpoint"));
        assertEquals(
                Map.of(
                        "mode",
                        "Webhook",
                        "webhook",
                        Map.of("cacheAuthorizedTTL", "0s", "cacheUnauthorizedTTL", "0s")),
                kubelet.get("authorization"));
    }

    @Test
    void unknownComponentIsRefused() {
        assertThrows(
                UsageException.class,
                () -> ConfigurationYaml.printInitDefaults(List.of("EtcdConfiguration")));
    }

    @Test
    void joinAndResetDefaultsCanBeReadAgain() {
        String join = ConfigurationYaml.printJoinDefaults("this-host");
        assertEquals(
                "kube-apiserver:6443",
                at(document(join, 0), "discovery", "bootstrapToken", "apiServerEndpoint"));
        String both = join + "---\n" + ConfigurationYaml.printResetDefaults() + "---\n"
                + ConfigurationYaml.printUpgradeDefaults();
        FakeHost host = new FakeHost();
        assertEquals(
                both,
                new ConfigurationConverter(host, warning -> {})
                        .migrate(ConfigurationFile.of("f", both), false));
    }

    @Test
    void migratedFilesStayAsTheyAre() {
        String first = migrate("""
                apiVersion: kubeadm.k8s.io/v1beta3
                kind: InitConfiguration
                bootstrapTokens: [{token: abcdef.0123456789abcdef, description: "yes"}]
                nodeRegistration: {kubeletExtraArgs: {v: "2"}, taints: []}
                ---
                apiVersion: kubeadm.k8s.io/v1beta3
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                apiServer: {timeoutForControlPlane: 9m}
                etcd: {external: {endpoints: ["http://10.0.0.1:2379"]}}
                """);
        Map<String, Object> init = document(first, 0);
        assertEquals("9m0s", at(init, "timeouts", "controlPlaneComponentHealthCheck"));
        assertEquals(
                "yes",
                at(
                        YamlTrees.map(((List<?>) init.get("bootstrapTokens")).getFirst()),
                        "description"));
        assertEquals(List.of(), at(init, "nodeRegistration", "taints"));
        assertEquals(
                List.of("http://10.0.0.1:2379"),
                at(document(first, 1), "etcd", "external", "httpEndpoints"));
        assertEquals(first, migrate(first));
    }

    @Test
    void migrationAddsNoSkippedPhaseAndDisablesNoAddon() {
        String cluster = """
                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.37.0
                """;
        String init = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n";
        String disabled =
                migrate(init + cluster + "dns: {disabled: true}\nproxy: {disabled: true}\n");
        assertEquals(true, at(document(disabled, 1), "dns", "disabled"));
        assertEquals(true, at(document(disabled, 1), "proxy", "disabled"));
        assertFalse(document(disabled, 0).containsKey("skipPhases"), disabled);
        String skipped = migrate(init + "skipPhases: [addon]\n" + cluster);
        assertEquals(List.of("addon"), document(skipped, 0).get("skipPhases"));
        assertEquals(Map.of(), document(skipped, 1).get("dns"));
        assertEquals(Map.of(), document(skipped, 1).get("proxy"));
    }

    @Test
    void upgradeConfigurationIsMigratedToo() {
        String text = migrate("apiVersion: kubeadm.k8s.io/v1beta4\nkind: UpgradeConfiguration\n"
                + "apply: {etcdUpgrade: false}\n");
        assertEquals(true, at(document(text, 0), "apply", "certificateRenewal"));
        assertEquals(false, at(document(text, 0), "apply", "etcdUpgrade"));
    }

    @Test
    void fileWithoutKubeadmDocumentsIsMentioned() {
        List<String> warnings = new ArrayList<>();
        ConfigurationFile file = ConfigurationFile.of(
                "f", "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n");
        new ConfigurationConverter(new FakeHost(), warnings::add).validate(file, false, false);
        assertEquals(1, warnings.size());
        assertEquals(
                "", new ConfigurationConverter(new FakeHost(), warnings::add).migrate(file, false));
    }

    @Test
    void textThatLooksLikeSomethingElseIsQuoted() {
        for (String text : List.of(
                "y", "no", "Off", "5", "1.5", "0x1f", "null", "~", "", "1e3", "-0", "<<", "true")) {
            String yaml = YamlText.write(Map.of("k", text));
            assertTrue(yaml.startsWith("k: \""), yaml);
            assertEquals(text, value(yaml), yaml);
        }
        assertEquals("k: v1.36.2\n", YamlText.write(Map.of("k", "v1.36.2")));
    }

    @Test
    void keysAreSortedWithNumbersByValue() {
        Map<String, Object> tree = new LinkedHashMap<>();
        List.of("b10", "b9", "B", "a", "_x", "aB", "a1").forEach(key -> tree.put(key, 1));
        assertEquals(
                List.of("_x", "B", "a", "a1", "aB", "b9", "b10"),
                Arrays.stream(YamlText.write(tree).split("\n"))
                        .map(line -> line.split(":")[0])
                        .toList());
    }

    @Test
    void durationsAreReadAndWrittenCanonically() {
        for (String[] pair : new String[][] {
            {"24h", "24h0m0s"},
            {"1.5h", "1h30m0s"},
            {"300ms", "300ms"},
            {"0", "0s"},
            {"-1h", "-1h0m0s"},
            {"1m0.5s", "1m0.5s"},
            {"90s", "1m30s"},
            {"1500us", "1.5ms"},
            {"100000h", "100000h0m0s"}
        }) {
            assertEquals(pair[1], GoDuration.text(GoDuration.parse(pair[0]).orElseThrow()));
        }
        for (String bad : List.of("1y", "1d", "5", "", "h", "1h 2m", "9999999999h", ".s")) {
            assertTrue(GoDuration.parse(bad).isEmpty(), bad);
        }
    }

    private static String migrate(String text) {
        return new ConfigurationConverter(new FakeHost(), warning -> {})
                .migrate(ConfigurationFile.of("f", text), false);
    }

    private static final String EXPERIMENTAL = """
            apiVersion: kubeadm.k8s.io/v1
            kind: ClusterConfiguration
            kubernetesVersion: v1.37.0
            apiServer:
              extraArgs:
              - {name: v, value: "4"%s}
            """;

    @Test
    void theExperimentalVersionIsReadWhereThatIsAllowed() {
        String plain = EXPERIMENTAL.formatted("");
        UsageException refusal = assertThrows(UsageException.class, () -> migrate(plain));
        assertEquals(
                "experimental API spec: \"kubeadm.k8s.io/v1\" (kind: \"ClusterConfiguration\") is not allowed. You can use the --allow-experimental-api flag if the command supports it",
                refusal.what());
        ConfigurationConverter converter =
                new ConfigurationConverter(new FakeHost(), warning -> {});
        String written = converter.migrate(ConfigurationFile.of("f", plain), true);
        assertEquals(Set.of("kubeadm.k8s.io/v1"), versions(written));
        assertEquals(written, converter.migrate(ConfigurationFile.of("f", written), true));
        String v1beta4 = plain.replace("kubeadm.k8s.io/v1", "kubeadm.k8s.io/v1beta4");
        assertEquals(Set.of("kubeadm.k8s.io/v1beta4"), versions(migrate(v1beta4)));
    }

    @Test
    void mergeMethodIsKnownToTheExperimentalVersionOnly() {
        ConfigurationConverter converter =
                new ConfigurationConverter(new FakeHost(), warning -> {});
        ConfigurationFile append =
                ConfigurationFile.of("f", EXPERIMENTAL.formatted(", mergeMethod: append"));
        converter.validate(append, false, true);
        assertThrows(UsageException.class, () -> converter.migrate(append, true));
        assertThrows(
                UsageException.class,
                () -> converter.validate(
                        ConfigurationFile.of("f", EXPERIMENTAL.formatted(", mergeMethod: merge")),
                        false,
                        true));
        String v1beta4 = EXPERIMENTAL
                .formatted(", mergeMethod: append")
                .replace("kubeadm.k8s.io/v1", "kubeadm.k8s.io/v1beta4");
        assertThrows(UsageException.class, () -> migrate(v1beta4));
    }

    @Test
    void v1beta3IsRefusedWhereItIsNotLetIn() {
        Document document = ConfigurationFile.of(
                        "f", "apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\n")
                .documents()
                .getFirst();
        StrictDecoder usual = new StrictDecoder(true, true, warning -> {});
        usual.check(document);
        UsageException refusal = assertThrows(
                UsageException.class,
                () -> usual.letting(StrictDecoder.Versions.WITHOUT_V1BETA3).check(document));
        assertEquals(
                "your configuration file uses an old API spec: \"kubeadm.k8s.io/v1beta3\" (kind: \"ClusterConfiguration\")",
                refusal.what());
    }

    private static Set<Object> versions(String text) {
        return ConfigurationFile.of("f", text).documents().stream()
                .map(document -> document.tree().get("apiVersion"))
                .collect(Collectors.toSet());
    }

    /** The value at the end of a path of fields. */
    private static Object at(Map<String, Object> tree, String... path) {
        Object value = tree;
        for (String field : path) {
            value = YamlTrees.map(value).get(field);
        }
        return value;
    }

    private static Map<String, Object> document(String text, int index) {
        return ConfigurationFile.of("f", text).documents().get(index).tree();
    }

    private static Object value(String yaml) {
        return YamlTrees.map(new YamlReader().read("f", yaml)).get("k");
    }
}
