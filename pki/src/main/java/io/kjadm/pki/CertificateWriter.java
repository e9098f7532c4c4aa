package io.kjadm.pki;

import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.DERUTF8String;
import org.bouncycastle.asn1.x500.AttributeTypeAndValue;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.AuthorityKeyIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectKeyIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Builds X.509 v3 certificates with just the extensions that kubeadm's have (RFC 5280 §4.2). */
final class CertificateWriter {

    private static final SecureRandom RANDOM = new SecureRandom();
    /** 160 bits, RFC 7093 §2 method 1. */
    private static final int KEY_IDENTIFIER_BYTES = 20;

    private CertificateWriter() {}

    /** Who signs: the subject becomes the issuer, byte by byte. */
    record Issuer(X509Certificate certificate, PrivateKey key) {}

    static X509Certificate selfSigned(String commonName, KeyPair pair, Validity validity) {
        X500Name name = subject(commonName, List.of());
        SubjectPublicKeyInfo keyInfo =
                SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded());
        X509v3CertificateBuilder builder = builder(name, validity, name, keyInfo);
        try {
            builder.addExtension(
                    Extension.keyUsage,
                    true,
                    new KeyUsage(KeyUsage.digitalSignature
                            | KeyUsage.keyEncipherment
                            | KeyUsage.keyCertSign));
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    new SubjectKeyIdentifier(keyIdentifier(keyInfo)));
            addNames(builder, SubjectNames.ofCa(commonName));
            return signed(builder, pair.getPrivate());
        } catch (IOException e) {
            throw new PkiException("cannot build the CA certificate for " + commonName, e);
        }
    }

    static X509Certificate leaf(
            LeafRequest request, PublicKey publicKey, Issuer issuer, Validity validity) {
        X500Name issuerName = X500Name.getInstance(
                issuer.certificate().getSubjectX500Principal().getEncoded());
        X509v3CertificateBuilder builder = builder(
                issuerName,
                validity,
                subject(request.commonName(), request.organizations()),
                SubjectPublicKeyInfo.getInstance(publicKey.getEncoded()));
        try {
            builder.addExtension(
                    Extension.keyUsage,
                    true,
                    new KeyUsage(KeyUsage.digitalSignature | KeyUsage.keyEncipherment));
            builder.addExtension(Extension.extendedKeyUsage, false, purposes(request));
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            Optional<byte[]> authority = subjectKeyIdentifier(issuer.certificate());
            if (authority.isPresent()) {
                builder.addExtension(
                        Extension.authorityKeyIdentifier,
                        false,
                        new AuthorityKeyIdentifier(authority.get()));
            }
            addNames(builder, request.names());
            return signed(builder, issuer.key());
        } catch (IOException e) {
            throw new PkiException("cannot build the certificate for " + request.commonName(), e);
        }
    }

    private static X509v3CertificateBuilder builder(
            X500Name issuer, Validity validity, X500Name subject, SubjectPublicKeyInfo key) {
        return new X509v3CertificateBuilder(
                issuer,
                serial(),
                Date.from(validity.notBefore()),
                Date.from(validity.notAfter()),
                subject,
                key);
    }

    private static X509Certificate signed(X509v3CertificateBuilder builder, PrivateKey key)
            throws IOException {
        return X509Text.certificate(builder.build(KeySigner.of(key)).getEncoded());
    }

    private static ExtendedKeyUsage purposes(LeafRequest request) {
        return new ExtendedKeyUsage(
                request.usages().stream().map(ExtendedUsage::purpose).toArray(KeyPurposeId[]::new));
    }

    /** Positive, and one less than the largest long at most. */
    private static BigInteger serial() {
        return BigInteger.valueOf(1 + RANDOM.nextLong(Long.MAX_VALUE - 1));
    }

    /**
     * A subject with all organizations in front of the common name. RFC 5280 has an upper bound of
     * 64 letters for either, which neither kubeadm nor the API server minds: {@code system:node:}
     * and the name of a node may be longer. So the style of names, which would refuse it, encodes
     * nothing here.
     */
    static X500Name subject(String commonName, List<String> organizations) {
        X500NameBuilder name = new X500NameBuilder(BCStyle.INSTANCE);
        if (!organizations.isEmpty()) {
            // all organizations in one set, as other writers of Kubernetes certificates have it
            name.addMultiValuedRDN(organizations.stream()
                    .map(organization ->
                            new AttributeTypeAndValue(BCStyle.O, new DERUTF8String(organization)))
                    .toArray(AttributeTypeAndValue[]::new));
        }
        return name.addRDN(BCStyle.CN, new DERUTF8String(commonName)).build();
    }

    private static void addNames(X509v3CertificateBuilder builder, SubjectNames names)
            throws IOException {
        if (!names.isEmpty()) {
            builder.addExtension(Extension.subjectAlternativeName, false, generalNames(names));
        }
    }

    /** Names as the extension has them, DNS names first. */
    static GeneralNames generalNames(SubjectNames names) {
        Stream<GeneralName> dns =
                names.dnsNames().stream().map(name -> new GeneralName(GeneralName.dNSName, name));
        Stream<GeneralName> addresses = names.addresses().stream().map(CertificateWriter::address);
        return new GeneralNames(Stream.concat(dns, addresses).toArray(GeneralName[]::new));
    }

    private static GeneralName address(InetAddress address) {
        return new GeneralName(GeneralName.iPAddress, new DEROctetString(address.getAddress()));
    }

    private static byte[] keyIdentifier(SubjectPublicKeyInfo key) {
        return Arrays.copyOf(sha256(key.getPublicKeyData().getBytes()), KEY_IDENTIFIER_BYTES);
    }

    private static Optional<byte[]> subjectKeyIdentifier(X509Certificate certificate) {
        String oid = Extension.subjectKeyIdentifier.getId();
        return Optional.ofNullable(certificate.getExtensionValue(oid))
                .map(wrapped -> ASN1OctetString.getInstance(wrapped).getOctets())
                .map(value -> SubjectKeyIdentifier.getInstance(value).getKeyIdentifier());
    }

    static byte[] sha256(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
