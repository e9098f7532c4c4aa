package io.kjadm.e2e.sandbox;

import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** TLS from PEM text. */
final class Tls {
    private static final char[] NO_PASSWORD = {};
    private static final Pattern CERTIFICATE =
            Pattern.compile("(?s)-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----");

    private Tls() {}

    /** A context that shows {@code certificate} and trusts whoever {@code authorities} signed. */
    static SSLContext context(String certificatePem, String keyPem, String authoritiesPem) {
        return context(certificates(certificatePem), key(keyPem), certificates(authoritiesPem));
    }

    /** A context that shows nothing and trusts whoever {@code authorities} signed. */
    static SSLContext trusting(String authoritiesPem) {
        return context(null, null, certificates(authoritiesPem));
    }

    /** A context for a server with a certificate made on the spot, which asks nobody for one. */
    static SSLContext selfSigned(String commonName) {
        try {
            var pair = newKey();
            var subject = new X500Name("CN=" + commonName);
            var now = Instant.now();
            var certificate = new JcaX509CertificateConverter()
                    .getCertificate(new JcaX509v3CertificateBuilder(
                                    subject,
                                    BigInteger.ONE,
                                    Date.from(now.minusSeconds(60)),
                                    Date.from(now.plus(Duration.ofDays(1))),
                                    subject,
                                    pair.getPublic())
                            .build(new JcaContentSignerBuilder("SHA256withECDSA")
                                    .build(pair.getPrivate())));
            return context(List.of(certificate), pair.getPrivate(), List.of(certificate));
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException("no certificate for " + commonName, e);
        }
    }

    static KeyPair newKey() throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        return generator.generateKeyPair();
    }

    /** All certificates of a text, which may hold other things too. */
    static Collection<X509Certificate> certificates(String pem) {
        var blocks = CERTIFICATE
                .matcher(pem)
                .results()
                .map(MatchResult::group)
                .collect(Collectors.joining("\n"));
        try {
            return CertificateFactory.getInstance("X.509")
                    .generateCertificates(
                            new ByteArrayInputStream(blocks.getBytes(StandardCharsets.US_ASCII)))
                    .stream()
                    .map(X509Certificate.class::cast)
                    .toList();
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("no certificates", e);
        }
    }

    static PrivateKey key(String pem) {
        try (var parser = new PEMParser(new StringReader(pem))) {
            var converter = new JcaPEMKeyConverter();
            for (var found = parser.readObject(); found != null; found = parser.readObject()) {
                if (found instanceof PEMKeyPair pair) {
                    return converter.getPrivateKey(pair.getPrivateKeyInfo());
                }
                if (found instanceof PrivateKeyInfo info) {
                    return converter.getPrivateKey(info);
                }
            }
            throw new IllegalArgumentException("no private key");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String read(String path) {
        try {
            return Files.readString(Path.of(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SSLContext context(
            Collection<X509Certificate> chain,
            PrivateKey key,
            Collection<X509Certificate> authorities) {
        try {
            var own = KeyStore.getInstance("JKS");
            own.load(null, null);
            if (key != null) {
                own.setKeyEntry("own", key, NO_PASSWORD, chain.toArray(Certificate[]::new));
            }
            var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, NO_PASSWORD);

            var trusted = KeyStore.getInstance("JKS");
            trusted.load(null, null);
            int i = 0;
            for (var authority : authorities) {
                trusted.setCertificateEntry("ca" + i++, authority);
            }
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);

            var context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("no TLS context", e);
        }
    }
}
