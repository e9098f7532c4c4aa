package io.kjadm.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.cli.TestConsole.Run;
import io.kjadm.manifests.KubernetesReleases;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Gives the program the files that kubeadm was given, where recordings of that are at hand. */
class ConfigCorpusTest {

    private static final Path CASES = Path.of("../../shared/corpus/cases");

    @TestFactory
    Stream<DynamicTest> validateEndsAsRecorded() throws IOException {
        return cases().map(folder ->
                DynamicTest.dynamicTest(folder.getFileName().toString(), () -> {
                    Run run = TestConsole.run("config", "validate", "--config", config(folder));
                    assertEquals(recorded(folder, "validate"), run.status(), run.all());
                    assertEquals(run.status() == 0 ? "ok\n" : "", run.out());
                }));
    }

    @TestFactory
    Stream<DynamicTest> imagesAreListedAsRecorded() throws IOException {
        return cases().map(folder ->
                DynamicTest.dynamicTest(folder.getFileName().toString(), () -> {
                    Run run =
                            TestConsole.run("config", "images", "list", "--config", config(folder));
                    assertEquals(recorded(folder, "images"), run.status(), run.all());
                    assertEquals(
                            run.status() == 0
                                    ? withOwnTags(Files.readString(folder.resolve("images.txt")))
                                    : "",
                            run.out());
                }));
    }

    @TestFactory
    Stream<DynamicTest> migrateWritesWhatWasRecorded() throws IOException {
        return cases().map(folder ->
                DynamicTest.dynamicTest(folder.getFileName().toString(), () -> {
                    Run run = TestConsole.run("config", "migrate", "--old-config", config(folder));
                    assertEquals(recorded(folder, "migrate"), run.status(), run.all());
                    if (run.status() == 0) {
                        assertEquals(
                                comparable(Files.readString(folder.resolve("migrate.yaml"))),
                                comparable(run.out()));
                    }
                }));
    }

    /** The tags that go with another version of kubeadm are the table's. */
    private static String withOwnTags(String images) {
        KubernetesReleases table = KubernetesReleases.KNOWN;
        return images.replace("/etcd:3.6.8-0", "/etcd:" + table.etcdTag("v1.36.2"))
                .replace("/coredns:v1.14.2", "/coredns:" + table.newest().coreDnsTag());
    }

    private static Stream<Path> cases() throws IOException {
        if (!Files.isDirectory(CASES)) {
            System.out.println("skipped: ../shared/corpus is not there to compare with");
        }
        assumeTrue(Files.isDirectory(CASES), "../shared/corpus is not there to compare with");
        try (Stream<Path> folders = Files.list(CASES)) {
            return folders
                    .filter(folder -> Files.exists(folder.resolve("record.json")))
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    private static String config(Path folder) {
        return folder.resolve("config.yaml").toString();
    }

    private static int recorded(Path folder, String command) throws IOException {
        Map<?, ?> statuses =
                (Map<?, ?>) ManifestYaml.readObject(Files.readString(folder.resolve("record.json")))
                        .get("rc");
        return ((Number) statuses.get(command)).intValue();
    }

    /**
     * Without what the machine decides, what is random, and the limit that kubeadm loses (see
     * docs).
     */
    private static Map<String, Map<String, Object>> comparable(String text) {
        Map<String, Map<String, Object>> documents = new TreeMap<>();
        for (String part : ManifestYaml.splitDocuments(text)) {
            Map<String, Object> document = ManifestYaml.readObject(part);
            without(document.get("localAPIEndpoint"), "advertiseAddress");
            without(document.get("nodeRegistration"), "name");
            without(document.get("timeouts"), "controlPlaneComponentHealthCheck");
            if (document.get("bootstrapTokens") instanceof List<?> tokens) {
                tokens.forEach(token -> without(token, "token"));
            }
            documents.put(document.get("kind").toString(), document);
        }
        return documents;
    }

    private static void without(Object map, String key) {
        if (map instanceof Map<?, ?> fields) {
            fields.remove(key);
        }
    }
}
