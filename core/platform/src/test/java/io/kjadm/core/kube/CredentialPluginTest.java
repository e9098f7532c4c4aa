package io.kjadm.core.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.net.LoopbackServer;
import io.kjadm.core.net.ServerTrust;
import io.kjadm.manifests.ExecPlugin;
import io.kjadm.manifests.ExecPlugin.InteractiveMode;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Programs that a kubeconfig names to get credentials from; here they are scripts. */
class CredentialPluginTest {

    private static final CertificateAuthority CA = LoopbackServer.authority("kubernetes");
    private static final String V1 = "client.authentication.k8s.io/v1";

    @TempDir
    Path folder;

    private LoopbackServer server;

    @BeforeEach
    void serve() throws Exception {
        server = LoopbackServer.tls(CA).answering("/", 200, "ok");
        Files.writeString(folder.resolve("ca.crt"), CA.certificatePem());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void script(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("plugin"), "#!/bin/sh\n" + text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private static String answer(String version, String status) {
        return "cat <<'END'\n{\"kind\":\"ExecCredential\",\"apiVersion\":\"%s\"%s}\nEND\n"
                .formatted(version, status);
    }

    private static String token(String token) {
        return answer(V1, ",\"status\":{\"token\":\"%s\"}".formatted(token));
    }

    /** Asks the server; the path of the plugin is relative to the kubeconfig. */
    private void ask(String version, String more) throws IOException {
        Path conf = Files.writeString(
                folder.resolve("some.conf"), """
                current-context: a
                contexts: [{name: a, context: {cluster: c, user: u}}]
                clusters:
                - name: c
                  cluster:
                    server: "%s"
                    certificate-authority: ca.crt
                    extensions:
                    - {name: client.authentication.k8s.io/exec, extension: {audience: me}}
                users:
                - name: u
                  user:
                    exec: {apiVersion: "%s", command: ./plugin, interactiveMode: Never%s}
                """.formatted(server.uri(), version, more));
        try (KubeClients clients =
                new KubeClients(new DiskFiles(), new Fabric8Connector(Map.of(), warning -> {}))) {
            clients.of(conf).raw("/");
        }
    }

    private HostException refused(String more) {
        HostException refused = assertThrows(HostException.class, () -> ask(V1, more));
        assertEquals(List.of(), server.requests());
        return refused;
    }

    @ParameterizedTest
    @ValueSource(strings = {V1, "client.authentication.k8s.io/v1beta1"})
    void itsTokenIsSent(String version) throws IOException {
        script(answer(version, ",\"status\":{\"token\":\"from-plugin\"}"));
        ask(version, "");
        assertEquals(List.of("Bearer from-plugin"), server.authorizations());
    }

    @Test
    void itsClientCertificateIsShown() throws IOException {
        IssuedCertificate client = CA.issue(
                LeafRequest.client("me", List.of()),
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(Instant.now().minusSeconds(60), Duration.ofHours(1)));
        script(answer(
                V1,
                ",\"status\":{\"clientCertificateData\":\"%s\",\"clientKeyData\":\"%s\"}"
                        .formatted(
                                client.certificatePem().replace("\n", "\\n"),
                                client.keyPem().replace("\n", "\\n"))));
        ask(V1, "");
        assertEquals(List.of("CN=me"), server.clients());
        assertEquals(List.of("null"), server.authorizations());
    }

    @Test
    void argumentsAndVariablesReachItAsTheyAre() throws IOException {
        script("test \"$1\" = '$(touch /x); a b' && test \"$NAME\" = 'v $w' || exit 3\n"
                + token("t"));
        ask(V1, ", args: ['$(touch /x); a b'], env: [{name: NAME, value: 'v $w'}]");
        assertEquals(List.of("Bearer t"), server.authorizations());
    }

    @Test
    void itIsToldAboutTheClusterIfItWantsToBe() throws IOException {
        Path seen = folder.resolve("seen");
        script("printf %s \"$KUBERNETES_EXEC_INFO\" > " + seen + "\n" + token("t"));
        ask(V1, ", provideClusterInfo: true");
        assertEquals(
                Map.of(
                        "apiVersion",
                        V1,
                        "kind",
                        "ExecCredential",
                        "spec",
                        Map.of(
                                "interactive",
                                false,
                                "cluster",
                                Map.of(
                                        "server",
                                        server.uri().toString(),
                                        "certificate-authority-data",
                                        Base64.getEncoder()
                                                .encodeToString(CA.certificatePem()
                                                        .getBytes(StandardCharsets.UTF_8)),
                                        "config",
                                        Map.of("audience", "me")))),
                ManifestYaml.readObject(Files.readString(seen)));
        ask(V1, "");
        assertEquals(
                Map.of(
                        "kind",
                        "ExecCredential",
                        "apiVersion",
                        V1,
                        "spec",
                        Map.of("interactive", false)),
                ManifestYaml.readObject(Files.readString(seen)));
    }

    @Test
    void aMissingOneIsToldOfWithItsHint() {
        HostException refused = refused(", installHint: \"get \\e[31mit\\e[0m\\a at example\"");
        assertEquals(
                "no credentials from the plugin %s/./plugin".formatted(folder), refused.what());
        assertEquals("get it at example", refused.next());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "echo s3cret; exit 7 | it ended with exit status 7",
                "echo 's3cret {' | its answer is not JSON",
                "echo '[\"s3cret\"]' | its answer is not JSON",
                "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1beta1\"}' | its answer is not an ExecCredential of client.authentication.k8s.io/v1",
                "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\"}' | its answer has no status",
                "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{}}' | its answer has neither a token nor a client certificate",
                "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{\"clientKeyData\":\"s3cret\"}}' | its answer has one of clientCertificateData and clientKeyData, not both",
                "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"s3cret\\\\nX: y\"}}' | its token has a character that is not allowed in a header, such as a line break",
                "cat /dev/zero | its answer is longer than 1024 KiB"
            })
    void whatElseItAnswersIsRefusedAndNotShown(String script, String reason) throws IOException {
        script(script);
        HostException refused = refused(", installHint: ask Bob");
        assertEquals(
                "no credentials from the plugin %s/./plugin".formatted(folder), refused.what());
        assertEquals(reason, refused.why());
        assertEquals("ask Bob", refused.next());
    }

    private ExecPlugin plugin(InteractiveMode mode) {
        return new ExecPlugin(
                V1, folder.resolve("plugin").toString(), List.of(), Map.of(), "", false, mode);
    }

    @Test
    void itIsNotWaitedForForever() throws IOException {
        script("sleep 600 & wait");
        CredentialPlugin plugin =
                new CredentialPlugin(plugin(InteractiveMode.NEVER), false, Duration.ofSeconds(1));
        HostException refused = assertTimeoutPreemptively(
                Duration.ofMinutes(1),
                () -> assertThrows(HostException.class, () -> plugin.run("{}")));
        assertEquals("it did not finish within 1 s", refused.why());
    }

    @Test
    void oneThatHasToAskNeedsATerminal() {
        assertEquals(
                "it asks on the terminal, and there is none",
                assertThrows(
                                HostException.class,
                                () -> new CredentialPlugin(plugin(InteractiveMode.ALWAYS), false))
                        .why());
        assertTrue(new CredentialPlugin(plugin(InteractiveMode.ALWAYS), true).interactive());
        assertTrue(new CredentialPlugin(plugin(InteractiveMode.IF_AVAILABLE), true).interactive());
        assertFalse(new CredentialPlugin(plugin(InteractiveMode.NEVER), true).interactive());
    }

    @Test
    void whatHasExpiredIsGotAnew() throws IOException {
        script("echo x >> " + folder.resolve("runs") + "\n"
                + answer(
                        V1,
                        ",\"status\":{\"token\":\"t\","
                                + "\"expirationTimestamp\":\"2026-03-01T10:00:00Z\"}"));
        Instant[] now = {Instant.parse("2026-03-01T09:59:59Z")};
        var credential =
                new KubeAccess.Credential.Plugin(plugin(InteractiveMode.NEVER), Optional.empty());
        PluginSession session = new PluginSession(
                credential,
                new KubeAccess(server.uri(), new ServerTrust.Machine(), credential),
                false,
                () -> now[0]);
        session.current();
        session.current();
        assertEquals(1, Files.readAllLines(folder.resolve("runs")).size());
        now[0] = Instant.parse("2026-03-01T10:00:00Z");
        session.current();
        assertEquals(2, Files.readAllLines(folder.resolve("runs")).size());
    }

    @Test
    void whatTheServerRefusesIsGotAnewForTheNextCall() throws Exception {
        script("echo x >> " + folder.resolve("runs") + "\n" + token("t"));
        var credential =
                new KubeAccess.Credential.Plugin(plugin(InteractiveMode.NEVER), Optional.empty());
        try (LoopbackServer strict = LoopbackServer.plain()
                        .answering(
                                "/",
                                401,
                                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":401}");
                KubeApi api = new Fabric8Connector(Map.of(), warning -> {})
                        .connect(new KubeAccess(
                                strict.uri(), new ServerTrust.Machine(), credential))) {
            for (int calls = 1; calls <= 2; calls++) {
                assertEquals(
                        KubeApiException.Kind.FORBIDDEN,
                        assertThrows(KubeApiException.class, () -> api.raw("/")).kind());
            }
        }
        assertEquals(2, Files.readAllLines(folder.resolve("runs")).size());
    }
}
