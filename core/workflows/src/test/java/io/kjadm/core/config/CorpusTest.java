package io.kjadm.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.Corpus;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.net.FakeHost;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Compares with what kubeadm makes of the same files, where a recording of that is at hand. */
class CorpusTest {

    @TestFactory
    Stream<DynamicTest> everyCaseEndsAsRecorded() throws IOException {
        return cases().map(folder ->
                DynamicTest.dynamicTest(folder.getFileName().toString(), () -> compare(folder)));
    }

    @Test
    void learnerGateIsAcceptedInV1Beta3AndWrittenBack() throws IOException {
        Path folder = Corpus.folder().resolve("cases/v1beta3-learner-gate");
        Map<String, Object> migrated = documents(migrate(folder)).get("ClusterConfiguration");
        assertEquals(Map.of("EtcdLearnerMode", true), migrated.remove("featureGates"));
        Map<String, Object> minimal = documents(
                        Corpus.read(Corpus.folder().resolve("cases/minimal/migrate.yaml")))
                .get("ClusterConfiguration");
        assertEquals(minimal, migrated);
    }

    @Test
    void storedConfigMapsAreWrittenByteForByte() throws IOException {
        Map<String, Object> objects = YamlTrees.map(new YamlReader()
                .read("cluster", Corpus.read(Corpus.folder().resolve("cluster-after-init.json"))));
        LoadedInit loaded = new ConfigurationLoader(new FakeHost(), warning -> {})
                .init(
                        Optional.of(ConfigurationFile.of("f", """
                        apiVersion: kubeadm.k8s.io/v1beta4
                        kind: ClusterConfiguration
                        kubernetesVersion: v1.36.2
                        controlPlaneEndpoint: 10.77.0.11
                        networking: {podSubnet: 10.244.0.0/16}
                        ---
                        apiVersion: kubelet.config.k8s.io/v1beta1
                        kind: KubeletConfiguration
                        cgroupDriver: cgroupfs
                        failCgroupV1: false
                        failSwapOn: false
                        localStorageCapacityIsolation: false
                        """)),
                        CommandFlags.none(),
                        LoadOptions.RUN);
        assertEquals(
                data(objects, "kubeadm-config").get("ClusterConfiguration"),
                ConfigurationYaml.cluster(loaded.cluster()));
        assertEquals(
                data(objects, "kubelet-config").get("kubelet"),
                ConfigurationYaml.kubelet(loaded.kubelet()));
        assertEquals(
                data(objects, "kube-proxy").get("config.conf"),
                ConfigurationYaml.kubeProxy(loaded.kubeProxy()).stripTrailing());
    }

    private static Map<String, Object> configMap(Map<String, Object> objects, String name) {
        return YamlTrees.map(objects.get("configmaps/kube-system/" + name));
    }

    private static Map<String, String> data(Map<String, Object> objects, String name) {
        Map<String, String> texts = new TreeMap<>();
        YamlTrees.map(configMap(objects, name).get("data"))
                .forEach((key, text) -> texts.put(key, (String) text));
        return texts;
    }

    private static Stream<Path> cases() throws IOException {
        try (Stream<Path> folders = Files.list(Corpus.folder().resolve("cases"))) {
            List<Path> recorded = folders.filter(
                            folder -> Files.exists(folder.resolve("record.json")))
                    .sorted()
                    .toList();
            return recorded.stream();
        }
    }

    private static void compare(Path folder) throws IOException {
        Map<String, Object> record = YamlTrees.map(
                new YamlReader().read("record", Corpus.read(folder.resolve("record.json"))));
        Map<String, Object> status = YamlTrees.map(record.get("rc"));
        if (status.get("migrate").equals(0L)) {
            assertEquals(
                    documents(Corpus.read(folder.resolve("migrate.yaml"))),
                    withoutOwnChoices(documents(migrate(folder))));
        } else {
            assertThrows(UsageException.class, () -> migrate(folder));
            assertThrows(
                    UsageException.class,
                    () -> new ConfigurationConverter(new FakeHost(), warning -> {})
                            .validate(file(folder), false, false));
        }
        if (status.get("images").equals(0L)) {
            assertEquals(
                    Corpus.read(folder.resolve("images.txt")).lines().toList(), images(folder));
        } else {
            assertThrows(UsageException.class, () -> images(folder));
        }
    }

    /** The random token, and the limit that kubeadm loses while migrating. */
    private static Map<String, Map<String, Object>> withoutOwnChoices(
            Map<String, Map<String, Object>> documents) {
        Map<String, Object> init = documents.get("InitConfiguration");
        assertEquals(
                "4m0s",
                YamlTrees.map(init.get("timeouts")).put("controlPlaneComponentHealthCheck", "0s"));
        return documents;
    }

    private static String migrate(Path folder) {
        return new ConfigurationConverter(new FakeHost(), warning -> {})
                .migrate(file(folder), false);
    }

    private static List<String> images(Path folder) {
        LoadedInit loaded = new ConfigurationLoader(new FakeHost(), warning -> {})
                .init(Optional.of(file(folder)), CommandFlags.none(), LoadOptions.INSPECT);
        return Images.all(loaded.cluster());
    }

    private static ConfigurationFile file(Path folder) {
        return ConfigurationFile.read(folder.resolve("config.yaml"));
    }

    private static Map<String, Map<String, Object>> documents(String text) {
        Map<String, Map<String, Object>> documents = new TreeMap<>();
        for (Document document : ConfigurationFile.of("text", text).documents()) {
            Map<String, Object> tree = YamlTrees.thaw(document.tree());
            if (tree.get("bootstrapTokens") instanceof List<?> tokens) {
                new ArrayList<>(tokens)
                        .forEach(token -> YamlTrees.map(token).put("token", "random"));
            }
            documents.put(document.kind(), tree);
        }
        return documents;
    }
}
