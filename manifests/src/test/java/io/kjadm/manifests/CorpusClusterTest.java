package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Our objects are in the cluster that kubeadm made: the same, but for what the API server adds. */
final class CorpusClusterTest {

    private static Map<String, Object> recorded;

    @BeforeAll
    static void needsTheCorpus() {
        Corpus.assumePresent();
        recorded = Corpus.clusterAfterInit();
    }

    @Test
    void rolesAndBindingsAreTheSame() {
        var objects = new ArrayList<HasMetadata>();
        objects.add(RbacObjects.clusterAdmins());
        objects.addAll(RbacObjects.bootstrapTokens());
        objects.addAll(RbacObjects.clusterInfo());
        objects.addAll(RbacObjects.kubeadmConfig());
        objects.addAll(RbacObjects.kubeletConfig());
        objects.addAll(RbacObjects.kubeadmCerts());
        objects.addAll(RbacObjects.kubeProxy());
        objects.addAll(RbacObjects.coreDns());
        objects.forEach(object -> assertEquals(recordedTwin(object), ManifestYaml.tree(object)));

        long roles =
                recorded.keySet().stream().filter(key -> key.contains("role")).count();
        assertEquals(roles, objects.size(), "none is missing");
    }

    @Test
    void addonsAreThere() {
        Addon dns = CoreDnsAddon.build(new CoreDnsAddon.Input(
                "registry.k8s.io/coredns/coredns:"
                        + KubernetesReleases.KNOWN.newest().coreDnsTag(),
                "cluster.local",
                InetAddress.ofLiteral("10.96.0.10"),
                2));
        dns.inWriteOrder().forEach(CorpusClusterTest::assertContained);

        ConfigMap configuration = configMap("kube-proxy");
        Addon proxy = KubeProxyAddon.build(new KubeProxyAddon.Input(
                "registry.k8s.io/kube-proxy:v1.36.2",
                "https://10.77.0.11:6443",
                configuration.getData().get("config.conf"),
                ConfigurationMaps.Origin.GENERATED,
                List.of()));
        proxy.inWriteOrder().stream()
                .filter(object -> !(object instanceof ConfigMap))
                .forEach(CorpusClusterTest::assertContained);
        ConfigMap ours = (ConfigMap) proxy.inWriteOrder().getFirst();
        assertEquals(configuration.getData().get("config.conf"), ours.getData().get("config.conf"));
        assertEquals(
                ManifestYaml.read(configuration.getData().get("kubeconfig.conf")),
                ManifestYaml.read(ours.getData().get("kubeconfig.conf")));
        assertEquals(configuration.getMetadata().getLabels(), ours.getMetadata().getLabels());
        assertTrue(ComponentConfigHash.isGenerated(ours));
    }

    @Test
    void theHashOfKubeadmIsRecognised() {
        assertTrue(ComponentConfigHash.isGenerated(configMap("kube-proxy")));
    }

    @Test
    void clusterInfoHasTheSameText() {
        Map<String, Object> twin = ManifestYaml.castToObject(
                (Map<?, ?>) recorded.get("configmaps/kube-public/cluster-info"));
        String expected = ManifestYaml.typed(twin, ConfigMap.class).getData().get("kubeconfig");
        String ours = Kubeconfig.clusterInfo(new KubeconfigCluster("https://10.77.0.11:6443", "ca"))
                .render();
        assertEquals(expected.replace("<base64 PEM of the cluster CA>", "Y2E="), ours);
    }

    @Test
    void theTokenIsReadAndWrittenAsByKubeadm() {
        Map<String, Object> twin = ManifestYaml.castToObject(
                (Map<?, ?>) recorded.get("secrets/kube-system/bootstrap-token-abcdef"));
        var token = BootstrapTokenSecret.from(
                ManifestYaml.typed(twin, io.fabric8.kubernetes.api.model.Secret.class));
        assertEquals(twin, ManifestYaml.tree(token.toSecret()));
    }

    private static ConfigMap configMap(String name) {
        return ManifestYaml.typed(
                ManifestYaml.castToObject(
                        (Map<?, ?>) recorded.get("configmaps/kube-system/" + name)),
                ConfigMap.class);
    }

    private static Object recordedTwin(HasMetadata object) {
        String namespace = Objects.requireNonNullElse(object.getMetadata().getNamespace(), "-");
        String key = object.getKind().toLowerCase(Locale.ROOT) + "s/" + namespace + "/"
                + object.getMetadata().getName();
        assertTrue(recorded.containsKey(key), key);
        return recorded.get(key);
    }

    private static void assertContained(HasMetadata object) {
        Map<String, Object> tree = ManifestYaml.tree(object);
        ManifestYaml.castToObject((Map<?, ?>) tree.get("metadata")).remove("resourceVersion");
        assertContained(object.getKind(), tree, recordedTwin(object));
    }

    private static void assertContained(String where, Object ours, Object theirs) {
        switch (ours) {
            case Map<?, ?> map ->
                map.forEach((key, value) ->
                        assertContained(where + "." + key, value, ((Map<?, ?>) theirs).get(key)));
            case List<?> list -> {
                assertEquals(((List<?>) theirs).size(), list.size(), where);
                for (int i = 0; i < list.size(); i++) {
                    assertContained(where + "[" + i + "]", list.get(i), ((List<?>) theirs).get(i));
                }
            }
            case null, default -> assertEquals(theirs, ours, where);
        }
    }
}
