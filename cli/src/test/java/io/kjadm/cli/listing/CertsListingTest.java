package io.kjadm.cli.listing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.etcd.ca.CertificateProbe.Answer;
import io.kjadm.core.etcd.ca.Expirations;
import io.kjadm.core.etcd.ca.Expirations.Expiration;
import io.kjadm.core.etcd.ca.Expirations.Served;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class CertsListingTest {

    private static final Instant NOW = Instant.parse("2030-01-02T03:04:05Z");
    private static final CertificateInfo SHOWN = CertificateAuthority.create(
                    "whoever",
                    KeyAlgorithm.ECDSA_P256,
                    Validity.startingAt(NOW, Duration.ofDays(100)))
            .info();

    private static CertsListing listing(Served... served) {
        return new CertsListing(new Expirations(
                List.of(
                        of("admin.conf", Optional.of("ca"), Duration.ofDays(364), false),
                        of("apiserver", Optional.of("ca"), Duration.ofHours(-1), true),
                        new Expiration(
                                "super-admin.conf", Optional.of("ca"), Optional.empty(), false)),
                List.of(of("ca", Optional.empty(), Duration.ofDays(3649), false)),
                List.of(served),
                NOW));
    }

    private static Expiration of(
            String name, Optional<String> ca, Duration left, boolean external) {
        return new Expiration(name, ca, Optional.of(NOW.plus(left)), external);
    }

    @Test
    void theTablesAreKubeadms() {
        assertEquals("""
                CERTIFICATE                  EXPIRES                  RESIDUAL TIME   CERTIFICATE AUTHORITY   EXTERNALLY MANAGED
                admin.conf                   Jan 01, 2031 03:04 UTC   364d            ca                      no     \s
                apiserver                    Jan 02, 2030 02:04 UTC   <invalid>       ca                      yes    \s
                !MISSING! super-admin.conf                                                                   \s

                CERTIFICATE AUTHORITY   EXPIRES                  RESIDUAL TIME   EXTERNALLY MANAGED
                ca                      Dec 30, 2039 03:04 UTC   9y              no     \s
                """, listing().tables());
    }

    @Test
    void serversThatWereAskedHaveATableOfTheirOwn() {
        List<String> lines = listing(
                        new Served("etcd", "192.0.2.1:2380", new Answer.Shown(SHOWN)),
                        new Served(
                                "kube-apiserver",
                                "192.0.2.2:6443",
                                new Answer.Unseen("Connection refused")))
                .tables()
                .lines()
                .toList();
        assertEquals(
                List.of(
                        List.of("SERVER", "ADDRESS", "EXPIRES", "RESIDUAL TIME", "SERIAL NUMBER"),
                        List.of(
                                "etcd",
                                "192.0.2.1:2380",
                                "Apr 12, 2030 03:04 UTC",
                                "100d",
                                SHOWN.serialNumber().toString(16)),
                        List.of(
                                "kube-apiserver",
                                "192.0.2.2:6443",
                                "?",
                                "?",
                                "Connection refused")),
                lines.subList(lines.size() - 3, lines.size()).stream()
                        .map(line -> Arrays.asList(line.split(" {3,}")))
                        .toList());
    }

    @Test
    void theObjectIsKubeadms() {
        Map<String, Object> missing = new LinkedHashMap<>();
        missing.put("name", "super-admin.conf");
        missing.put("expirationDate", null);
        missing.put("residualTime", 0L);
        missing.put("externallyManaged", false);
        missing.put("missing", true);
        Map<String, Object> object = listing().object();
        assertEquals(
                List.of("kind", "apiVersion", "certificates", "certificateAuthorities"),
                List.copyOf(object.keySet()));
        assertEquals("CertificateExpirationInfo", object.get("kind"));
        assertEquals("output.kubeadm.k8s.io/v1alpha3", object.get("apiVersion"));
        assertEquals(
                List.of(
                        Map.of(
                                "name",
                                "admin.conf",
                                "expirationDate",
                                "2031-01-01T03:04:05Z",
                                "residualTime",
                                364 * 86400L,
                                "externallyManaged",
                                false,
                                "caName",
                                "ca",
                                "missing",
                                false),
                        Map.of(
                                "name",
                                "apiserver",
                                "expirationDate",
                                "2030-01-02T02:04:05Z",
                                "residualTime",
                                -3600L,
                                "externallyManaged",
                                true,
                                "caName",
                                "ca",
                                "missing",
                                false),
                        missing),
                object.get("certificates"));
        assertEquals(
                List.of(Map.of(
                        "name",
                        "ca",
                        "expirationDate",
                        "2039-12-30T03:04:05Z",
                        "residualTime",
                        315_273_600L,
                        "externallyManaged",
                        false,
                        "missing",
                        false)),
                object.get("certificateAuthorities"));
    }

    @Test
    void theObjectHasServersIfTheyWereAsked() {
        assertEquals(
                List.of(
                        Map.of(
                                "component", "etcd",
                                "address", "192.0.2.1:2380",
                                "expirationDate", "2030-04-12T03:04:05Z",
                                "residualTime", 100 * 86400L,
                                "serialNumber", SHOWN.serialNumber().toString(16)),
                        Map.of(
                                "component", "kube-apiserver",
                                "address", "192.0.2.2:6443",
                                "problem", "no answer")),
                listing(
                                new Served("etcd", "192.0.2.1:2380", new Answer.Shown(SHOWN)),
                                new Served(
                                        "kube-apiserver",
                                        "192.0.2.2:6443",
                                        new Answer.Unseen("no answer")))
                        .object()
                        .get("servers"));
    }

    @ParameterizedTest
    @CsvSource({
        "-2,<invalid>",
        "-1,0s",
        "0,0s",
        "119,119s",
        "120,2m",
        "599,9m59s",
        "600,10m",
        "10799,179m",
        "10800,3h",
        "28799,7h59m",
        "28800,8h",
        "172799,47h",
        "172800,2d",
        "691199,7d23h",
        "691200,8d",
        "63071999,729d",
        "63072000,2y",
        "63158400,2y1d",
        "252287999,7y364d",
        "252288000,8y"
    })
    void remainingTimesAreKubectls(long seconds, String text) {
        assertEquals(text, CertsListing.human(Duration.ofSeconds(seconds)));
    }
}
