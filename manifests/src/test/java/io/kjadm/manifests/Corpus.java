package io.kjadm.manifests;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What kubeadm rendered, recorded outside of this repository; tests that need it are skipped
 * without it.
 */
final class Corpus {

    private static final Path FOLDER = Path.of("../../shared/corpus");

    private Corpus() {}

    static void assumePresent() {
        boolean present = Files.isDirectory(FOLDER);
        if (!present) {
            System.out.println("skipped: ../shared/corpus is not there to compare with");
        }
        assumeTrue(present, "../shared/corpus is not there to compare with");
    }

    static Map<String, Object> manifest(String caseName, String component) {
        return ManifestYaml.readObject(text(FOLDER.resolve("cases")
                .resolve(caseName)
                .resolve("manifests")
                .resolve(component + ".yaml")));
    }

    /** The documents of a case's configuration by their kind. */
    static Map<String, Map<String, Object>> config(String caseName) {
        var documents = new LinkedHashMap<String, Map<String, Object>>();
        for (String document : ManifestYaml.splitDocuments(
                text(FOLDER.resolve("cases").resolve(caseName).resolve("config.yaml")))) {
            Map<String, Object> tree = ManifestYaml.readObject(document);
            documents.put((String) tree.get("kind"), tree);
        }
        return documents;
    }

    static List<String> images(String caseName) {
        return text(FOLDER.resolve("cases").resolve(caseName).resolve("images.txt"))
                .lines()
                .toList();
    }

    static Map<String, Object> clusterAfterInit() {
        return ManifestYaml.castToObject(
                (Map<?, ?>) ManifestYaml.readJson(text(FOLDER.resolve("cluster-after-init.json"))));
    }

    /**
     * The tags that go with another version of kubeadm are the table's; all else is as recorded.
     */
    private static String withOwnTags(String recorded) {
        KubernetesReleases table = KubernetesReleases.KNOWN;
        return recorded.replace("/etcd:3.6.8-0", "/etcd:" + table.etcdTag("v1.36.2"))
                .replace("/coredns:v1.14.2", "/coredns:" + table.newest().coreDnsTag());
    }

    private static String text(Path file) {
        try {
            return withOwnTags(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
