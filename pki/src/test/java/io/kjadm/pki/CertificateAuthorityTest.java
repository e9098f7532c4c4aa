package io.kjadm.pki;

import static io.kjadm.pki.Fixtures.CA_YEARS;
import static io.kjadm.pki.Fixtures.LATER;
import static io.kjadm.pki.Fixtures.NOW;
import static io.kjadm.pki.Fixtures.ONE_YEAR;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

class CertificateAuthorityTest {

    private static final String SUBJECT_KEY_ID = "2.5.29.14";
    private static final String KEY_USAGE = "2.5.29.15";
    private static final String ALTERNATIVE_NAMES = "2.5.29.17";
    private static final String BASIC_CONSTRAINTS = "2.5.29.19";
    private static final String AUTHORITY_KEY_ID = "2.5.29.35";
    private static final String EXTENDED_USAGE = "2.5.29.37";

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RSA_4096")
    void theJdkAcceptsTheChainOfEveryKeyAlgorithm(KeyAlgorithm algorithm) throws Exception {
        CertificateAuthority ca = CertificateAuthority.create("kubernetes", algorithm, CA_YEARS);
        IssuedCertificate client = ca.issue(
                LeafRequest.client("somebody", List.of()), KeyAlgorithm.ECDSA_P256, ONE_YEAR);

        JdkChain.validate(client.certificatePem(), ca.certificatePem(), LATER);
        ca.verify(client.certificatePem(), LATER);
    }

    @Test
    void theKeyOfTheSignerDecidesOnTheSignature() throws Exception {
        assertEquals("SHA256withRSA", signatureBy(KeyAlgorithm.RSA_2048, KeyAlgorithm.ECDSA_P384));
        assertEquals(
                "SHA256withECDSA", signatureBy(KeyAlgorithm.ECDSA_P256, KeyAlgorithm.RSA_2048));
        assertEquals(
                "SHA384withECDSA", signatureBy(KeyAlgorithm.ECDSA_P384, KeyAlgorithm.ECDSA_P256));
    }

    @Test
    void aCaHasTheExtensionsOfACaAndNoOthers() throws Exception {
        X509Certificate ca = JdkChain.read(Fixtures.ca("kubernetes").certificatePem());

        assertEquals(3, ca.getVersion());
        assertEquals("CN=kubernetes", ca.getSubjectX500Principal().getName());
        assertEquals(ca.getSubjectX500Principal(), ca.getIssuerX500Principal());
        assertEquals(Set.of(KEY_USAGE, BASIC_CONSTRAINTS), ca.getCriticalExtensionOIDs());
        assertEquals(Set.of(SUBJECT_KEY_ID, ALTERNATIVE_NAMES), ca.getNonCriticalExtensionOIDs());
        assertEquals(Integer.MAX_VALUE, ca.getBasicConstraints(), "no limit on the path length");
        assertEquals(Set.of(0, 2, 5), usageBits(ca));
        assertEquals(
                List.of(List.of(2, "kubernetes")), List.copyOf(ca.getSubjectAlternativeNames()));
        assertEquals(
                24, ca.getExtensionValue(SUBJECT_KEY_ID).length, "twenty bytes in two wrappings");
    }

    @Test
    void aLeafHasTheExtensionsOfALeafAndNoOthers() throws Exception {
        CertificateAuthority ca = Fixtures.ca("kubernetes");
        X509Certificate leaf = JdkChain.read(Fixtures.client(ca, "somebody").certificatePem());

        assertEquals(Set.of(KEY_USAGE, BASIC_CONSTRAINTS), leaf.getCriticalExtensionOIDs());
        assertEquals(Set.of(AUTHORITY_KEY_ID, EXTENDED_USAGE), leaf.getNonCriticalExtensionOIDs());
        assertEquals(-1, leaf.getBasicConstraints());
        assertEquals(Set.of(0, 2), usageBits(leaf), "also for an ECDSA key");
        assertEquals(List.of("1.3.6.1.5.5.7.3.2"), leaf.getExtendedKeyUsage());
        assertEquals(
                keyIdentifier(JdkChain.read(ca.certificatePem()), SUBJECT_KEY_ID),
                keyIdentifier(leaf, AUTHORITY_KEY_ID));
    }

    @Test
    void namesAndOrganizationsAndDatesArriveInTheCertificate() {
        SubjectNames names = SubjectNames.forApiServer(
                        Fixtures.apiServerNames("api.example.test", "2001:db8::7"))
                .names();
        LeafRequest request = new LeafRequest(
                "kube-apiserver",
                List.of("a, inc", "b"),
                List.of(ExtendedUsage.SERVER_AUTH, ExtendedUsage.CLIENT_AUTH),
                names);
        CertificateInfo leaf = CertificateInfo.parse(Fixtures.ca("kubernetes")
                .issue(request, KeyAlgorithm.ECDSA_P256, ONE_YEAR)
                .certificatePem());

        assertEquals("kube-apiserver", leaf.commonName());
        assertEquals(Set.of("a, inc", "b"), Set.copyOf(leaf.organizations()));
        assertEquals("CN=kubernetes", leaf.issuer());
        assertEquals(names, leaf.names());
        assertEquals(request.usages(), leaf.usages());
        assertEquals(NOW.minus(Duration.ofMinutes(5)), leaf.notBefore());
        assertEquals(NOW.plus(Duration.ofHours(8760)), leaf.notAfter());
        assertFalse(leaf.isCa());
    }

    /** A node's name may have 253 letters, and {@code system:node:} stands before it. */
    @Test
    void namesOfMoreThan64LettersAreNames() throws Exception {
        String node = "system:node:" + "cp-0.".repeat(50) + "org";
        String organization = "#team:" + "platform-".repeat(10);
        IssuedCertificate client = Fixtures.ca("kubernetes")
                .issue(
                        LeafRequest.client(node, List.of(organization)),
                        KeyAlgorithm.ECDSA_P256,
                        ONE_YEAR);
        CertificateInfo info = CertificateInfo.parse(client.certificatePem());

        assertEquals(node, info.commonName());
        assertEquals(List.of(organization), info.organizations());
        assertEquals(
                "-----BEGIN CERTIFICATE REQUEST-----",
                SigningRequest.client(node, List.of(organization), KeyAlgorithm.ECDSA_P256)
                        .requestPem()
                        .lines()
                        .findFirst()
                        .orElseThrow());
    }

    @Test
    void serialNumbersArePositiveAndDiffer() throws Exception {
        CertificateAuthority ca = Fixtures.ca("kubernetes");
        Set<BigInteger> serials = new HashSet<>();
        for (int i = 0; i < 8; i++) {
            serials.add(JdkChain.read(Fixtures.client(ca, "c").certificatePem()).getSerialNumber());
        }
        assertEquals(8, serials.size());
        assertTrue(serials.stream()
                .allMatch(serial -> serial.signum() > 0 && serial.bitLength() <= 63));
    }

    @Test
    void aLoadedCaSignsLikeTheOneItWas() throws Exception {
        CertificateAuthority made =
                CertificateAuthority.create("etcd-ca", KeyAlgorithm.ECDSA_P384, CA_YEARS);
        CertificateAuthority loaded =
                CertificateAuthority.load(made.certificatePem(), made.keyPem());
        IssuedCertificate client = Fixtures.client(loaded, "somebody");

        assertTrue(loaded.canSign());
        assertEquals(made.keyPem(), loaded.keyPem());
        made.verify(client.certificatePem(), LATER);
        JdkChain.validate(client.certificatePem(), made.certificatePem(), LATER);
    }

    @Test
    void aCaFromOutsideSignsToo() throws Exception {
        CertificateAuthority outside = CertificateAuthority.load(
                Fixtures.text("outside-ca.pem"), Optional.of(Fixtures.text("rsa.pkcs8.pem")));
        IssuedCertificate client = Fixtures.client(outside, "somebody");

        JdkChain.validate(client.certificatePem(), Fixtures.text("outside-ca.pem"), LATER);
    }

    @Test
    void withoutItsKeyACaVerifiesButDoesNotSign() {
        CertificateAuthority made = Fixtures.ca("kubernetes");
        CertificateAuthority keyless =
                CertificateAuthority.load(made.certificatePem(), Optional.empty());

        keyless.verify(Fixtures.client(made, "somebody").certificatePem(), LATER);
        assertFalse(keyless.canSign());
        refused("the key of CN=kubernetes is not here", () -> Fixtures.client(keyless, "somebody"));
    }

    @Test
    void theKeyOfAnotherCaIsRefused() {
        Optional<String> otherKey = Fixtures.ca("kubernetes").keyPem();
        String certificate = Fixtures.ca("kubernetes").certificatePem();

        refused("does not belong", () -> CertificateAuthority.load(certificate, otherKey));
    }

    @Test
    void theFirstCertificateOfAChainFileIsTheCa() {
        CertificateAuthority first = Fixtures.ca("first");
        CertificateAuthority loaded = CertificateAuthority.load(
                first.certificatePem() + Fixtures.ca("second").certificatePem(), first.keyPem());

        assertEquals(first.certificatePem(), loaded.certificatePem());
    }

    @Test
    void aLeafOfAnotherCaIsRefused() {
        String stranger =
                Fixtures.client(Fixtures.ca("front-proxy-ca"), "somebody").certificatePem();

        refused(
                "its issuer is CN=front-proxy-ca",
                () -> Fixtures.ca("kubernetes").verify(stranger, LATER));
    }

    @Test
    void aLeafOfAnotherCaWithTheSameNameIsRefused() {
        String stranger = Fixtures.client(Fixtures.ca("kubernetes"), "somebody").certificatePem();

        refused("another key signed it", () -> Fixtures.ca("kubernetes").verify(stranger, LATER));
    }

    @Test
    void anExpiredLeafIsRefused() {
        CertificateAuthority ca = Fixtures.ca("kubernetes");
        String leaf = Fixtures.client(ca, "somebody").certificatePem();

        ca.verify(leaf, ONE_YEAR.notAfter());
        refused(
                "the certificate of CN=somebody expired at",
                () -> ca.verify(leaf, ONE_YEAR.notAfter().plusSeconds(1)));
        refused(
                "is not valid before",
                () -> ca.verify(leaf, ONE_YEAR.notBefore().minusSeconds(1)));
    }

    @Test
    void anExpiredCaIsRefused() {
        CertificateAuthority ca = CertificateAuthority.create(
                "kubernetes",
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(NOW, Duration.ofDays(1)));
        String leaf = Fixtures.client(ca, "somebody").certificatePem();

        refused("the CA certificate of CN=kubernetes expired at", () -> ca.verify(leaf, LATER));
    }

    @Test
    void intermediatesInTheFileLeadToTheCa() {
        CertificateAuthority outside =
                CertificateAuthority.load(Fixtures.text("outside-ca.pem"), Optional.empty());
        String chain = Fixtures.text("outside-chain.pem");
        String leafAlone = CertificateInfo.parse(chain).pem();

        outside.verify(chain, LATER);
        refused("its issuer is CN=outside-intermediate", () -> outside.verify(leafAlone, LATER));
        refused(
                "does not lead to the CA CN=kubernetes",
                () -> Fixtures.ca("kubernetes").verify(chain, LATER));
    }

    @Test
    void aLeafIsNoCa() throws Exception {
        CertificateAuthority ca = Fixtures.ca("kubernetes");
        IssuedCertificate client = Fixtures.client(ca, "somebody");
        CertificateAuthority pretender =
                CertificateAuthority.load(client.certificatePem(), Optional.of(client.keyPem()));
        // an attacker does not ask whether it may sign
        String leaf = X509Text.pem(CertificateWriter.leaf(
                LeafRequest.client("victim", List.of()),
                KeyAlgorithm.ECDSA_P256.generate().getPublic(),
                new CertificateWriter.Issuer(
                        JdkChain.read(client.certificatePem()),
                        PrivateKeyPem.parse(client.keyPem())),
                ONE_YEAR));

        assertTrue(ca.isCa());
        assertFalse(pretender.isCa());
        refused("not one of a CA", () -> pretender.verify(leaf, LATER));
        refused("does not lead to the CA", () -> ca.verify(leaf + client.certificatePem(), LATER));
    }

    @Test
    void aClientOfAKubeconfigBeginsTogetherWithItsCa() {
        CertificateAuthority ca = Fixtures.ca("kubernetes");
        Instant start = NOW.plus(Duration.ofDays(100));

        assertEquals(
                new Validity(ca.notBefore(), start.plus(Duration.ofDays(365))),
                Validity.sinceCa(ca, start, Duration.ofDays(365)));
    }

    @Test
    void certificatesOfTheFarFutureHaveTheRightDate() {
        Validity century = Validity.startingAt(NOW, Duration.ofDays(36500));
        CertificateAuthority ca =
                CertificateAuthority.create("kubernetes", KeyAlgorithm.ECDSA_P256, century);

        assertEquals(century.notAfter(), ca.info().notAfter());
    }

    @Test
    void whatNamesNobodyIsRefused() {
        refused("common name", () -> Fixtures.ca(""));
        refused("common name", () -> LeafRequest.client(" ", List.of()));
        refused(
                "extended usage",
                () -> new LeafRequest("a", List.of(), List.of(), SubjectNames.none()));
        refused("cannot end", () -> Validity.startingAt(NOW, Duration.ofMinutes(-5)));
    }

    @Test
    void keysDoNotShowUpInLogs() {
        CertificateAuthority ca = Fixtures.ca("kubernetes");
        IssuedCertificate client = Fixtures.client(ca, "somebody");

        assertEquals("CertificateAuthority[CN=kubernetes, key hidden]", ca.toString());
        assertEquals("IssuedCertificate[key hidden]", client.toString());
    }

    @Test
    void manyThreadsMayIssueAtOnce() {
        CertificateAuthority ca = Fixtures.ca("kubernetes");

        IntStream.range(0, 32)
                .parallel()
                .mapToObj(number -> Fixtures.client(ca, "client-" + number))
                .forEach(client -> {
                    ca.verify(client.certificatePem(), LATER);
                    assertTrue(CertificateInfo.parse(client.certificatePem())
                            .matchesKey(client.keyPem()));
                });
    }

    private static String signatureBy(KeyAlgorithm signer, KeyAlgorithm leaf) throws Exception {
        CertificateAuthority ca = CertificateAuthority.create("kubernetes", signer, CA_YEARS);
        String pem =
                ca.issue(LeafRequest.client("c", List.of()), leaf, ONE_YEAR).certificatePem();
        assertNull(JdkChain.read(pem).getExtensionValue(ALTERNATIVE_NAMES));
        return JdkChain.read(pem).getSigAlgName();
    }

    private static Set<Integer> usageBits(X509Certificate certificate) {
        boolean[] usage = certificate.getKeyUsage();
        return Set.copyOf(IntStream.range(0, usage.length)
                .filter(bit -> usage[bit])
                .boxed()
                .toList());
    }

    /** The last twenty bytes of the extension: both extensions end with the identifier. */
    private static String keyIdentifier(X509Certificate certificate, String extension) {
        byte[] value = certificate.getExtensionValue(extension);
        return HexFormat.of().formatHex(value, value.length - 20, value.length);
    }

    private static void refused(String reason, Executable action) {
        String message = assertThrows(PkiException.class, action).getMessage();
        assertTrue(message.contains(reason), message);
    }

    @Test
    void aLeafAndAKeyThatCanBeBrokenSignNothing() throws Exception {
        CertificateAuthority ca =
                CertificateAuthority.create("kubernetes", KeyAlgorithm.ECDSA_P256, CA_YEARS);
        IssuedCertificate leaf = ca.issue(
                LeafRequest.client("somebody", List.of()), KeyAlgorithm.ECDSA_P256, ONE_YEAR);
        assertSignsNothing(
                "basic constraints",
                CertificateAuthority.load(leaf.certificatePem(), Optional.of(leaf.keyPem())));
        assertSignsNothing("512 bits", ofRsa(512));
        assertEquals(Optional.empty(), ca.unfitness());
        assertEquals(Optional.empty(), ca.weakRsaBits());
    }

    @Test
    void anOldKeyStillSignsAndIsKnownAsWeak() throws Exception {
        CertificateAuthority ca = ofRsa(1024);
        assertEquals(Optional.empty(), ca.unfitness());
        assertEquals(Optional.of(1024), ca.weakRsaBits());
        ca.issue(LeafRequest.client("somebody", List.of()), KeyAlgorithm.ECDSA_P256, ONE_YEAR);
        assertEquals(Optional.empty(), ofRsa(2048).weakRsaBits());
    }

    private static void assertSignsNothing(String why, CertificateAuthority ca) {
        LeafRequest request = LeafRequest.client("somebody", List.of());
        String key = PrivateKeyPem.encode(KeyAlgorithm.ECDSA_P256.generate());
        for (Executable signing : List.<Executable>of(
                () -> ca.issue(request, KeyAlgorithm.ECDSA_P256, ONE_YEAR),
                () -> ca.issueFor(key, request, ONE_YEAR))) {
            PkiException refused = assertThrows(PkiException.class, signing);
            assertTrue(refused.getMessage().contains(why), refused.getMessage());
        }
    }

    private static CertificateAuthority ofRsa(int bits) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(bits);
        KeyPair pair = generator.generateKeyPair();
        return CertificateAuthority.load(
                X509Text.pem(CertificateWriter.selfSigned("kubernetes", pair, CA_YEARS)),
                Optional.of(PrivateKeyPem.encode(pair)));
    }
}
