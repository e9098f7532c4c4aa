package io.kjadm.etcd;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What proves us to etcd, as the JDK has it. Netty reads PEM, too, but sets up Bouncy Castle's
 * provider with all its algorithms for that, if it is to be found.
 *
 * @param chain our certificate first
 */
record ClientIdentity(PrivateKey key, List<X509Certificate> chain) {

    private static final Pattern PKCS8 = Pattern.compile(
            "-----BEGIN PRIVATE KEY-----\\s+([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    /** A PKCS#8 text names its own, in a form that the JDK asks for beforehand. */
    private static final List<String> KINDS = List.of("RSA", "EC", "EdDSA");

    ClientIdentity {
        chain = List.copyOf(chain);
    }

    /**
     * Reads it.
     *
     * @throws GeneralSecurityException if there is no certificate, or no key in PKCS#8 PEM; it tells
     *         nothing of the key
     */
    static ClientIdentity of(String certPem, String keyPem) throws GeneralSecurityException {
        List<X509Certificate> chain = CertificateFactory.getInstance("X.509")
                .generateCertificates(
                        new ByteArrayInputStream(certPem.getBytes(StandardCharsets.US_ASCII)))
                .stream()
                .map(X509Certificate.class::cast)
                .toList();
        if (chain.isEmpty()) {
            throw new CertificateException("there is no certificate");
        }
        return new ClientIdentity(key(keyPem), chain);
    }

    static PrivateKey key(String pem) throws GeneralSecurityException {
        Matcher block = PKCS8.matcher(pem);
        if (!block.find()) {
            throw new InvalidKeySpecException("there is no key in PKCS#8 form (BEGIN PRIVATE KEY)");
        }
        byte[] bytes;
        try {
            bytes = Base64.getMimeDecoder().decode(block.group(1));
        } catch (IllegalArgumentException e) {
            throw new InvalidKeySpecException("the key is not Base64");
        }
        for (String kind : KINDS) {
            try {
                return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(bytes));
            } catch (InvalidKeySpecException e) {
                // it may be of the next kind
            }
        }
        throw new InvalidKeySpecException("the key is none of " + KINDS);
    }

    @Override
    public String toString() {
        return "ClientIdentity[" + chain.getFirst().getSubjectX500Principal() + "]";
    }
}
