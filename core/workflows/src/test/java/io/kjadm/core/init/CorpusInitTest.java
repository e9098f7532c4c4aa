package io.kjadm.core.init;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.kjadm.core.Corpus;
import io.kjadm.core.config.LoadedInit;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.phase.Selection;
import io.kjadm.manifests.ComponentConfigHash;
import io.kjadm.manifests.HostCaDirectories;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubernetesReleases;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What {@code init} makes, beside what kubeadm made of the same configuration. Deliberately
 * different is only this: an etcd older than 3.6 gets the flags it knows ({@code etcd-old-tag}).
 *
 * <p>Finding RSA keys would take most of the time, so but for the cases named here the keys are of
 * elliptic curves, and what depends on the kind of key is not compared.
 */
class CorpusInitTest {

    private static final Set<String> WITH_OWN_KEYS = Set.of("minimal", "ecdsa");
    /** Of Kubernetes 1.35, which that kubeadm still deployed. */
    private static final String TOO_OLD = "version-1-35";

    @TestFactory
    Stream<DynamicTest> everyFileIsAsRecorded() throws IOException {
        try (Stream<Path> folders = Files.list(Corpus.folder().resolve("cases"))) {
            List<Path> cases = folders.filter(
                            folder -> Files.isDirectory(folder.resolve("manifests")))
                    .filter(folder -> !folder.endsWith(TOO_OLD))
                    .sorted()
                    .toList();
            return cases.stream()
                    .map(folder -> DynamicTest.dynamicTest(
                            folder.getFileName().toString(), () -> compare(folder)));
        }
    }

    @Test
    void aControlPlaneThatIsTooOldIsNotDeployed() throws IOException {
        String config =
                Corpus.read(Corpus.folder().resolve("cases").resolve(TOO_OLD + "/config.yaml"));
        UsageException refusal = assertThrows(UsageException.class, () -> InitLab.load(config));
        assertTrue(refusal.why().contains(KubernetesReleases.KNOWN.oldestControlPlane()));
    }

    private static void compare(Path folder) throws Exception {
        String name = folder.getFileName().toString();
        boolean ownKeys = WITH_OWN_KEYS.contains(name);
        InitLab lab = new InitLab();
        caDirectories(folder).forEach(lab.files::withDirectory);
        String config = Corpus.read(folder.resolve("config.yaml"));
        LoadedInit loaded = InitLab.load(ownKeys ? config : withFastKeys(config));
        InitRun run = lab.phases(
                lab.start(loaded, false), "certs", "kubeconfig", "etcd", "control-plane");

        Map<String, Object> record = tree(Corpus.read(folder.resolve("record.json")));
        files(record, lab, ownKeys);
        manifests(name, folder, lab);
        certificates(record, lab, ownKeys);
        kubeconfigs(record, lab, run.node().startedAt(), ownKeys);
    }

    /** The kind of keys is the one thing that is changed in a recorded configuration. */
    private static String withFastKeys(String config) {
        List<String> documents = new ArrayList<>();
        for (String document : ManifestYaml.splitDocuments(config)) {
            Map<String, Object> tree = tree(document);
            if ("ClusterConfiguration".equals(tree.get("kind"))) {
                tree.put("encryptionAlgorithm", "ECDSA-P256");
            }
            documents.add(ManifestYaml.write(tree));
        }
        return String.join("---\n", documents);
    }

    /** The machine of the record had some of the directories with CA certificates. */
    private static List<String> caDirectories(Path folder) throws IOException {
        String manifest = Corpus.read(folder.resolve("manifests/kube-apiserver.yaml"));
        return HostCaDirectories.CANDIDATES.stream()
                .map(Path::toString)
                .filter(directory -> manifest.lines()
                        .map(String::strip)
                        .anyMatch(("path: " + directory)::equals))
                .toList();
    }

    private static void files(Map<String, Object> record, InitLab lab, boolean ownKeys) {
        Map<String, String> expected = new TreeMap<>();
        map(record.get("files"))
                .forEach((file, facts) ->
                        expected.put("/etc/kubernetes/" + file, described(map(facts), ownKeys)));
        Map<String, String> made = new TreeMap<>();
        lab.files.files().stream()
                .map(Path::toString)
                .filter(path -> path.startsWith("/etc/kubernetes"))
                .forEach(path -> {
                    Map<String, Object> facts = new HashMap<>();
                    facts.put("mode", octal(lab.files.mode(Path.of(path)).orElseThrow()));
                    String text = lab.files.text(path);
                    if (text.startsWith("-----BEGIN ")) {
                        facts.put("pem", List.of(text.substring(11, text.indexOf("-----", 11))));
                    }
                    made.put(path, described(facts, ownKeys));
                });
        assertEquals(expected, made);
    }

    private static String described(Map<String, Object> facts, boolean ownKeys) {
        String pem = String.valueOf(facts.get("pem"));
        return facts.get("mode") + " "
                + (ownKeys ? pem : pem.replaceAll("(RSA|EC) PRIVATE", "PRIVATE"));
    }

    private static String octal(FileMode mode) {
        int bits = 0;
        for (PosixFilePermission permission : mode.permissions()) {
            bits |= 1 << PosixFilePermission.values().length - 1 - permission.ordinal();
        }
        return "0o" + Integer.toOctalString(bits);
    }

    private static void manifests(String name, Path folder, InitLab lab) throws IOException {
        try (Stream<Path> recorded = Files.list(folder.resolve("manifests"))) {
            for (Path file : recorded.sorted().toList()) {
                String text = Corpus.read(file);
                if (name.equals("etcd-old-tag") && file.endsWith("etcd.yaml")) {
                    text = text.replace(
                                    "    - --feature-gates=InitialCorruptCheck=true\n",
                                    "    - --experimental-initial-corrupt-check=true\n")
                            .replace(
                                    "    - --watch-progress-notify-interval=5s\n",
                                    "    - --experimental-watch-progress-notify-interval=5s\n");
                }
                assertEquals(
                        sortedCommand(tree(text), name),
                        sortedCommand(
                                tree(lab.files.text(
                                        "/etc/kubernetes/manifests/" + file.getFileName())),
                                name),
                        file.getFileName().toString());
            }
        }
    }

    /** Other names sort otherwise; everywhere else the order of arguments counts. */
    private static Object sortedCommand(Map<String, Object> pod, String name) {
        if (!name.equals("etcd-old-tag")) {
            return pod;
        }
        Map<String, Object> container =
                map(((List<?>) map(pod.get("spec")).get("containers")).getFirst());
        container.put(
                "command",
                new TreeSet<>(((List<?>) container.get("command"))
                        .stream().map(String::valueOf).toList()));
        return pod;
    }

    private static void certificates(Map<String, Object> record, InitLab lab, boolean ownKeys)
            throws Exception {
        for (Map.Entry<String, Object> recorded : map(record.get("certs")).entrySet()) {
            String pem = lab.files.text("/etc/kubernetes/" + recorded.getKey());
            RecordedCertificate.assertRecorded(
                    recorded.getKey(), map(recorded.getValue()), pem, lab.waiter.now(), ownKeys);
        }
    }

    private static void kubeconfigs(
            Map<String, Object> record, InitLab lab, Instant now, boolean ownKeys)
            throws Exception {
        for (Map.Entry<String, Object> recorded : map(record.get("kubeconfigs")).entrySet()) {
            String text = lab.files.text("/etc/kubernetes/" + recorded.getKey());
            Map<String, Object> expected = new TreeMap<>(map(recorded.getValue()));
            Map<String, Object> certificate = map(expected.remove("clientCert"));
            assertEquals(expected, structure(tree(text)), recorded.getKey());
            RecordedCertificate.assertRecorded(
                    recorded.getKey(),
                    certificate,
                    Kubeconfig.parse(text).user().certificatePem().orElseThrow(),
                    now,
                    ownKeys);
        }
    }

    private static Map<String, Object> structure(Map<String, Object> tree) {
        Map<String, Object> cluster = map(((List<?>) tree.get("clusters")).getFirst());
        Map<String, Object> structure = new TreeMap<>();
        structure.put("apiVersion", tree.get("apiVersion"));
        structure.put("kind", tree.get("kind"));
        structure.put("current", tree.get("current-context"));
        structure.put("cluster", cluster.get("name"));
        structure.put("server", map(cluster.get("cluster")).get("server"));
        structure.put("context", ((List<?>) tree.get("contexts")).getFirst());
        structure.put("user", map(((List<?>) tree.get("users")).getFirst()).get("name"));
        return structure;
    }

    /**
     * A whole init into an empty API server. Different by nature: what controllers add (the
     * signature of {@code cluster-info}, nodes, mirror pods), keys, random names, and the moment a
     * token expires.
     */
    @Test
    void theClusterIsAsRecorded() throws Exception {
        Map<String, Object> recorded =
                tree(Corpus.read(Corpus.folder().resolve("cluster-after-init.json")));
        InitLab lab = new InitLab();
        lab.api.with(new NodeBuilder()
                .withNewMetadata()
                .withName("n1")
                .addToLabels("kubernetes.io/hostname", "n1")
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .build());
        LoadedInit loaded = InitLab.load("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                localAPIEndpoint: {advertiseAddress: 10.77.0.11}
                nodeRegistration: {name: n1, criSocket: "unix:///run/containerd/containerd.sock"}
                bootstrapTokens:
                - {token: abcdef.%s, description: %s}
                ---
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
                """.formatted(
                token(recorded, "token-secret"), "\"" + token(recorded, "description") + "\""));
        lab.workflow()
                .run(lab.start(loaded, true), Selection.allBut(List.of("preflight")), lab.out);

        Map<String, Object> made = new LinkedHashMap<>();
        lab.api.objects().forEach(object -> made.put(key(object), comparable(object, lab)));
        Set<String> missing = new TreeSet<>(recorded.keySet());
        missing.removeIf(key ->
                made.containsKey(key) || key.startsWith("mirrorpods/") || key.equals("nodes/-/n2"));
        assertEquals(Set.of(), missing);
        Set<String> more = new TreeSet<>(made.keySet());
        more.removeAll(recorded.keySet());
        assertEquals(1, more.size(), "only the token that owns the certificates: " + more);
        made.keySet().retainAll(recorded.keySet());
        parsed(map(recorded.get("configmaps/kube-system/kube-proxy")));
        made.forEach((key, object) -> assertContained(key, object, recorded.get(key)));
    }

    private static String token(Map<String, Object> recorded, String field) {
        Object data =
                map(recorded.get("secrets/kube-system/bootstrap-token-abcdef")).get("data");
        Object value = map(data).get(field);
        return value == null
                ? ""
                : new String(Base64.getDecoder().decode((String) value), StandardCharsets.UTF_8);
    }

    private static String key(HasMetadata object) {
        return "%ss/%s/%s"
                .formatted(
                        object.getKind().toLowerCase(Locale.ROOT),
                        Objects.requireNonNullElse(object.getMetadata().getNamespace(), "-"),
                        object.getMetadata().getName());
    }

    private static Object comparable(HasMetadata object, InitLab lab) {
        Map<String, Object> tree = ManifestYaml.tree(object);
        map(tree.get("metadata")).remove("uid");
        map(tree.get("metadata")).remove("resourceVersion");
        return switch (key(object)) {
            case "nodes/-/n1" ->
                Map.of(
                        "labels",
                        map(tree.get("metadata")).get("labels"),
                        "taints",
                        map(tree.get("spec")).get("taints"));
            case "configmaps/kube-system/kube-proxy" -> {
                // the hash is over the text of both files, which say the same in another order of
                // keys
                assertTrue(ComponentConfigHash.isGenerated((ConfigMap) object));
                map(tree.get("metadata")).remove("annotations");
                yield parsed(tree);
            }
            case "configmaps/kube-public/cluster-info" -> {
                String ca = lab.files.text("/etc/kubernetes/pki/ca.crt");
                Map<String, Object> data = map(tree.get("data"));
                data.put(
                        "kubeconfig",
                        ((String) data.get("kubeconfig"))
                                .replace(
                                        Base64.getEncoder()
                                                .encodeToString(
                                                        ca.getBytes(StandardCharsets.US_ASCII)),
                                        "<base64 PEM of the cluster CA>"));
                yield tree;
            }
            case "secrets/kube-system/bootstrap-token-abcdef" -> {
                map(tree.get("data")).remove("expiration");
                yield tree;
            }
            case "secrets/kube-system/kubeadm-certs" -> {
                map(tree.get("data")).replaceAll((entry, value) -> "<base64>");
                Map<String, Object> owner = map(
                        ((List<?>) map(tree.get("metadata")).get("ownerReferences")).getFirst());
                assertTrue(lab.api
                        .get(Secret.class, "kube-system", (String) owner.remove("name"))
                        .isPresent());
                owner.remove("uid");
                yield tree;
            }
            default -> tree;
        };
    }

    private static Map<String, Object> parsed(Map<String, Object> configMap) {
        map(configMap.get("data")).replaceAll((file, text) -> tree((String) text));
        return configMap;
    }

    /** Everything of ours is there and the same; the server adds defaults. */
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

    private static Map<String, Object> tree(String text) {
        return ManifestYaml.readObject(text);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object tree) {
        return (Map<String, Object>) tree;
    }
}
