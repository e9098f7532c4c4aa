package io.kjadm.pki;

import static io.kjadm.pki.Fixtures.NOW;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Our certificates beside the recorded ones of kubeadm, field by field. */
class CorpusTest {

    /** From the module, where the tests run, to the folder beside the repository. */
    private static final Path CASES = Path.of("..", "..", "shared", "corpus", "cases");
    /** As the record calls the bits of the key usage and the extended usages. */
    private static final List<String> KEY_USAGES = List.of(
            "Digital Signature",
            "Non Repudiation",
            "Key Encipherment",
            "Data Encipherment",
            "Key Agreement",
            "Certificate Sign");

    private static final Map<ExtendedUsage, String> EXTENDED_USAGES = Map.of(
            ExtendedUsage.SERVER_AUTH, "TLS Web Server Authentication",
            ExtendedUsage.CLIENT_AUTH, "TLS Web Client Authentication");

    @ParameterizedTest
    @CsvSource({"minimal, RSA-2048", "ecdsa, ECDSA-P256"})
    void theWholeSetLooksLikeTheRecordedOne(String name, String algorithm) throws Exception {
        Path record = CASES.resolve(name).resolve("record.json");
        if (!Files.exists(record)) {
            System.out.println("skipped: ../shared/corpus is not there to compare with");
        }
        assumeTrue(Files.exists(record), "../shared/corpus is not there to compare with");
        JsonNode recorded =
                new ObjectMapper().readTree(Files.readString(record)).get("certs");

        Map<String, String> made = certificates(KeyAlgorithm.fromName(algorithm));

        Set<String> files = new TreeSet<>();
        recorded.fieldNames().forEachRemaining(file -> files.add(file.substring("pki/".length())));
        assertEquals(files, new TreeSet<>(made.keySet()));
        for (String file : files) {
            compare(file, recorded.get("pki/" + file), made.get(file));
        }
    }

    private static Map<String, String> certificates(KeyAlgorithm algorithm) {
        Map<String, CertificateAuthority> authorities = new HashMap<>();
        Map<String, String> made = new HashMap<>();
        for (CertificateSpec spec : CertificateSet.all()) {
            if (spec.isCa()) {
                CertificateAuthority ca = CertificateAuthority.create(
                        spec.commonNameOn("cp-1"), algorithm, Fixtures.CA_YEARS);
                authorities.put(spec.name(), ca);
                made.put(spec.certificateFile(), ca.certificatePem());
            } else {
                LeafRequest request = spec.requestFor("cp-1", names(spec.names()));
                made.put(
                        spec.certificateFile(),
                        authorities
                                .get(spec.caName().orElseThrow())
                                .issue(request, algorithm, Fixtures.ONE_YEAR)
                                .certificatePem());
            }
        }
        return made;
    }

    private static SubjectNames names(NameRule rule) {
        return switch (rule) {
            case NONE, CA_NAME -> SubjectNames.none();
            case APISERVER ->
                SubjectNames.forApiServer(Fixtures.apiServerNames("")).names();
            case ETCD_SERVER, ETCD_PEER ->
                SubjectNames.forEtcd("cp-1", Fixtures.ip("192.0.2.10"), List.of())
                        .names();
        };
    }

    private static void compare(String file, JsonNode recorded, String pem) throws Exception {
        X509Certificate made = JdkChain.read(pem);
        CertificateInfo info = CertificateInfo.parse(pem);
        assertEquals(
                recorded.get("subject").asText(), made.getSubjectX500Principal().getName(), file);
        assertEquals(recorded.get("issuer").asText(), info.issuer(), file);
        assertEquals(texts(recorded.get("san")), sans(info.names()), file);
        assertEquals(texts(recorded.get("keyUsage")), keyUsages(made), file);
        assertEquals(
                texts(recorded.get("extKeyUsage")),
                info.usages().stream().map(EXTENDED_USAGES::get).collect(Collectors.toSet()),
                file);
        assertEquals(
                recorded.get("basicConstraints").asText(),
                "critical CA:" + (info.isCa() ? "TRUE" : "FALSE"),
                file);
        assertEquals(
                recorded.get("hasSKI").asBoolean(), made.getExtensionValue("2.5.29.14") != null);
        assertEquals(
                recorded.get("hasAKI").asBoolean(), made.getExtensionValue("2.5.29.35") != null);
        assertEquals(
                recorded.get("validityDays").asLong(),
                Duration.between(NOW, info.notAfter()).toDays(),
                file);
        assertEquals(
                recorded.get("pubkey").asText().startsWith("rsa"),
                made.getPublicKey().getAlgorithm().equals("RSA"),
                file);
        assertEquals(
                recorded.get("sigAlg").asText().contains("RSA"),
                made.getSigAlgName().endsWith("RSA"),
                file);
    }

    private static Set<String> keyUsages(X509Certificate certificate) {
        boolean[] bits = certificate.getKeyUsage();
        return IntStream.range(0, bits.length)
                .filter(bit -> bits[bit])
                .mapToObj(KEY_USAGES::get)
                .collect(Collectors.toSet());
    }

    private static Set<String> sans(SubjectNames names) {
        return Stream.concat(
                        names.dnsNames().stream().map(name -> "DNS:" + name),
                        names.addresses().stream().map(CorpusTest::addressText))
                .collect(Collectors.toSet());
    }

    private static String addressText(InetAddress address) {
        return "IP Address:" + address.getHostAddress();
    }

    private static Set<String> texts(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false)
                .map(JsonNode::asText)
                .collect(Collectors.toSet());
    }
}
