package io.kjadm.cli.kube;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.SecretServer;
import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;
import io.kjadm.cli.console.ProgramName;
import io.kjadm.manifests.BootstrapTokenSecret;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;
import io.kjadm.manifests.KubeconfigUser;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

class TokenCommandTest {

    private static final String TOKEN = "abcdef.0123456789abcdef";
    private static final CertificateAuthority CA = CertificateAuthority.create(
            "kubernetes",
            KeyAlgorithm.ECDSA_P256,
            Validity.startingAt(Instant.now(), Duration.ofDays(1)));

    @TempDir
    Path folder;

    private SecretServer server;
    private String kubeconfig;

    @BeforeEach
    void startServer() throws IOException {
        server = new SecretServer();
        kubeconfig = kubeconfig(new KubeconfigCluster(server.url(), CA.certificatePem()));
    }

    @AfterEach
    void stopServer() {
        server.close();
    }

    @Test
    void anEmptyCertificateKeyIsNone() {
        Run run = TestConsole.run(
                "token", "create", "--certificate-key=", "--kubeconfig=/nonexistent/kubeconfig");
        assertEquals(1, run.status());
        assertEquals(
                "there is no kubeconfig /nonexistent/kubeconfig: it is needed to talk to the API server",
                run.error(),
                run.all());
    }

    @Test
    void generatedTokensAreRandomAndNeedNoCluster() {
        Run run = TestConsole.run("token", "generate");
        assertEquals(0, run.status());
        assertEquals("", run.err());
        assertTrue(run.out().matches("[a-z0-9]{6}\\.[a-z0-9]{16}\n"), run.all());
        assertNotEquals(run.out(), TestConsole.run("token", "generate").out());
    }

    @Test
    void aCreatedTokenIsPrintedAndInTheCluster() {
        Run run = token("create", "--description", "for Bob", "--ttl=1h");
        assertEquals(0, run.status(), run.all());
        assertEquals("", run.err());
        BootstrapTokenSecret made = only();
        assertEquals(made.id() + "." + made.secret() + "\n", run.out());
        assertEquals("for Bob", made.description());
        assertTrue(made.expiration().orElseThrow().isAfter(Instant.now().plusSeconds(3500)));
        assertTrue(made.expiration().orElseThrow().isBefore(Instant.now().plusSeconds(3601)));
    }

    @Test
    void allOfATokenCanBeChosen() {
        Run run = token(
                "create",
                TOKEN,
                "--ttl",
                "0",
                "--usages",
                "authentication",
                "--groups=system:bootstrappers:x");
        assertEquals(TOKEN + "\n", run.out(), run.all());
        assertEquals(
                new BootstrapTokenSecret(
                        "abcdef",
                        "0123456789abcdef",
                        "",
                        Optional.empty(),
                        List.of("authentication"),
                        List.of("system:bootstrappers:x")),
                only());
    }

    @Test
    void anExistingIdIsRefused() {
        token("create", TOKEN);
        Run run = token("create", "abcdef.fedcba9876543210", "--log-format=json");
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertEquals("Exists", run.reason(), run.all());
        assertEquals("0123456789abcdef", only().secret());
    }

    @Test
    void theJoinCommandOfAWorkerIsOneLine() {
        Run run = token("create", TOKEN, "--print-join-command");
        assertEquals(0, run.status(), run.all());
        assertEquals(
                "kjadm join %s --token %s --discovery-token-ca-cert-hash %s%n"
                        .formatted(
                                server.url().substring("http://".length()),
                                TOKEN,
                                CA.info().pin().format()),
                run.out());
    }

    /** minikube replaces the first word, kinder runs it, kubespray puts flags in front. */
    @Test
    void asKubeadmItsFirstWordIsKubeadm() {
        Run run = TestConsole.runAs(
                ProgramName.KUBEADM,
                "--kubeconfig=" + kubeconfig,
                "token",
                "create",
                TOKEN,
                "--print-join-command",
                "--ttl=0");
        assertEquals(0, run.status(), run.all());
        assertEquals(1, run.outLines().size(), run.all());
        assertTrue(run.out().startsWith("kubeadm join "), run.all());
        assertEquals("", run.err());
    }

    @Test
    void theJoinCommandOfAControlPlaneNodeHasTheKey() {
        String key = "0f".repeat(32);
        Run run = token("create", TOKEN, "--print-join-command", "--certificate-key", key);
        assertTrue(
                run.out().endsWith(" --control-plane --certificate-key " + key + "\n"), run.all());
    }

    @Test
    void aSwitchBeforeTheTokenDoesNotSwallowIt() {
        assertEquals(
                "kjadm", token("create", "--print-join-command", TOKEN).out().split(" ")[0]);
        assertEquals("abcdef", only().id());
    }

    @Test
    void aFileMayHoldSeveralTokensOfWhichTheFirstIsPrinted() throws IOException {
        Path file = Files.writeString(folder.resolve("init.yaml"), """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                bootstrapTokens:
                - token: aaaaaa.0123456789abcdef
                - token: bbbbbb.0123456789abcdef
                """);
        Run run = token("create", "--config", file.toString(), "cccccc.0123456789abcdef");
        assertEquals("aaaaaa.0123456789abcdef\n", run.out(), run.all());
        assertEquals(
                Set.of("bootstrap-token-aaaaaa", "bootstrap-token-bbbbbb"),
                server.secrets().keySet());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "create nonsense",
                "create --ttl=1d",
                "create --usages=cooking",
                "create --groups=admins",
                "create --usages=signing --groups=system:bootstrappers:x",
                "create --certificate-key=00",
                "create a b",
                "create --print-join-command --certificate-key=00",
                "create --config=/does/not/exist",
                "list --output=xml",
                "list more",
                "delete",
                "delete abc",
                "delete abcdef.short"
            })
    void whatCannotBeMeantIsRefusedBeforeAnythingIsDone(String words) {
        Run run = token(words.split(" "));
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertTrue(run.err().startsWith("error: "), run.all());
        assertEquals(Map.of(), server.secrets());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--ttl=1h", "--usages=signing", "--description=x", "--certificate-key=00"})
    void flagsThatSayWhatToMakeDoNotGoWithAFile(String flag) throws IOException {
        Path file = Files.writeString(
                folder.resolve("init.yaml"),
                "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n");
        Run run = token("create", "--config=" + file, "--print-join-command", flag);
        assertEquals(1, run.status());
        assertTrue(run.err().contains(flag.substring(2, flag.indexOf('='))), run.all());
        assertEquals(Map.of(), server.secrets());
    }

    @Test
    void listIsATableAndEmptyWithoutTokens() {
        assertEquals("", token("list").out());
        token("create", TOKEN, "--ttl=0");
        Run run = token("list");
        assertEquals(0, run.status());
        assertEquals(2, run.outLines().size());
        assertTrue(run.outLines().getFirst().startsWith("TOKEN "), run.all());
        assertTrue(
                run.outLines().getLast().startsWith(TOKEN + "   <forever>   <never> "), run.all());
    }

    @Test
    void listIsAStreamOfObjectsOnRequest() {
        token("create", "aaaaaa.0123456789abcdef");
        token("create", "bbbbbb.0123456789abcdef");
        Run yaml = token("list", "-o", "yaml");
        List<Object> tokens = ManifestYaml.splitDocuments(yaml.out()).stream()
                .map(document -> ManifestYaml.readObject(document).get("token"))
                .toList();
        assertEquals(List.of("aaaaaa.0123456789abcdef", "bbbbbb.0123456789abcdef"), tokens);
        assertEquals(
                "aaaaaa.0123456789abcdef bbbbbb.0123456789abcdef ",
                token("list", "-ojsonpath={.token} ").out());
        assertEquals(
                2,
                token("list", "-o=json").outLines().stream().filter("{"::equals).count());
    }

    @Test
    void tokensAreDeletedByIdOrWhole() {
        token("create", "aaaaaa.0123456789abcdef");
        token("create", "bbbbbb.0123456789abcdef");
        token("create", "cccccc.0123456789abcdef");
        Run run = token("delete", "aaaaaa", "bbbbbb.0123456789abcdef");
        assertEquals(0, run.status(), run.all());
        assertEquals(
                List.of("bootstrap token \"aaaaaa\" deleted", "bootstrap token \"bbbbbb\" deleted"),
                run.outLines());
        assertEquals("cccccc", only().id());
    }

    @Test
    void deletingStopsAtTheFirstThatIsNotThere() {
        token("create", TOKEN);
        Run run = token("delete", "zzzzzz", "abcdef");
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertEquals(
                "could not delete bootstrap token zzzzzz: there is no token with this id",
                run.error(),
                run.all());
        assertEquals("abcdef", only().id());
    }

    @Test
    void aDryRunOnlySaysWhatItWouldDo() {
        Run create = token("create", TOKEN, "--dry-run");
        assertEquals(0, create.status(), create.all());
        assertHasLine(
                "[dryrun] Would create Secret kube-system/bootstrap-token-abcdef:", create.out());
        assertEquals(TOKEN, create.outLines().getLast());
        assertEquals(Map.of(), server.secrets());

        Run missing = token("delete", "zzzzzz", "--dry-run");
        assertEquals(0, missing.status(), missing.all());
        token("create", TOKEN);
        Run delete = token("--dry-run", "delete", "abcdef");
        assertHasLine(
                "[dryrun] Would delete Secret kube-system/bootstrap-token-abcdef", delete.out());
        assertEquals("abcdef", only().id());
    }

    @Test
    void theKubeconfigMayBeNamedBeforeTheSubcommand() {
        token("create", TOKEN);
        assertTrue(TestConsole.run("token", "--kubeconfig", kubeconfig, "list")
                .out()
                .contains(TOKEN));
        assertTrue(TestConsole.run(
                        "token", "--kubeconfig=/does/not/exist", "list", "--kubeconfig", kubeconfig)
                .out()
                .contains(TOKEN));
    }

    @Test
    void aMissingKubeconfigIsNamed() {
        Run run = TestConsole.run("token", "list", "--kubeconfig=/does/not/exist");
        assertEquals(1, run.status());
        assertEquals(
                "there is no kubeconfig /does/not/exist: it is needed to talk to the API server",
                run.error(),
                run.all());
    }

    @Test
    void withoutACaToPinThereIsNoJoinCommand() throws IOException {
        kubeconfig =
                kubeconfig(new KubeconfigCluster(server.url(), Optional.empty(), Optional.empty()));
        Run run = token("create", TOKEN, "--print-join-command");
        assertEquals(1, run.status());
        assertEquals(
                "no join command can be made from kubeconfig %s: it names no CA whose key could be pinned"
                        .formatted(kubeconfig),
                run.error(),
                run.all());
        assertEquals(Map.of(), server.secrets());
    }

    @Test
    void aServerThatIsAwayEndsAListAtOnce() {
        server.close();
        Run run = token("list");
        assertEquals(1, run.status());
        assertTrue(run.err().startsWith("error: could not list bootstrap tokens"), run.all());
    }

    private Run token(String... words) {
        List<String> all = new ArrayList<>(List.of("token"));
        all.addAll(List.of(words));
        all.add("--kubeconfig=" + kubeconfig);
        return TestConsole.run(all.toArray(String[]::new));
    }

    private BootstrapTokenSecret only() {
        assertEquals(1, server.secrets().size());
        return BootstrapTokenSecret.from(server.secrets().values().iterator().next());
    }

    private String kubeconfig(KubeconfigCluster cluster) throws IOException {
        Kubeconfig config = Kubeconfig.of(
                new Kubeconfig.Names("test", "tester"), cluster, KubeconfigUser.token("letmein"));
        return Files.writeString(folder.resolve("kubeconfig"), config.render()).toString();
    }
}
