package io.kjadm.pki;

import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.asn1.x509.ExtensionsGenerator;
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
        return of(
                CertificateWriter.subject(commonName, organizations),
                SubjectNames.none(),
                algorithm.generate());
    }

    /**
     * A request for the certificate that a CA here would be asked for, with a new key. It names the
     * subject and the alternative names; usages are for the signer to say.
     */
    public static SigningRequest leaf(LeafRequest wanted, KeyPairPool keys) {
        return of(
                CertificateWriter.subject(wanted.commonName(), wanted.organizations()),
                wanted.names(),
                keys.take());
    }

    private static SigningRequest of(X500Name subject, SubjectNames names, KeyPair pair) {
        try {
            var builder = new PKCS10CertificationRequestBuilder(
                    subject, SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded()));
            if (!names.isEmpty()) {
                builder.addAttribute(
                        PKCSObjectIdentifiers.pkcs_9_at_extensionRequest, extension(names));
            }
            byte[] request = builder.build(KeySigner.of(pair.getPrivate())).getEncoded();
            return new SigningRequest(
                    new PemBlock("CERTIFICATE REQUEST", request).toPem(),
                    PrivateKeyPem.encode(pair));
        } catch (IOException e) {
            throw new PkiException("cannot encode a signing request for " + subject, e);
        }
    }

    private static Extensions extension(SubjectNames names) throws IOException {
        ExtensionsGenerator extensions = new ExtensionsGenerator();
        extensions.addExtension(
                Extension.subjectAlternativeName, false, CertificateWriter.generalNames(names));
        return extensions.generate();
    }

    @Override
    public String toString() {
        return "SigningRequest[withheld]";
    }
}
