package io.kjadm.cli.kube;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;
import io.kjadm.etcd.Named;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code kjadm certs} and {@code kjadm kubeconfig} on a folder of certificates that have expired. */
class CertsCommandTest {

    private static final List<String> NAMES = List.of(
            "admin.conf",
            "apiserver",
            "apiserver-etcd-client",
            "apiserver-kubelet-client",
            "controller-manager.conf",
            "etcd-healthcheck-client",
            "etcd-peer",
            "etcd-server",
            "front-proxy-client",
            "scheduler.conf",
            "super-admin.conf");

    @TempDir
    Path folder;

    private Path pki;
    private String config;

    @BeforeEach
    void writeCertificates() throws IOException {
        pki = Files.createDirectories(folder.resolve("pki/etcd")).getParent();
        Instant then = Instant.now().minus(Duration.ofDays(700));
        for (CertificateSpec spec : CertificateSet.cas()) {
            CertificateAuthority ca = CertificateAuthority.create(
                    spec.commonNameOn(""),
                    KeyAlgorithm.ECDSA_P256,
                    Validity.startingAt(then, Duration.ofDays(3650)));
            write(spec, ca.certificatePem(), ca.keyPem().orElseThrow());
            for (CertificateSpec leaf : CertificateSet.signedBy(spec.name())) {
                IssuedCertificate pair = ca.issue(
                        leaf.requestFor("cp-1", new SubjectNames(List.of("cp-1"), List.of())),
                        KeyAlgorithm.ECDSA_P256,
                        Validity.startingAt(then, Duration.ofDays(365)));
                write(leaf, pair.certificatePem(), pair.keyPem());
            }
        }
        config = Files.writeString(folder.resolve("config.yaml"), """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                localAPIEndpoint: {advertiseAddress: 192.0.2.10}
                nodeRegistration: {name: cp-1}
                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                certificatesDir: %s
                controlPlaneEndpoint: cp.example.org
                encryptionAlgorithm: ECDSA-P256
                """.formatted(pki))
                .toString();
    }

    private void write(CertificateSpec spec, String certificate, String key) throws IOException {
        Files.writeString(pki.resolve(spec.certificateFile()), certificate);
        Files.writeString(pki.resolve(spec.keyFile()), key);
    }

    private CertificateInfo certificate(String file) throws IOException {
        return CertificateInfo.parse(Files.readString(pki.resolve(file)));
    }

    private Run configured(String words) {
        List<String> all = new ArrayList<>(List.of(words.split(" ")));
        all.addAll(List.of("--config", config));
        return TestConsole.run(all.toArray(String[]::new));
    }

    // ---- the command line

    @ParameterizedTest
    @ValueSource(strings = {"certs", "certs renew"})
    void aGroupAlonePrintsItsHelpAndFails(String words) {
        Run run = TestConsole.run(words.split(" "));
        assertEquals(1, run.status());
        assertTrue(run.out().startsWith("Usage: kjadm " + words), run.all());
    }

    @Test
    void theOtherGroupOnlyPrintsItsHelp() {
        Run run = TestConsole.run("kubeconfig");
        assertEquals(0, run.status());
        assertTrue(run.out().startsWith("Usage: kjadm kubeconfig"), run.all());
    }

    @Test
    void everyCertificateHasACommand() {
        String help = TestConsole.run("certs", "renew", "--help").out();
        Set<String> commands = help.substring(help.indexOf("Commands:"))
                .lines()
                .filter(line -> line.matches("  \\S.*"))
                .map(line -> line.strip().split(" ")[0])
                .collect(Collectors.toSet());
        Set<String> expected = new HashSet<>(NAMES);
        expected.add("all");
        assertEquals(expected, commands);
        assertHasLine(
                "all                       Renew all certificates on this node, except those",
                help);
        Run other = TestConsole.run("certs", "renew", "kubelet.conf");
        assertEquals(1, other.status());
        assertEquals(
                "unknown command \"kubelet.conf\" for \"kjadm certs renew\"",
                other.error(),
                other.all());
    }

    @Test
    void theGroupHasKubeadmsAlias() {
        Run run = TestConsole.run("certificates", "certificate-key");
        assertEquals(0, run.status(), run.all());
    }

    @Test
    void aCertificateKeyIs64DigitsAndNeverTheSame() {
        Run run = TestConsole.run("certs", "certificate-key");
        assertEquals(0, run.status());
        assertTrue(run.out().matches("[0-9a-f]{64}\n"), run.all());
        assertNotEquals(run.out(), TestConsole.run("certs", "certificate-key").out());
    }

    // ---- check-expiration

    @Test
    void whatHasExpiredIsShown() {
        Run run = configured("certs check-expiration");
        assertEquals(0, run.status(), run.all());
        assertTrue(
                run.outLines().stream()
                        .anyMatch(line ->
                                line.matches("apiserver +\\w{3} \\d.* <invalid> +ca +no +")),
                run.all());
        assertTrue(
                run.outLines().stream().anyMatch(line -> line.matches("etcd-ca +.* 8y.* no +")),
                run.all());
    }

    @Test
    void aProgramGetsTheObjectAlone() {
        Run run = configured("certs check-expiration -o json");
        assertEquals(0, run.status(), run.all());
        assertTrue(
                run.out().startsWith("{\n    \"kind\": \"CertificateExpirationInfo\""), run.all());
        Map<String, Object> object = ManifestYaml.readObject(run.out());
        assertTrue(((List<?>) object.get("certificates")).size() >= NAMES.size());
        Run path =
                configured("certs check-expiration -o jsonpath={.certificateAuthorities[*].name}");
        assertEquals("ca etcd-ca front-proxy-ca", path.out().strip(), path.all());
        assertEquals(1, configured("certs check-expiration -o xml").status());
    }

    @Test
    void withoutAClusterDefaultsAndTheDirectoryGivenCount() {
        Run run = TestConsole.run(
                "certs",
                "check-expiration",
                "--kubeconfig",
                folder.resolve("none").toString(),
                "--cert-dir",
                pki.toString(),
                "-o",
                "jsonpath={.certificates[1].missing}");
        assertEquals(0, run.status(), run.all());
        assertEquals("false", run.out().strip(), run.all());
        assertHasLine(
                "[check-expiration] Error reading configuration from the Cluster. Falling back to default configuration",
                run.err());
    }

    // ---- renew

    @Test
    void anExpiredCertificateIsRenewedWithANewKey() throws IOException {
        CertificateInfo old = certificate("apiserver.crt");
        Run run = configured("certs renew apiserver");
        assertEquals(0, run.status(), run.all());
        assertEquals(
                "[renew] certificate for serving the Kubernetes API renewed",
                run.outLines().getFirst());
        CertificateInfo renewed = certificate("apiserver.crt");
        assertNotEquals(old.serialNumber(), renewed.serialNumber());
        assertEquals(old.names(), renewed.names());
        assertTrue(renewed.isValidAt(Instant.now()));
        assertTrue(renewed.matchesKey(Files.readString(pki.resolve("apiserver.key"))));
        assertFalse(old.matchesKey(Files.readString(pki.resolve("apiserver.key"))));
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(pki.resolve("apiserver.key"))));
        assertEquals(Set.of(), Named.pemBlocks(run.all()), run.all());
    }

    @Test
    void whatIsMissingOrSignedElsewhereIsNoFailure() throws IOException {
        Files.delete(pki.resolve("front-proxy-client.crt"));
        Run missing = configured("certs renew front-proxy-client");
        assertEquals(0, missing.status(), missing.all());
        assertHasLine("[renew] MISSING! certificate for the front proxy client", missing.out());
        Files.delete(pki.resolve("etcd/ca.key"));
        CertificateInfo old = certificate("etcd/peer.crt");
        Run external = configured("certs renew etcd-peer");
        assertEquals(0, external.status(), external.all());
        assertTrue(external.out().startsWith("[renew] Detected external etcd-ca"), external.all());
        assertEquals(old, certificate("etcd/peer.crt"));
    }

    @Test
    void aDryRunRenewsNothing() throws IOException {
        CertificateInfo old = certificate("etcd/server.crt");
        Run run = configured("certs renew etcd-server --dry-run");
        assertEquals(0, run.status(), run.all());
        assertEquals(old, certificate("etcd/server.crt"));
        assertEquals(Set.of("CERTIFICATE"), Named.pemBlocks(run.all()), run.all());
    }

    @Test
    void besideAFileTheDirectoryGivenIsWarnedAbout() {
        Run run = configured("certs renew etcd-server --dry-run --cert-dir /nowhere");
        assertEquals(0, run.status(), run.all());
        assertHasLine(
                "W --cert-dir is ignored because --config is given, which names the directory",
                run.err());
    }

    // ---- generate-csr

    @Test
    void requestsAreWrittenOnceAndNeverOverOthers() throws IOException {
        Path made = folder.resolve("made");
        String words = "certs generate-csr --cert-dir %s --kubeconfig-dir %s".formatted(made, made);
        Run run = configured(words);
        assertEquals(0, run.status(), run.all());
        try (Stream<Path> files = Files.walk(made)) {
            List<String> names = files.filter(Files::isRegularFile)
                    .map(file -> made.relativize(file).toString())
                    .sorted()
                    .toList();
            assertEquals(2 * 7 + 2 * 5, names.size(), names.toString());
            assertTrue(names.containsAll(List.of(
                    "apiserver.csr", "etcd/server.key", "kubelet.conf", "kubelet.conf.csr")));
        }
        assertEquals(Set.of(), Named.pemBlocks(run.all()), run.all());
        Run again = configured(words);
        assertEquals(1, again.status());
        assertTrue(
                again.error()
                        .startsWith("signing requests are not made over files that exist: "
                                + made.resolve("apiserver.csr") + ", "),
                again.all());
    }

    // ---- kubeconfig user

    @Test
    void aKubeconfigForSomebodyIsAllThatIsPrinted() throws IOException {
        Run run = configured("kubeconfig user --client-name alice --org devs,ops");
        assertEquals(0, run.status(), run.all());
        Kubeconfig made = Kubeconfig.parse(run.out());
        assertEquals("https://cp.example.org:6443", made.cluster().server());
        assertEquals(
                Optional.of(Files.readString(pki.resolve("ca.crt"))),
                made.cluster().caPem());
        CertificateInfo certificate =
                CertificateInfo.parse(made.user().certificatePem().orElseThrow());
        assertEquals("alice", certificate.commonName());
        assertEquals(2, certificate.organizations().size());
    }

    @Test
    void aTokenTakesThePlaceOfTheCertificate() {
        Run run = configured("kubeconfig user --client-name alice --token abc");
        assertEquals(Optional.of("abc"), Kubeconfig.parse(run.out()).user().token());
    }

    @Test
    void aTermOfMoreThanAYearIsWarnedAbout() {
        Run run = configured("kubeconfig user --client-name alice --validity-period 8761h");
        assertEquals(0, run.status(), run.all());
        assertEquals(
                List.of(
                        "W the certificate will be valid for longer than a year, and cannot be revoked"),
                run.err().lines().limit(1).toList());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kubeconfig user",
                "kubeconfig user --client-name=",
                "kubeconfig user --client-name alice --validity-period soon",
                "kubeconfig user --client-name alice --validity-period 0s"
            })
    void wrongUseIsRefused(String words) {
        Run run = configured(words);
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertTrue(run.err().startsWith("error: "), run.all());
    }

    @Test
    void withoutTheCaNobodyGetsOne() throws IOException {
        Files.delete(pki.resolve("ca.key"));
        Run run = configured("kubeconfig user --client-name alice");
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertEquals(
                "a kubeconfig for user \"alice\" cannot be made: the cluster's CA is external: its key is not on this node",
                run.error(),
                run.all());
    }
}
