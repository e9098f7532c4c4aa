package io.kjadm.manifests;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

final class ClusterObjectsTest {

    private static final String SECRET = "0123456789abcdef";

    @Test
    void aSignatureHasNoPayloadAndIsVerifiedWhole() {
        String jws = DetachedJws.sign("abcdef", SECRET, "content\n");
        assertTrue(
                jws.matches("eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9\\.\\.[A-Za-z0-9_-]{43}"),
                jws);
        assertTrue(DetachedJws.verify(jws, "abcdef", SECRET, "content\n"));
        assertFalse(DetachedJws.verify(jws, "abcdef", SECRET, "content"));
        assertFalse(DetachedJws.verify(jws, "abcdeg", SECRET, "content\n"));
        assertFalse(DetachedJws.verify(jws, "abcdef", SECRET.replace('0', '1'), "content\n"));
        assertFalse(DetachedJws.verify("", "abcdef", SECRET, "content\n"));
    }

    @Test
    void aTokenComesBackAsItWasWritten() {
        var token = new BootstrapTokenSecret(
                "abcdef",
                SECRET,
                "for the tests",
                Optional.of(Instant.parse("2026-11-21T10:37:58.123Z")),
                List.of("signing", "authentication"),
                List.of("system:bootstrappers:a", "system:bootstrappers:b"));
        assertEquals("bootstrap-token-abcdef", token.toSecret().getMetadata().getName());
        assertEquals(token, BootstrapTokenSecret.from(token.toSecret()));
        assertEquals(Optional.of(Instant.parse("2026-11-21T10:37:58Z")), token.expiration());
        assertFalse(token.toString().contains(SECRET));
    }

    @Test
    void aTokenForNothingHasNothingToSpare() {
        var token = new BootstrapTokenSecret(
                "abcdef", SECRET, "", Optional.empty(), List.of(), List.of());
        assertEquals(
                List.of("token-id", "token-secret"),
                List.copyOf(token.toSecret().getData().keySet()));
    }

    @Test
    void onlyUsagesThatAreTrueCountAndOffsetsAreUnderstood() {
        Secret secret = token().toSecret()
                .edit()
                .addToData("usage-bootstrap-signing", "ZmFsc2U=")
                .addToData("expiration", base64("2026-11-21T12:00:00+02:00"))
                .build();
        assertEquals(
                List.of("authentication"), BootstrapTokenSecret.from(secret).usages());
        assertEquals(
                Optional.of(Instant.parse("2026-11-21T10:00:00Z")),
                BootstrapTokenSecret.from(secret).expiration());
    }

    @Test
    void secretsThatAreNoTokensAreRefused() {
        Secret good = token().toSecret();
        List<Secret> bad = List.of(
                good.edit()
                        .editMetadata()
                        .withName("bootstrap-token-other1")
                        .endMetadata()
                        .build(),
                good.edit().addToData("token-secret", base64("short")).build(),
                good.edit().addToData("expiration", base64("tomorrow")).build(),
                good.edit().addToData("token-id", "*").build(),
                good.edit().withData(null).build());
        bad.forEach(secret ->
                assertThrows(ManifestException.class, () -> BootstrapTokenSecret.from(secret)));
    }

    @Test
    void uploadedCertificatesBelongToTheirToken() {
        Secret secret = CertificatesSecret.build(
                Map.of("ca.crt", new byte[] {1, 2}, "ca.key", new byte[0]),
                new CertificatesSecret.Owner("bootstrap-token-abcdef", "1-2-3"));
        var owner = secret.getMetadata().getOwnerReferences().getFirst();
        assertEquals(
                "bootstrap-token-abcdef 1-2-3 true true",
                "%s %s %s %s"
                        .formatted(
                                owner.getName(),
                                owner.getUid(),
                                owner.getController(),
                                owner.getBlockOwnerDeletion()));
        assertArrayEquals(
                new byte[] {1, 2}, CertificatesSecret.encryptedValues(secret).get("ca.crt"));
        assertEquals(0, CertificatesSecret.encryptedValues(secret).get("ca.key").length);
        Secret damaged = secret.edit().addToData("ca.crt", "*").build();
        assertThrows(ManifestException.class, () -> CertificatesSecret.encryptedValues(damaged));
    }

    @Test
    void anEditedConfigurationLosesItsMark() {
        ConfigMap generated =
                ConfigurationMaps.kubeletConfig("a: 1\n", ConfigurationMaps.Origin.GENERATED);
        assertTrue(ComponentConfigHash.isGenerated(generated));
        assertFalse(ComponentConfigHash.isGenerated(
                generated.edit().addToData("kubelet", "a: 2\n").build()));
        assertFalse(ComponentConfigHash.isGenerated(
                ConfigurationMaps.kubeletConfig("a: 1\n", ConfigurationMaps.Origin.USER_SUPPLIED)));
    }

    @Test
    void theHashIsOverTheValuesInTheOrderOfTheirKeys() {
        ConfigMap one = ConfigurationMaps.map("n", "a", Map.of("x", "12", "y", "3"));
        ConfigMap same = ConfigurationMaps.map("m", "b", Map.of("p", "1", "q", "23"));
        assertEquals(
                "sha256:a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998e86f7f7a27ae3",
                ComponentConfigHash.of(one));
        assertEquals(ComponentConfigHash.of(one), ComponentConfigHash.of(same));
    }

    @Test
    void addonsArePrintedInAnotherOrderThanWritten() {
        Addon dns = CoreDnsAddon.build(new CoreDnsAddon.Input(
                "image", "cluster.local", InetAddress.ofLiteral("10.96.0.10"), 2));
        assertEquals(
                "ConfigMap ClusterRole ClusterRoleBinding ServiceAccount Deployment Service",
                kinds(dns.inWriteOrder()));
        assertEquals(
                "Deployment ConfigMap Service ClusterRole ClusterRoleBinding ServiceAccount",
                kinds(dns.inPrintOrder()));
        Addon proxy = KubeProxyAddon.build(new KubeProxyAddon.Input(
                "image",
                "https://h:6443",
                "a: 1",
                ConfigurationMaps.Origin.USER_SUPPLIED,
                List.of()));
        assertEquals(
                "ConfigMap DaemonSet ServiceAccount ClusterRoleBinding Role RoleBinding",
                kinds(proxy.inWriteOrder()));
        assertEquals(
                "ServiceAccount ClusterRoleBinding Role RoleBinding ConfigMap DaemonSet",
                kinds(proxy.inPrintOrder()));
    }

    @Test
    void withoutADomainNothingIsExcludedFromTheCache() {
        String corefile = CoreDnsAddon.corefile("");
        assertEquals("""
                .:53 {
                    errors
                    health {
                       lameduck 5s
                    }
                    ready
                    kubernetes in-addr.arpa ip6.arpa {
                       pods insecure
                       fallthrough in-addr.arpa ip6.arpa
                       ttl 30
                    }
                    prometheus :9153
                    forward . /etc/resolv.conf {
                       max_concurrent 1000
                    }
                    cache 30
                    loop
                    reload
                    loadbalance
                }
                """, corefile);
    }

    private static String kinds(List<HasMetadata> objects) {
        return String.join(" ", objects.stream().map(HasMetadata::getKind).toList());
    }

    private static BootstrapTokenSecret token() {
        return new BootstrapTokenSecret(
                "abcdef",
                SECRET,
                "",
                Optional.empty(),
                List.of("signing", "authentication"),
                List.of());
    }

    private static String base64(String text) {
        return KubeconfigTree.encoded(text);
    }
}
