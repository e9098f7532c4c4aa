package io.kjadm.core.host;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Certificates and keys in PEM as the JDK's TLS wants them. */
public final class PemTls {

    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----");
    /** The families of keys, and how each signs. */
    private static final Map<String, String> SIGNATURES = new LinkedHashMap<>();

    private static final byte[] PROBE = {1};
    private static final char[] NO_PASSWORD = new char[0];

    static {
        SIGNATURES.put("RSA", "SHA256withRSA");
        SIGNATURES.put("EC", "SHA256withECDSA");
        SIGNATURES.put("Ed25519", "Ed25519");
    }

    private PemTls() {}

    /**
     * Trusts what leads to one of these CAs, by the JDK's rules.
     *
     * @throws CertificateException if the text holds no certificate, or an unreadable one
     */
    public static X509ExtendedTrustManager trust(String caPem)
            throws GeneralSecurityException, IOException {
        return trust(certificates(caPem, true));
    }

    /** The same, but certificates that cannot be read are passed over. */
    public static X509ExtendedTrustManager trustReadable(String caPem)
            throws GeneralSecurityException, IOException {
        return trust(certificates(caPem, false));
    }

    private static X509ExtendedTrustManager trust(Collection<Certificate> anchors)
            throws GeneralSecurityException, IOException {
        KeyStore store = emptyStore();
        int number = 0;
        for (Certificate ca : anchors) {
            store.setCertificateEntry("ca" + number++, ca);
        }
        TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return Arrays.stream(factory.getTrustManagers())
                .filter(X509ExtendedTrustManager.class::isInstance)
                .map(X509ExtendedTrustManager.class::cast)
                .findFirst()
                .orElseThrow();
    }

    /**
     * Shows this certificate to who asks for one.
     *
     * @param certificatePem with intermediates, if any; empty for none
     * @param keyPem in PKCS#8, the one form that the JDK reads
     */
    public static KeyManager[] keys(String certificatePem, String keyPem)
            throws GeneralSecurityException, IOException {
        if (certificatePem.isEmpty()) {
            return new KeyManager[0];
        }
        PrivateKey key = privateKey(keyPem);
        Collection<Certificate> chain = certificates(certificatePem, true);
        if (!belongTogether(key, chain.iterator().next().getPublicKey())) {
            throw new KeyException("the private key is not that of the certificate");
        }
        KeyStore store = emptyStore();
        store.setKeyEntry("own", key, NO_PASSWORD, chain.toArray(Certificate[]::new));
        KeyManagerFactory factory =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    /** In memory only: the modern kind would take its time to encrypt what is decrypted at once. */
    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, NO_PASSWORD);
        return store;
    }

    /** The certificates of the text, each once; it may hold a key besides. */
    private static Collection<Certificate> certificates(String pem, boolean all)
            throws CertificateException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        Map<String, Certificate> found = new LinkedHashMap<>();
        for (Matcher block = CERTIFICATE.matcher(pem); block.find(); ) {
            try {
                if (!found.containsKey(block.group())) {
                    found.put(
                            block.group(),
                            factory.generateCertificate(new ByteArrayInputStream(
                                    block.group().getBytes(StandardCharsets.US_ASCII))));
                }
            } catch (CertificateException e) {
                if (all) {
                    throw e;
                }
            }
        }
        if (found.isEmpty()) {
            throw new CertificateException("there is no certificate in the PEM text");
        }
        return found.values();
    }

    private static PrivateKey privateKey(String pem) throws GeneralSecurityException {
        String base64 =
                pem.lines().filter(line -> !line.startsWith("-----")).reduce("", String::concat);
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64));
        for (String family : SIGNATURES.keySet()) {
            try {
                return KeyFactory.getInstance(family).generatePrivate(spec);
            } catch (InvalidKeySpecException e) {
                // of another family
            }
        }
        throw new InvalidKeySpecException("the private key is neither RSA nor ECDSA nor Ed25519");
    }

    private static boolean belongTogether(PrivateKey key, PublicKey other)
            throws GeneralSecurityException {
        String algorithm = SIGNATURES.getOrDefault(key.getAlgorithm(), "Ed25519");
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(PROBE);
            byte[] signed = signature.sign();
            signature.initVerify(other);
            signature.update(PROBE);
            return signature.verify(signed);
        } catch (InvalidKeyException | SignatureException e) {
            return false;
        }
    }
}
