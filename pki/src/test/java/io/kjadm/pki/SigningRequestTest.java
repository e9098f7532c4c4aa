package io.kjadm.pki;

import static io.kjadm.pki.Fixtures.ip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequest;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

class SigningRequestTest {

    private static final KeyPairPool KEYS = KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256);

    private static JcaPKCS10CertificationRequest read(SigningRequest made) throws IOException {
        PemBlock block = PemBlock.parseAll(made.requestPem()).getFirst();
        assertEquals("CERTIFICATE REQUEST", block.label());
        return new JcaPKCS10CertificationRequest(block.content());
    }

    @Test
    void aLeafIsAskedForWithItsSubjectAndItsNames() throws Exception {
        SigningRequest made = SigningRequest.leaf(
                CertificateSet.named("apiserver")
                        .requestFor(
                                "cp-1",
                                new SubjectNames(
                                        List.of("cp-1", "cp.example.org"),
                                        List.of(ip("192.0.2.1")))),
                KEYS);
        JcaPKCS10CertificationRequest request = read(made);
        assertEquals("CN=kube-apiserver", request.getSubject().toString());
        GeneralNames names = GeneralNames.fromExtensions(
                request.getRequestedExtensions(), Extension.subjectAlternativeName);
        assertEquals(
                List.of("2: cp-1", "2: cp.example.org", "7: #c0000201"),
                Stream.of(names.getNames()).map(Object::toString).toList());
        assertTrue(request.isSignatureValid(
                new JcaContentVerifierProviderBuilder().build(request.getPublicKey())));
        assertEquals(request.getPublicKey(), PublicKeyPem.of(PrivateKeyPem.parse(made.keyPem())));
    }

    @Test
    void aClientIsAskedForWithoutNames() throws Exception {
        SigningRequest made = SigningRequest.leaf(
                LeafRequest.client("kubernetes-admin", List.of("admins")), KEYS);
        assertEquals("O=admins,CN=kubernetes-admin", read(made).getSubject().toString());
        assertNull(read(made).getRequestedExtensions());
    }

    @Test
    void theKeyIsNotShown() {
        assertEquals(
                "SigningRequest[withheld]",
                SigningRequest.leaf(LeafRequest.client("a", List.of()), KEYS).toString());
    }
}
