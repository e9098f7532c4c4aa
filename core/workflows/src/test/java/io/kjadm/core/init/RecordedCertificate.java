package io.kjadm.core.init;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A certificate of kubeadm, as the corpus describes it. */
final class RecordedCertificate {

    private static final List<String> KEY_USAGES = List.of(
            "Digital Signature",
            "Non Repudiation",
            "Key Encipherment",
            "Data Encipherment",
            "Key Agreement",
            "Certificate Sign");
    private static final Map<String, String> EXTENDED_USAGES = Map.of(
            "1.3.6.1.5.5.7.3.1", "TLS Web Server Authentication",
            "1.3.6.1.5.5.7.3.2", "TLS Web Client Authentication");

    private static final Set<String> OF_KEYS = Set.of("pubkey", "sigAlg");

    private RecordedCertificate() {}

    /** The certificate is as recorded; with {@code ownKeys} its key too. */
    static void assertRecorded(
            String what, Map<String, Object> recorded, String pem, Instant now, boolean ownKeys)
            throws Exception {
        Map<String, Object> expected = new TreeMap<>(recorded);
        Map<String, Object> made = new TreeMap<>(fields(pem, now));
        expected.put("validityDays", ((Number) recorded.get("validityDays")).longValue());
        expected.put("san", sorted((List<?>) recorded.get("san")));
        if (!ownKeys) {
            OF_KEYS.forEach(expected::remove);
            OF_KEYS.forEach(made::remove);
        }
        assertEquals(expected, made, what);
    }

    private static Map<String, Object> fields(String pem, Instant now) throws Exception {
        X509Certificate made = (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(
                        new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
        Map<String, Object> fields = new HashMap<>();
        fields.put("subject", made.getSubjectX500Principal().getName());
        fields.put("issuer", made.getIssuerX500Principal().getName());
        fields.put(
                "basicConstraints",
                (made.getCriticalExtensionOIDs().contains("2.5.29.19") ? "critical " : "") + "CA:"
                        + (made.getBasicConstraints() >= 0 ? "TRUE" : "FALSE"));
        fields.put("hasSKI", made.getExtensionValue("2.5.29.14") != null);
        fields.put("hasAKI", made.getExtensionValue("2.5.29.35") != null);
        fields.put("keyUsageCritical", made.getCriticalExtensionOIDs().contains("2.5.29.15"));
        List<String> usages = new ArrayList<>();
        for (int bit = 0; bit < KEY_USAGES.size(); bit++) {
            if (made.getKeyUsage()[bit]) {
                usages.add(KEY_USAGES.get(bit));
            }
        }
        fields.put("keyUsage", sorted(usages));
        fields.put(
                "extKeyUsage",
                sorted(
                        made.getExtendedKeyUsage() == null
                                ? List.of()
                                : made.getExtendedKeyUsage().stream()
                                        .map(EXTENDED_USAGES::get)
                                        .toList()));
        fields.put("san", sorted(names(made)));
        fields.put(
                "validityDays",
                Duration.between(now, made.getNotAfter().toInstant()).toDays());
        fields.put(
                "pubkey",
                switch (made.getPublicKey()) {
                    case RSAPublicKey rsa -> "rsaEncryption " + rsa.getModulus().bitLength();
                    case ECPublicKey ec ->
                        "id-ecPublicKey " + ec.getParams().getOrder().bitLength();
                    default -> "?";
                });
        fields.put(
                "sigAlg",
                switch (made.getSigAlgName()) {
                    case "SHA256withRSA" -> "sha256WithRSAEncryption";
                    case "SHA256withECDSA" -> "ecdsa-with-SHA256";
                    default -> made.getSigAlgName();
                });
        return fields;
    }

    private static List<String> names(X509Certificate certificate) throws Exception {
        Collection<List<?>> names = certificate.getSubjectAlternativeNames();
        return names == null
                ? List.of()
                : names.stream()
                        .map(name -> (Integer) name.getFirst() == 2
                                ? "DNS:" + name.get(1)
                                : "IP Address:"
                                        + InetAddress.ofLiteral((String) name.get(1))
                                                .getHostAddress()
                                                .toUpperCase(Locale.ROOT))
                        .toList();
    }

    private static List<String> sorted(List<?> texts) {
        return texts.stream().map(String::valueOf).sorted().toList();
    }
}
