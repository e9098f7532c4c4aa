package io.kjadm.cli.training;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;

import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;
import io.kjadm.cli.VerboseLogs;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** No verbosity prints secrets, in whatever encoding. */
class SecretsInLogsTest {

    private static final String TOKEN = "0123456789abcdef";
    private static final Map<String, String> CREDENTIALS = Map.of(
            "aws.accessKeyId", "an-access-key-id",
            "aws.secretAccessKey", "the-secret-access-key",
            "aws.sessionToken", "the-session-token");

    @TempDir
    static Path folder;

    private static TrainingCluster cluster;
    private static HttpServer bucket;
    private static volatile boolean asked;

    @BeforeAll
    static void start() throws Exception {
        cluster = new TrainingCluster(folder);
        bucket = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        bucket.createContext("/", exchange -> {
            asked = true;
            exchange.sendResponseHeaders(403, -1);
            exchange.close();
        });
        bucket.start();
        CREDENTIALS.forEach(System::setProperty);
    }

    @AfterAll
    static void stop() {
        CREDENTIALS.keySet().forEach(System::clearProperty);
        bucket.stop(0);
        cluster.close();
    }

    /** All that the command prints and logs. */
    private static String printed(String words) throws IOException {
        try (VerboseLogs logs = VerboseLogs.at(10)) {
            Run run = TestConsole.run((words + " --v=10").split(" "));
            return run.all() + logs.text();
        }
    }

    private static void assertSecret(String printed, String secret) {
        for (String form : forms(secret)) {
            assertFalse(
                    printed.toLowerCase(Locale.ROOT).contains(form.toLowerCase(Locale.ROOT)),
                    () -> "%s is printed as %s".formatted(secret, form));
        }
    }

    /** In plain, in hexadecimal digits, and in base64 at any offset. */
    private static List<String> forms(String secret) {
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        List<String> forms = new ArrayList<>(List.of(secret, HexFormat.of().formatHex(bytes)));
        for (int offset = 0; offset < 3; offset++) {
            String encoded = Base64.getEncoder()
                    .withoutPadding()
                    .encodeToString(("x".repeat(offset) + secret).getBytes(StandardCharsets.UTF_8));
            // the first and the last characters depend on the neighbours as well
            forms.add(encoded.substring(offset == 0 ? 0 : 4, encoded.length() - 2));
        }
        return forms;
    }

    /** The longest lines of a PEM file, which are the key. */
    private static List<String> keyLines(Path pem) throws IOException {
        return Files.readAllLines(pem).stream()
                .filter(line -> line.length() > 40 && !line.startsWith("-"))
                .toList();
    }

    @Test
    void saveShowsNeitherSnapshotNorKeys() throws IOException {
        String printed = printed("etcd snapshot save --endpoints "
                + Files.readString(folder.resolve("etcd")) + " --cert-dir " + folder.resolve("pki")
                + " --store " + folder.resolve("store"));

        assertHasLine("status 1", printed);
        assertHasLine(
                "err: error: no snapshot of etcd could be taken: the snapshot is incomplete:"
                        + " it ends after 21000 bytes, in the middle of a page",
                printed);
        assertSecret(printed, EtcdServer.SECRET_VALUE);
        for (String line : keyLines(folder.resolve("pki/etcd/ca.key"))) {
            assertSecret(printed, line);
        }
    }

    @Test
    void aStoreShowsNoCredentials() throws IOException {
        asked = false;
        String printed =
                printed("etcd snapshot list --store s3://bucket/p?endpoint=http://127.0.0.1:"
                        + bucket.getAddress().getPort());

        assertTrue(asked, printed);
        assertSecret(printed, "the-secret-access-key");
        assertSecret(printed, "the-session-token");
    }

    @Test
    void joinShowsNeitherTokenNorKeys() throws IOException {
        String printed =
                printed("join --dry-run --ask-cluster --ignore-preflight-errors=all --config "
                        + folder.resolve("join.yaml")
                        + " --skip-phases=kubelet-wait-bootstrap,wait-control-plane");

        assertHasLine("status 0", printed);
        assertSecret(printed, TOKEN);
        for (String line : keyLines(folder.resolve("pki/ca.key"))) {
            assertSecret(printed, line);
        }
    }

    @Test
    void upgradeShowsNoKeys() throws IOException {
        Path kubeconfig = folder.resolve("admin.conf");
        String key = Files.readAllLines(kubeconfig).stream()
                .filter(line -> line.strip().startsWith("client-key-data:"))
                .findFirst()
                .orElseThrow()
                .replaceAll(".*: *\"?|\"$", "");
        String printed = printed(
                "upgrade apply v1.36.2 --dry-run --yes --ignore-preflight-errors=all --kubeconfig "
                        + kubeconfig);

        assertHasLine(
                "out: [upgrade/config] Reading configuration from the \"kubeadm-config\" ConfigMap"
                        + " in namespace \"kube-system\"...",
                printed);
        assertSecret(printed, key);
        assertEquals(
                List.of(),
                keyLines(kubeconfig).stream()
                        .filter(line -> printed.contains(line.strip()))
                        .toList());
    }
}
