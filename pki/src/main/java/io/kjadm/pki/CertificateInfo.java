package io.kjadm.pki;

import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.ASN1String;
import org.bouncycastle.asn1.x500.AttributeTypeAndValue;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.AuthorityKeyIdentifier;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.SubjectKeyIdentifier;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

import javax.security.auth.x500.X500Principal;

/** What stands in one certificate. Equal when the certificates are equal byte by byte. */
public final class CertificateInfo {

    private final X509Certificate certificate;

    private CertificateInfo(X509Certificate certificate) {
        this.certificate = certificate;
    }

    static CertificateInfo of(X509Certificate certificate) {
        return new CertificateInfo(certificate);
    }

    /**
     * The first certificate of the text, which is the one that a file with a chain is about.
     *
     * @throws PkiException if there is no readable certificate
     */
    public static CertificateInfo parse(String pem) {
        return parseAll(pem).getFirst();
    }

    /**
     * All certificates of the text, at least one.
     *
     * @throws PkiException if there is none, or if one is unreadable
     */
    public static List<CertificateInfo> parseAll(String bundlePem) {
        return X509Text.certificates(bundlePem).stream()
                .map(CertificateInfo::new)
                .toList();
    }

    /**
     * The one certificate in these bytes.
     *
     * @param der as TLS shows it
     * @throws PkiException if it is unreadable
     */
    public static CertificateInfo ofDer(byte[] der) {
        return new CertificateInfo(X509Text.certificate(der));
    }

    /** This one certificate as PEM. */
    public String pem() {
        return X509Text.pem(certificate);
    }

    /** The common name of the subject; empty text if there is none. */
    public String commonName() {
        return attributes(certificate.getSubjectX500Principal(), BCStyle.CN).stream()
                .findFirst()
                .orElse("");
    }

    public List<String> organizations() {
        return attributes(certificate.getSubjectX500Principal(), BCStyle.O);
    }

    /** The whole name of the issuer as RFC 2253 writes it, for example {@code CN=kubernetes}. */
    public String issuer() {
        return certificate.getIssuerX500Principal().getName();
    }

    /** The serial number, by which its issuer tells it from all others it has signed. */
    public BigInteger serialNumber() {
        return certificate.getSerialNumber();
    }

    /** The DNS names and addresses among the subject alternative names. */
    public SubjectNames names() {
        List<String> dnsNames = new ArrayList<>();
        List<InetAddress> addresses = new ArrayList<>();
        for (List<?> name : alternativeNames()) {
            switch ((Integer) name.get(0)) {
                case GeneralName.dNSName -> dnsNames.add((String) name.get(1));
                case GeneralName.iPAddress ->
                    addresses.add(InetAddress.ofLiteral((String) name.get(1)));
                default -> {}
            }
        }
        return new SubjectNames(dnsNames, addresses);
    }

    /** The extended usages, those we have no name for left out. */
    public List<ExtendedUsage> usages() {
        return purposes().orElse(List.of()).stream()
                .map(ExtendedUsage::ofOid)
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * Whether it may be used so: a certificate that names no extended usage at all, or "any", is
     * good for every one (RFC 5280 §4.2.1.12).
     */
    public boolean allows(ExtendedUsage usage) {
        return purposes().isEmpty()
                || usages().contains(ExtendedUsage.ANY)
                || usages().contains(usage);
    }

    private Optional<List<String>> purposes() {
        try {
            return Optional.ofNullable(certificate.getExtendedKeyUsage());
        } catch (CertificateParsingException e) {
            throw new PkiException(
                    "the usages of the certificate of %s are unreadable".formatted(subject()), e);
        }
    }

    public Instant notBefore() {
        return certificate.getNotBefore().toInstant();
    }

    public Instant notAfter() {
        return certificate.getNotAfter().toInstant();
    }

    public boolean isValidAt(Instant now) {
        return !now.isBefore(notBefore()) && !now.isAfter(notAfter());
    }

    /**
     * What is wrong with its dates at a moment, as the end of a sentence about it: it has not begun,
     * or it has ended. Both times are in it, for either the certificate or the clock may be wrong.
     */
    public Optional<String> outOfDate(Instant now) {
        if (isValidAt(now)) {
            return Optional.empty();
        }
        String said = now.isBefore(notBefore())
                ? "is not valid before " + notBefore()
                : "expired at " + notAfter();
        return Optional.of("%s (this machine's clock shows %s)"
                .formatted(said, now.truncatedTo(ChronoUnit.SECONDS)));
    }

    public boolean isCa() {
        return certificate.getBasicConstraints() >= 0;
    }

    /** The pin by which a joining node recognizes this CA. */
    public PublicKeyPin pin() {
        return PublicKeyPin.ofSubjectPublicKeyInfo(certificate.getPublicKey().getEncoded());
    }

    /** SHA-256 of the whole certificate, as openssl writes it: {@code AB:CD:…}. */
    public String fingerprint() {
        return hex(CertificateWriter.sha256(X509Text.der(certificate)));
    }

    /** The identifier of its key ({@code AB:CD:…}), if it has one (RFC 5280 §4.2.1.2). */
    public Optional<String> keyId() {
        return extension(Extension.subjectKeyIdentifier)
                .map(value -> hex(SubjectKeyIdentifier.getInstance(value).getKeyIdentifier()));
    }

    /** The identifier of the key that signed it, if it has one (RFC 5280 §4.2.1.1). */
    public Optional<String> issuerKeyId() {
        return extension(Extension.authorityKeyIdentifier)
                .flatMap(value -> Optional.ofNullable(
                        AuthorityKeyIdentifier.getInstance(value).getKeyIdentifierOctets()))
                .map(CertificateInfo::hex);
    }

    private Optional<ASN1Primitive> extension(ASN1ObjectIdentifier type) {
        return Optional.ofNullable(certificate.getExtensionValue(type.getId())).map(wrapped -> {
            try {
                return ASN1Primitive.fromByteArray(
                        ASN1OctetString.getInstance(wrapped).getOctets());
            } catch (IOException e) {
                throw new PkiException(
                        "an extension of the certificate of %s is unreadable".formatted(subject()),
                        e);
            }
        });
    }

    private static String hex(byte[] bytes) {
        return HexFormat.ofDelimiter(":").withUpperCase().formatHex(bytes);
    }

    /**
     * Whether a client that calls by any of these names would accept this certificate.
     *
     * @see #missing
     */
    public boolean covers(SubjectNames wanted) {
        return missing(wanted).isEmpty();
    }

    /**
     * Those of the wanted names that this certificate is not good for, a wildcard standing for one
     * label.
     */
    public SubjectNames missing(SubjectNames wanted) {
        SubjectNames present = names();
        return new SubjectNames(
                wanted.dnsNames().stream()
                        .filter(name -> !present.coversDns(name))
                        .toList(),
                wanted.addresses().stream()
                        .filter(address -> !present.addresses().contains(address))
                        .toList());
    }

    /**
     * Whether this private key belongs to the certificate.
     *
     * @throws PkiException if the text holds no usable private key
     */
    public boolean matchesKey(String keyPem) {
        return PublicKeyPem.of(PrivateKeyPem.parse(keyPem)).equals(certificate.getPublicKey());
    }

    private Collection<List<?>> alternativeNames() {
        try {
            return Optional.ofNullable(certificate.getSubjectAlternativeNames()).orElse(List.of());
        } catch (CertificateParsingException e) {
            throw new PkiException(
                    "the names in the certificate of %s are unreadable".formatted(subject()), e);
        }
    }

    private static List<String> attributes(X500Principal name, ASN1ObjectIdentifier type) {
        return Arrays.stream(X500Name.getInstance(name.getEncoded()).getRDNs(type))
                .flatMap(rdn -> Arrays.stream(rdn.getTypesAndValues()))
                .filter(attribute -> attribute.getType().equals(type))
                .map(AttributeTypeAndValue::getValue)
                .map(value ->
                        value instanceof ASN1String text ? text.getString() : value.toString())
                .toList();
    }

    private String subject() {
        return X509Text.subject(certificate);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CertificateInfo info && certificate.equals(info.certificate);
    }

    @Override
    public int hashCode() {
        return certificate.hashCode();
    }

    @Override
    public String toString() {
        return "CertificateInfo[%s, issuer %s, until %s]"
                .formatted(subject(), issuer(), notAfter());
    }
}
