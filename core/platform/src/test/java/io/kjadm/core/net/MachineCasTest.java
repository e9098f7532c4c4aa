package io.kjadm.core.net;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.etcd.Named;
import io.kjadm.pki.CertificateAuthority;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.Set;

class MachineCasTest {

    private static final CertificateAuthority ONE = LoopbackServer.authority("one");
    private static final CertificateAuthority TWO = LoopbackServer.authority("two");

    @TempDir
    Path folder;

    private Map<String, String> environment(String file, String directories) {
        return Map.of(
                "SSL_CERT_FILE", folder.resolve(file).toString(), "SSL_CERT_DIR", directories);
    }

    private Path write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private static void check(Map<String, String> environment, CertificateAuthority issuer)
            throws CertificateException {
        X509Certificate leaf = (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(LoopbackServer.certificate(issuer)
                        .certificatePem()
                        .getBytes(StandardCharsets.US_ASCII)));
        new MachineCas(environment).checkServerTrusted(new X509Certificate[] {leaf}, "ECDHE_ECDSA");
    }

    @Test
    void theNamedFileCounts() throws Exception {
        write("ca.pem", ONE.certificatePem());
        check(environment("ca.pem", "/none"), ONE);
        assertThrows(CertificateException.class, () -> check(environment("ca.pem", "/none"), TWO));
    }

    @Test
    void everyNamedDirectoryCountsBesides() throws Exception {
        write("ca.pem", ONE.certificatePem());
        write("a/x.0", "# nothing");
        write("b/two.crt", TWO.certificatePem());
        Map<String, String> both =
                environment("ca.pem", folder.resolve("a") + ":" + folder.resolve("b"));
        check(both, ONE);
        check(both, TWO);
    }

    @Test
    void unreadableCertificatesAndOtherNamesOfAFileDoNotMatter() throws Exception {
        write("d/ca.pem", """
                -----BEGIN CERTIFICATE-----
                AAAA
                -----END CERTIFICATE-----
                """ + ONE.certificatePem());
        Files.createSymbolicLink(folder.resolve("d/hash.0"), Path.of("ca.pem"));
        Files.createSymbolicLink(folder.resolve("d/dangling"), Path.of("/does/not/exist"));
        Files.createDirectory(folder.resolve("d/directory"));
        check(environment("none", folder.resolve("d").toString()), ONE);
    }

    @Test
    void aMachineWithoutCasTrustsNobodyAndSaysSo() {
        String message = assertThrows(
                        CertificateException.class, () -> check(environment("none", "/none"), ONE))
                .getMessage();
        assertEquals(Set.of("/none", folder.resolve("none").toString()), Named.files(message));
    }

    @Test
    void nothingIsReadBeforeAServerShowsACertificate() {
        assertDoesNotThrow(() -> new MachineCas(environment("none", "/none")));
    }
}
