package io.kjadm.e2e.trust;

import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;

/** Signs certificates, with keys of the curve P-256. */
public final class CertificateAuthority {
    private final X509CertificateHolder certificate;
    private final PrivateKey key;

    private CertificateAuthority(X509CertificateHolder certificate, PrivateKey key) {
        this.certificate = certificate;
        this.key = key;
    }

    /**
     * A certificate and its key.
     *
     * @param key whose encoding is PKCS#8
     */
    public record Signed(X509Certificate certificate, PrivateKey key) {
        public String certificatePem() {
            try {
                return pem("CERTIFICATE", certificate.getEncoded());
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }

        /** As {@code BEGIN PRIVATE KEY}. */
        public String keyPem() {
            return pem("PRIVATE KEY", key.getEncoded());
        }

        @Override
        public String toString() {
            return "Signed[" + certificate.getSubjectX500Principal() + "]";
        }
    }

    /** One that nobody knows yet. */
    public static CertificateAuthority made(String commonName) {
        try {
            var pair = newKey();
            var name = new X500Name("CN=" + commonName);
            var builder = builder(name, name, pair);
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            return new CertificateAuthority(sign(builder, pair.getPrivate()), pair.getPrivate());
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new IllegalStateException("no CA " + commonName, e);
        }
    }

    /** One that is there already, such as a cluster's. */
    public static CertificateAuthority of(String certificatePem, String keyPem) {
        try (var certificates = new PEMParser(new StringReader(certificatePem));
                var keys = new PEMParser(new StringReader(keyPem))) {
            var key = switch (keys.readObject()) {
                case PEMKeyPair pair -> pair.getPrivateKeyInfo();
                case PrivateKeyInfo info -> info;
                default -> throw new IllegalArgumentException("no private key");
            };
            return new CertificateAuthority(
                    (X509CertificateHolder) certificates.readObject(),
                    new JcaPEMKeyConverter().getPrivateKey(key));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Its own certificate. */
    public String certificatePem() {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A certificate for a server that is reached by these DNS names. */
    public Signed server(List<String> names) {
        var alternatives = names.stream()
                .map(name -> new GeneralName(GeneralName.dNSName, name))
                .toArray(GeneralName[]::new);
        return signed(
                "CN=" + names.getFirst(),
                KeyPurposeId.id_kp_serverAuth,
                new GeneralNames(alternatives));
    }

    /** A certificate for a client. */
    public Signed client(String group, String user) {
        return signed("O=%s,CN=%s".formatted(group, user), KeyPurposeId.id_kp_clientAuth, null);
    }

    private Signed signed(String subject, KeyPurposeId use, GeneralNames names) {
        try {
            var pair = newKey();
            var builder = builder(certificate.getSubject(), new X500Name(subject), pair);
            builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(use));
            if (names != null) {
                builder.addExtension(Extension.subjectAlternativeName, false, names);
            }
            return new Signed(
                    new JcaX509CertificateConverter().getCertificate(sign(builder, key)),
                    pair.getPrivate());
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new IllegalStateException("no certificate for " + subject, e);
        }
    }

    private static X509v3CertificateBuilder builder(
            X500Name issuer, X500Name subject, KeyPair pair) {
        var now = Instant.now();
        return new JcaX509v3CertificateBuilder(
                issuer,
                BigInteger.valueOf(System.nanoTime()),
                Date.from(now.minus(Duration.ofMinutes(5))),
                Date.from(now.plus(Duration.ofDays(1))),
                subject,
                pair.getPublic());
    }

    private static X509CertificateHolder sign(X509v3CertificateBuilder builder, PrivateKey key)
            throws OperatorCreationException {
        var algorithm = key.getAlgorithm().equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA";
        return builder.build(new JcaContentSignerBuilder(algorithm).build(key));
    }

    private static KeyPair newKey() throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        return generator.generateKeyPair();
    }

    private static String pem(String type, byte[] der) {
        var text = new StringWriter();
        try (var writer = new PemWriter(text)) {
            writer.writeObject(new PemObject(type, der));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }
}
