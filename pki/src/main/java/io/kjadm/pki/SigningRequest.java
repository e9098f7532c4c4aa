package io.kjadm.pki;

import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.pkcs.PKCS10CertificationRequestBuilder;

import java.io.IOException;
import java.security.KeyPair;
import java.util.List;

/**
 * A request for a certificate that somebody else signs (PKCS#10, RFC 2986), with the key it is for.
 *
 * @param requestPem {@code CERTIFICATE REQUEST}
 * @param keyPem     the private key
 */
public record SigningRequest(String requestPem, String keyPem) {

    /** A request for a client certificate with a new key. */
    public static SigningRequest client(
            String commonName, List<String> organizations, KeyAlgorithm algorithm) {
        KeyPair pair = algorithm.generate();
        X500NameBuilder subject = new X500NameBuilder(BCStyle.INSTANCE);
        organizations.forEach(organization -> subject.addRDN(BCStyle.O, organization));
        subject.addRDN(BCStyle.CN, commonName);
        try {
            byte[] request = new PKCS10CertificationRequestBuilder(
                            subject.build(),
                            SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded()))
                    .build(KeySigner.of(pair.getPrivate()))
                    .getEncoded();
            return new SigningRequest(
                    new PemBlock("CERTIFICATE REQUEST", request).toPem(),
                    PrivateKeyPem.encode(pair));
        } catch (IOException e) {
            throw new PkiException("cannot encode a signing request for " + commonName, e);
        }
    }

    @Override
    public String toString() {
        return "SigningRequest[withheld]";
    }
}
