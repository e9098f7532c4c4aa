package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.Validity;
import io.kjadm.store.MemoryStore;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.StoreException;

import org.junit.jupiter.api.Test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

class CaOfGenerationTest {

    private static final Path STATE = Path.of("/var/lib/kjadm/etcd-auto");

    private final CertificateKey key = CertificateKey.parse("1a".repeat(32));
    private final MemoryFiles founder = new MemoryFiles();
    private final MemoryStore store = new MemoryStore();

    private CaOfGeneration of(ObjectStore store, MemoryFiles files) {
        return new CaOfGeneration(store, files, key, STATE);
    }

    private void makesCa(MemoryFiles files) {
        CertificateAuthority ca = CertificateAuthority.create(
                "etcd-ca",
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(Instant.EPOCH, Duration.ofDays(1)));
        CaBundle.of(ca.certificatePem(), ca).write(files, CaOfGeneration.bundle(STATE), key);
    }

    @Test
    void otherMachinesFetchWhatTheFounderHasProvided() {
        makesCa(founder);
        of(store, founder).provide(1);
        MemoryFiles other = new MemoryFiles();
        Path fetched = of(store, other).directory(1).orElseThrow();
        assertTrue(other.exists(fetched.resolve("etcd/ca.key")));
        assertEquals(Optional.empty(), of(store, new MemoryFiles()).directory(2));
    }

    /** The daemon tries again after a failure of a command, and ends after any other. */
    @Test
    void aStoreThatTakesNothingFailsTheCommand() {
        makesCa(founder);
        ObjectStore readOnly = (ObjectStore) Proxy.newProxyInstance(
                ObjectStore.class.getClassLoader(),
                new Class<?>[] {ObjectStore.class},
                (_, method, arguments) -> {
                    if (method.getName().equals("put")) {
                        throw new StoreException("cannot write", "permission denied");
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        ClusterException refused =
                assertThrows(ClusterException.class, () -> of(readOnly, founder).provide(1));
        assertEquals("permission denied", refused.problem().why());
        of(store, founder).provide(1);
    }

    @Test
    void aSecondCaOfAGenerationIsRefused() {
        makesCa(founder);
        of(store, founder).provide(1);
        MemoryFiles other = new MemoryFiles();
        makesCa(other);
        ClusterException refused =
                assertThrows(ClusterException.class, () -> of(store, other).provide(1));
        assertEquals("it holds another CA", refused.problem().why());
    }

    /** The founder of the next generation is chosen by its data: no other machine can take its place. */
    @Test
    void aCaThatWasPassedOnInPartIsPassedOnByTheNextRun() {
        makesCa(founder);
        of(store, founder).provide(1);
        Path certificates = Path.of("/etc/etcd/pki");
        of(store, founder).passOn(1, certificates);
        String certificate = founder.text("/etc/etcd/pki/ca.crt");
        founder.delete(certificates.resolve("ca.crt"));

        of(store, founder).passOn(1, certificates);
        assertEquals(certificate, founder.text("/etc/etcd/pki/ca.crt"));
    }

    /** With another CA it would be refused for good: the store holds the one before. */
    @Test
    void aFounderThatWasPutBackHasTheCaThatItHasProvided() {
        makesCa(founder);
        of(store, founder).provide(1);
        MemoryFiles back = new MemoryFiles();
        of(store, back).passOn(1, Path.of("/etc/etcd/pki"));
        Path fetched = of(store, founder).directory(1).orElseThrow();
        assertEquals(
                founder.text(fetched.resolve("etcd/ca.crt").toString()),
                back.text("/etc/etcd/pki/ca.crt"));
        of(store, back).provide(1);
    }

    @Test
    void aKeyOfAnotherCaStays() {
        makesCa(founder);
        of(store, founder).provide(1);
        founder.with("/etc/etcd/pki/ca.key", "precious");
        of(store, founder).passOn(1, Path.of("/etc/etcd/pki"));
        assertEquals("precious", founder.text("/etc/etcd/pki/ca.key"));
    }
}
