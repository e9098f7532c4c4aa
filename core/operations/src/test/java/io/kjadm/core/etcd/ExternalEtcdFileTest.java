package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

class ExternalEtcdFileTest {

    private static final Path FILE = Path.of("/etc/etcd/external-etcd.yaml");
    private static final ExternalEtcdFile ETCD = new ExternalEtcdFile(
            List.of(URI.create("https://10.0.0.1:2379"), URI.create("https://[2001:db8::1]:2379")),
            "-----BEGIN CERTIFICATE-----\nca\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nclient\n-----END CERTIFICATE-----\n",
            "-----BEGIN PRIVATE KEY-----\nkey\n-----END PRIVATE KEY-----\n");

    private final MemoryFiles files = new MemoryFiles();

    @Test
    void itIsReadAsItWasWritten() {
        ETCD.write(files, FILE);
        assertEquals(ETCD, ExternalEtcdFile.read(files, FILE));
        assertEquals(Optional.of(FileMode.OWNER_ONLY), files.mode(FILE));
        assertEquals(
                "ExternalEtcdFile[https://10.0.0.1:2379, https://[2001:db8::1]:2379]",
                ETCD.toString());
    }

    @Test
    void itsCertificatesGoWhereAnExternalEtcdsAre() {
        ETCD.install(files, KubernetesPaths.standard());
        assertEquals(ETCD.caPem(), files.text("/etc/kubernetes/pki/etcd/ca.crt"));
        assertEquals(ETCD.certPem(), files.text("/etc/kubernetes/pki/apiserver-etcd-client.crt"));
        assertEquals(
                Optional.of(FileMode.OWNER_ONLY),
                files.mode(Path.of("/etc/kubernetes/pki/apiserver-etcd-client.key")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "endpoints: []",
                "endpoints: [https://10.0.0.1:2379]\ncaCertificate: a\ncertificate: b\n",
                "- no object",
                "endpoints: [\"not a url\"]\ncaCertificate: a\ncertificate: b\nkey: c\n"
            })
    void anotherFileIsRefused(String text) {
        files.with(FILE.toString(), text);
        assertThrows(UsageException.class, () -> ExternalEtcdFile.read(files, FILE));
    }

    @Test
    void aFileThatIsMissingIsRefused() {
        assertThrows(UsageException.class, () -> ExternalEtcdFile.read(files, FILE));
    }
}
