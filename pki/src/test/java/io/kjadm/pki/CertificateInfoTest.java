package io.kjadm.pki;

import static io.kjadm.pki.Fixtures.ip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.math.BigInteger;
import java.security.KeyPairGenerator;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

class CertificateInfoTest {

    /** By openssl: the SHA-256 digest of the DER public key. */
    private static final String OUTSIDE_CA_PIN =
            "sha256:e1892deeb07ee5197f602615fc09a70c6dabfb25fe8c985106ba3011f7ef131a";

    private final CertificateInfo outside =
            CertificateInfo.parse(Fixtures.text("outside-chain.pem"));

    @Test
    void aCertificateFromOutsideIsRead() {
        assertEquals("outside-leaf", outside.commonName());
        assertEquals(List.of("a, inc", "b"), outside.organizations());
        assertEquals("CN=outside-intermediate", outside.issuer());
        assertEquals(
                List.of(ExtendedUsage.SERVER_AUTH), outside.usages(), "unknown usage left out");
        assertEquals(
                new SubjectNames(
                        List.of("*.example.test"), List.of(ip("192.0.2.1"), ip("2001:db8::1"))),
                outside.names());
        assertEquals(Instant.parse("2126-10-27T22:21:57Z"), outside.notAfter());
        assertFalse(outside.isCa());
        assertFalse(outside.isValidAt(outside.notBefore().minusSeconds(1)));
        assertTrue(outside.isValidAt(outside.notBefore()));
    }

    @Test
    void datesThatAreWrongAreNamedBesideTheClocks() {
        CertificateInfo info = outside;
        Instant before = info.notBefore().minusSeconds(1);
        Instant after = info.notAfter().plusMillis(1500);
        assertEquals(Optional.empty(), info.outOfDate(info.notBefore()));
        assertEquals(Optional.empty(), info.outOfDate(info.notAfter()));
        assertEquals(
                Optional.of("is not valid before %s (this machine's clock shows %s)"
                        .formatted(info.notBefore(), before)),
                info.outOfDate(before));
        assertEquals(
                Optional.of("expired at %s (this machine's clock shows %s)"
                        .formatted(info.notAfter(), info.notAfter().plusSeconds(1))),
                info.outOfDate(after));
    }

    @Test
    void whatACertificateMayBeUsedForIsNotWiderThanItSays() throws Exception {
        assertTrue(outside.allows(ExtendedUsage.SERVER_AUTH));
        assertFalse(outside.allows(ExtendedUsage.CLIENT_AUTH));
        // RFC 4945's, for IKE: we have no name for it, and it is not none
        CertificateInfo ike =
                with(KeyPurposeId.getInstance(new ASN1ObjectIdentifier("1.3.6.1.5.5.7.3.17")));
        assertEquals(List.of(), ike.usages());
        assertFalse(ike.allows(ExtendedUsage.SERVER_AUTH));
        assertTrue(with(KeyPurposeId.anyExtendedKeyUsage).allows(ExtendedUsage.CLIENT_AUTH));
        assertTrue(with().allows(ExtendedUsage.CLIENT_AUTH));
    }

    private static CertificateInfo with(KeyPurposeId... usages) throws Exception {
        var keys = KeyPairGenerator.getInstance("EC").generateKeyPair();
        var name = new X500Name("CN=used");
        var builder = new X509v3CertificateBuilder(
                name,
                BigInteger.ONE,
                Date.from(Fixtures.NOW),
                Date.from(Fixtures.LATER),
                name,
                SubjectPublicKeyInfo.getInstance(keys.getPublic().getEncoded()));
        if (usages.length > 0) {
            builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(usages));
        }
        byte[] der = builder.build(KeySigner.of(keys.getPrivate())).getEncoded();
        return CertificateInfo.parse("-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
                .formatted(Base64.getMimeEncoder().encodeToString(der)));
    }

    /** The same as openssl tells. */
    @Test
    void fingerprintAndKeyIdentifiersAreThoseOfOpenssl() {
        assertEquals(
                "96:C8:54:CD:C9:2E:2B:33:81:DC:65:2D:CB:7B:3C:D8:8C:E8:C6:60:60:37:69:68:66:BB:6F:C7:9E:C1:69:87",
                outside.fingerprint());
        assertEquals(
                "3D:B9:4D:E9:4E:4B:5C:FC:AF:24:92:30:52:C6:6D:04:2C:F8:50:2A",
                outside.keyId().orElseThrow());
        assertEquals(
                "F9:C3:C6:09:25:96:C2:59:81:76:72:1F:95:66:A1:2F:49:6E:36:98",
                outside.issuerKeyId().orElseThrow());
    }

    @Test
    void aBundleHoldsAllItsCertificates() {
        List<CertificateInfo> bundle = CertificateInfo.parseAll(Fixtures.text("outside-chain.pem"));

        assertEquals(
                List.of("outside-leaf", "outside-intermediate"),
                bundle.stream().map(CertificateInfo::commonName).toList());
        assertTrue(bundle.getLast().isCa());
        assertEquals(outside, bundle.getFirst());
        assertEquals(outside, CertificateInfo.parse(outside.pem()));
    }

    @Test
    void theKeyOfTheCertificateIsRecognizedInAnyForm() {
        assertTrue(outside.matchesKey(Fixtures.text("p256.sec1.pem")));
        assertTrue(outside.matchesKey(Fixtures.text("p256.pkcs8.pem")));
        assertFalse(outside.matchesKey(Fixtures.text("rsa.pkcs1.pem")));
        assertThrows(PkiException.class, () -> outside.matchesKey("nothing"));
    }

    @Test
    void namesAreCoveredAsAClientWouldJudge() {
        assertTrue(outside.covers(SubjectNames.none()));
        assertTrue(outside.covers(
                new SubjectNames(List.of("api.example.test"), List.of(ip("2001:db8:0::1")))));
        assertEquals(
                new SubjectNames(List.of("a.b.example.test"), List.of(ip("192.0.2.2"))),
                outside.missing(new SubjectNames(
                        List.of("api.example.test", "a.b.example.test"),
                        List.of(ip("192.0.2.2")))));
    }

    @Test
    void textWithoutCertificateIsRefused() {
        assertThrows(PkiException.class, () -> CertificateInfo.parse(""));
        assertThrows(
                PkiException.class, () -> CertificateInfo.parse(Fixtures.text("rsa.pkcs1.pem")));
        assertThrows(
                PkiException.class,
                () -> CertificateInfo.parse(
                        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"));
    }

    @Test
    void thePinIsTheDigestOfThePublicKey() {
        CertificateInfo ca = CertificateInfo.parse(Fixtures.text("outside-ca.pem"));

        assertEquals(OUTSIDE_CA_PIN, ca.pin().format());
        assertEquals(PublicKeyPin.parse(OUTSIDE_CA_PIN), ca.pin());
        assertEquals(PublicKeyPin.parse(OUTSIDE_CA_PIN.toUpperCase(Locale.ROOT)), ca.pin());
        assertNotEquals(PublicKeyPin.parse(OUTSIDE_CA_PIN), outside.pin());
    }

    @Test
    void onePinnedCertificateInABundleIsEnough() {
        PublicKeyPin pin = PublicKeyPin.parse(OUTSIDE_CA_PIN);
        String bundle = Fixtures.text("outside-chain.pem") + Fixtures.text("outside-ca.pem");

        assertTrue(PublicKeyPin.anyMatches(
                List.of(Fixtures.ca("x").info().pin(), pin), CertificateInfo.parseAll(bundle)));
        assertFalse(PublicKeyPin.anyMatches(List.of(pin), List.of(outside)));
        assertFalse(PublicKeyPin.anyMatches(List.of(), CertificateInfo.parseAll(bundle)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "sha256:",
                "sha256:abcd",
                "sha512:00",
                "e1892deeb07ee5197f602615fc09a70c6dabfb25fe8c985106ba3011f7ef131a",
                "sha256:g1892deeb07ee5197f602615fc09a70c6dabfb25fe8c985106ba3011f7ef131a",
                " sha256:e1892deeb07ee5197f602615fc09a70c6dabfb25fe8c985106ba3011f7ef131a"
            })
    void malformedPinsAreRefused(String text) {
        String digits = text.startsWith("sha256:") ? text.substring("sha256:".length()) : text;
        assertEquals(
                text.startsWith("sha256:")
                        ? "a public key pin needs 64 hexadecimal digits, not \"%s\""
                                .formatted(digits)
                        : "the public key pin \"%s\" does not start with sha256:".formatted(text),
                assertThrows(PkiException.class, () -> PublicKeyPin.parse(text)).getMessage());
    }
}
