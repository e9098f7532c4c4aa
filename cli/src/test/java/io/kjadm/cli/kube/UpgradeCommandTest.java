package io.kjadm.cli.kube;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;
import io.kjadm.etcd.Named;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Set;

/**
 * The command line of {@code kjadm upgrade}; what it does is tested in core, with a cluster in
 * memory.
 */
class UpgradeCommandTest {

    @TempDir
    Path empty;

    @Test
    void theGroupAlonePrintsItsHelpAndFails() {
        Run run = TestConsole.run("upgrade");
        assertEquals(1, run.status());
        assertTrue(run.out().startsWith("Usage: kjadm upgrade"), run.all());
        List.of("plan", "diff").forEach(name -> assertTrue(run.out().contains(name), run.all()));
    }

    @Test
    void planHasTheFlagsOfKubeadmAndPatches() {
        Run run = TestConsole.run("upgrade", "plan", "--help");
        assertEquals(0, run.status(), run.all());
        // and no --dry-run: it changes nothing
        assertEquals(
                Set.of(
                        "--allow-experimental-upgrades",
                        "--allow-missing-template-keys",
                        "--allow-release-candidate-upgrades",
                        "--config",
                        "--etcd-upgrade",
                        "--help",
                        "--ignore-preflight-errors",
                        "--kubeconfig",
                        "--log-format",
                        "--output",
                        "--patches",
                        "--print-config",
                        "--rootfs",
                        "--show-managed-fields"),
                Named.flags(run.out()));
    }

    @Test
    void diffHasTheFlagsOfKubeadmAndPatches() {
        Run run = TestConsole.run("upgrade", "diff", "--help");
        assertEquals(0, run.status(), run.all());

        // it refers to 'kjadm upgrade apply --dry-run'
        assertEquals(
                Set.of(
                        "--config",
                        "--context-lines",
                        "--dry-run",
                        "--help",
                        "--kubeconfig",
                        "--log-format",
                        "--patches",
                        "--rootfs"),
                Named.flags(run.out()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"plan v1.36.2", "plan -o json v1.36.2", "diff", "diff v1.36.2 -c 5"})
    void withoutAKubeconfigThatFileIsNamed(String words) {
        String kubeconfig = empty.resolve("admin.conf").toString();
        Run run = TestConsole.run(("upgrade %s --kubeconfig %s --ignore-preflight-errors all"
                        .formatted(words, kubeconfig))
                .replaceAll(words.startsWith("diff") ? " --ignore.*" : "$^", "")
                .split(" "));
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertTrue(run.err().contains(kubeconfig), run.all());
    }

    /** Otherwise the API server is asked for a minute. */
    @ParameterizedTest
    @ValueSource(strings = {"plan", "diff", "apply v1.36.2 --yes --dry-run", "node --dry-run"})
    void withACertificateThatHasEndedNobodyIsAsked(String words) throws IOException {
        Path kubeconfig = empty.resolve("old.conf");
        Files.writeString(kubeconfig, endedKubeconfig());
        Run run = TestConsole.run(
                ("upgrade %s --kubeconfig %s".formatted(words, kubeconfig)).split(" "));
        assertEquals(1, run.status());
        assertEquals(
                ("the API server cannot be asked with %s: some certificates have expired:"
                                + " old.conf (2021-03-07T00:00:00Z):"
                                + " connections that use them are refused")
                        .formatted(kubeconfig),
                run.error());
        assertHasLine("Next: renew first: kjadm certs renew all", run.err());
    }

    private static String endedKubeconfig() {
        Validity validity =
                Validity.startingAt(Instant.parse("2020-02-01T00:00:00Z"), Duration.ofDays(400));
        CertificateAuthority ca =
                CertificateAuthority.create("kubernetes", KeyAlgorithm.ECDSA_P256, validity);
        IssuedCertificate client = ca.issue(
                CertificateSet.named(CertificateSet.ETCD_HEALTHCHECK_CLIENT)
                        .requestFor("", SubjectNames.none()),
                KeyAlgorithm.ECDSA_P256,
                validity);
        return """
                apiVersion: v1
                kind: Config
                clusters: [{name: k, cluster: {server: "https://192.0.2.1:6443", certificate-authority-data: %s}}]
                contexts: [{name: c, context: {cluster: k, user: u}}]
                current-context: c
                users: [{name: u, user: {client-certificate-data: %s, client-key-data: %s}}]
                """.formatted(
                        base64(ca.certificatePem()),
                        base64(client.certificatePem()),
                        base64(client.keyPem()));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plan -o xml",
                "plan v1.36.2 v1.36.1",
                "diff --context-lines=-1",
                "diff --context-lines=few",
                "diff -o json",
                "plan --patches"
            })
    void wrongUseIsRefused(String words) {
        Run run = TestConsole.run(("upgrade " + words).split(" "));
        assertEquals(1, run.status());
        assertEquals("", run.out(), run.all());
    }
}
