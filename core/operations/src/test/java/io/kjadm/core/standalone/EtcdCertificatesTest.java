package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Named;
import io.kjadm.manifests.StandaloneEtcd.Directories;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.ExtendedUsage;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.PublicKeyPin;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class EtcdCertificatesTest {

    private static final Path DIRECTORY = Path.of("/etc/etcd/pki");
    private static final Path BUNDLE = Path.of("/root/ca.bundle");
    private static final Instant NOW = Instant.parse("2026-11-26T10:00:00Z");

    private final MemoryFiles files = new MemoryFiles();
    private final RecordingReporter out = new RecordingReporter();

    private EtcdCertificates at(MemoryFiles machine, Instant now) {
        return new EtcdCertificates(
                machine, KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256), now, out);
    }

    private static MemberSettings settings(String address, String... extra) {
        return new MemberSettings(
                "etcd1",
                EtcdVersion.parse("3.6.8"),
                InetAddress.ofLiteral(address),
                new Directories(Path.of("/var/lib/etcd"), DIRECTORY, Path.of("/opt/bin")),
                List.of(extra),
                List.of());
    }

    private CertificateInfo certificate(String base) {
        return CertificateInfo.parse(files.text(DIRECTORY + "/" + base + ".crt"));
    }

    @Test
    void aFounderMakesACaAndFourPairs() {
        EtcdCertificates certificates = at(files, NOW);
        CertificateAuthority ca = certificates.foundAuthority(DIRECTORY);
        certificates.provide(settings("10.0.0.1", "etcd.example", "10.9.9.9"), ca);

        for (String base :
                List.of("server", "peer", "etcdctl-etcd-client", "apiserver-etcd-client")) {
            ca.verify(files.text(DIRECTORY + "/" + base + ".crt"), NOW);
            assertEquals(
                    Optional.of(FileMode.OWNER_ONLY), files.mode(DIRECTORY.resolve(base + ".key")));
            assertEquals(List.of(), certificate(base).organizations(), "it has no admin group");
        }
        assertEquals(
                List.of("etcd.example", "etcd1", "localhost"),
                certificate("server").names().dnsNames());
        assertEquals(List.of("etcd1", "localhost"), certificate("peer").names().dnsNames());
        assertTrue(certificate("peer").allows(ExtendedUsage.CLIENT_AUTH));
        assertFalse(certificate("etcdctl-etcd-client").allows(ExtendedUsage.SERVER_AUTH));
        assertEquals("etcd1-etcdctl", certificate("etcdctl-etcd-client").commonName());
    }

    @Test
    void whatIsThereStays() {
        EtcdCertificates certificates = at(files, NOW);
        certificates.provide(settings("10.0.0.1"), certificates.foundAuthority(DIRECTORY));
        String before = files.text("/etc/etcd/pki/server.crt");
        certificates.provide(settings("10.0.0.1"), certificates.foundAuthority(DIRECTORY));
        assertEquals(before, files.text("/etc/etcd/pki/server.crt"));
    }

    @Test
    void aRunThatWasKilledBetweenKeyAndCertificateIsContinued() {
        EtcdCertificates certificates = at(files, NOW);
        CertificateAuthority ca = certificates.foundAuthority(DIRECTORY);
        certificates.provide(settings("10.0.0.1"), ca);
        files.delete(DIRECTORY.resolve("peer.crt"));
        certificates.provide(settings("10.0.0.1"), ca);
        assertTrue(certificate("peer").matchesKey(files.text("/etc/etcd/pki/peer.key")));
    }

    @Tag("power-cut")
    @Test
    void aFounderThatWasKilledWhileItWroteItsCaGoesOn() {
        int cuts = 0;
        for (PowerCut.Socket cut : PowerCut.everyMoment()) {
            MemoryFiles machine = new MemoryFiles();
            HostFiles disk = cut.plug(HostFiles.class, machine);
            if (!cut.cuts(() -> new EtcdCertificates(
                            disk, KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256), NOW, out)
                    .foundAuthority(DIRECTORY))) {
                break;
            }
            cuts = cut.step();
            CertificateAuthority ca = at(machine, NOW).foundAuthority(DIRECTORY);
            assertTrue(ca.canSign());
            assertEquals(
                    List.of(DIRECTORY.resolve("ca.crt"), DIRECTORY.resolve("ca.key")),
                    machine.files());
        }
        assertTrue(cuts > 3, "the power went " + cuts + " times only");
    }

    @Test
    void certificatesForAnotherAddressAreRefused() {
        EtcdCertificates certificates = at(files, NOW);
        CertificateAuthority ca = certificates.foundAuthority(DIRECTORY);
        certificates.provide(settings("10.0.0.1"), ca);
        HostException refused = assertThrows(
                HostException.class, () -> certificates.provide(settings("10.0.0.2"), ca));
        assertEquals("it is not valid for 10.0.0.2", refused.why());
    }

    @Test
    void expiredCertificatesAreRefused() {
        EtcdCertificates certificates = at(files, NOW);
        certificates.provide(settings("10.0.0.1"), certificates.foundAuthority(DIRECTORY));
        EtcdCertificates later = at(files, NOW.plus(Duration.ofDays(400)));
        CertificateAuthority ca = later.foundAuthority(DIRECTORY);
        assertThrows(HostException.class, () -> later.provide(settings("10.0.0.1"), ca));
    }

    @Test
    void whoJoinsNeedsTheClustersCa() {
        HostException refused = assertThrows(
                HostException.class, () -> at(files, NOW).requireAuthority(DIRECTORY, List.of()));
        assertEquals(Set.of("--bundle"), Named.flags(refused.next()));
        assertEquals(List.of(), files.files(), "no other CA is made silently");
    }

    @Test
    void whoJoinsNeedsTheCasKeyToo() {
        at(files, NOW).foundAuthority(DIRECTORY);
        files.delete(DIRECTORY.resolve("ca.key"));
        assertThrows(
                HostException.class, () -> at(files, NOW).requireAuthority(DIRECTORY, List.of()));
    }

    @Test
    void anotherCaThanThePinnedOneIsRefused() {
        CertificateAuthority ca = at(files, NOW).foundAuthority(DIRECTORY);
        PublicKeyPin other = new PublicKeyPin("ab".repeat(32));
        assertThrows(
                HostException.class,
                () -> at(files, NOW).requireAuthority(DIRECTORY, List.of(other)));
        at(files, NOW).requireAuthority(DIRECTORY, List.of(other, ca.info().pin()));
    }

    @Test
    void aKeyWithoutItsCaIsNotWrittenOver() {
        files.with("/etc/etcd/pki/ca.key", "precious");
        assertThrows(HostException.class, () -> at(files, NOW).foundAuthority(DIRECTORY));
        assertEquals("precious", files.text("/etc/etcd/pki/ca.key"));
    }

    @Test
    void aBundleCarriesTheCaToAnotherMachine() {
        CertificateKey key = CertificateKey.generate();
        CertificateAuthority ca = at(files, NOW).foundAuthority(DIRECTORY);
        at(files, NOW).bundle(DIRECTORY).write(files, BUNDLE, key);
        assertEquals(
                List.of("-----BEGIN KJADM ETCD CA-----", "-----END KJADM ETCD CA-----"),
                files.text(BUNDLE.toString())
                        .lines()
                        .filter(line -> line.startsWith("-"))
                        .toList());
        assertEquals(Optional.of(FileMode.OWNER_ONLY), files.mode(BUNDLE));

        MemoryFiles other =
                new MemoryFiles().with(BUNDLE.toString(), files.text(BUNDLE.toString()));
        at(other, NOW).adopt(DIRECTORY, CaBundle.read(other, BUNDLE, key));
        assertEquals(files.text("/etc/etcd/pki/ca.key"), other.text("/etc/etcd/pki/ca.key"));
        assertEquals(
                ca.info().pin(),
                at(other, NOW).requireAuthority(DIRECTORY, List.of()).info().pin());
    }

    /** A machine that joins while the CA is rotated has to meet members of either. */
    @Test
    void aBundleOfTwoCasCarriesBoth() {
        CertificateAuthority former = at(files, NOW).foundAuthority(DIRECTORY);
        at(files, NOW).provide(settings("10.0.0.1"), former);
        CertificateAuthority next = CertificateAuthority.create(
                "etcd-ca",
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(NOW, Duration.ofDays(3650)));
        String both = next.certificatePem() + former.certificatePem();
        files.with(DIRECTORY + "/ca.crt", "# two\n" + both);
        files.with(DIRECTORY + "/ca.key", next.keyPem().orElseThrow());
        CertificateKey key = CertificateKey.generate();
        at(files, NOW).bundle(DIRECTORY).write(files, BUNDLE, key);

        MemoryFiles other =
                new MemoryFiles().with(BUNDLE.toString(), files.text(BUNDLE.toString()));
        EtcdCertificates joining = at(other, NOW);
        joining.adopt(DIRECTORY, CaBundle.read(other, BUNDLE, key));
        assertEquals(both, other.text("/etc/etcd/pki/ca.crt"));
        CertificateAuthority ca =
                joining.requireAuthority(DIRECTORY, List.of(next.info().pin()));
        joining.provide(settings("10.0.0.2"), ca);
        next.verify(other.text("/etc/etcd/pki/peer.crt"), NOW);
        // on a machine that has its certificates of the former one still
        at(files, NOW).provide(settings("10.0.0.1"), next);
        former.verify(files.text("/etc/etcd/pki/peer.crt"), NOW);
    }

    @Test
    void whatNoneOfTwoCasHasSignedIsRefused() {
        CertificateAuthority former = at(files, NOW).foundAuthority(DIRECTORY);
        MemoryFiles elsewhere = new MemoryFiles();
        EtcdCertificates others = at(elsewhere, NOW);
        others.provide(settings("10.0.0.1"), others.foundAuthority(DIRECTORY));
        CertificateAuthority next = at(new MemoryFiles(), NOW).foundAuthority(DIRECTORY);
        files.with(DIRECTORY + "/ca.crt", former.certificatePem() + next.certificatePem());
        for (String file : List.of("peer.crt", "peer.key")) {
            files.with(DIRECTORY + "/" + file, elsewhere.text(DIRECTORY + "/" + file));
        }
        assertThrows(
                HostException.class, () -> at(files, NOW).provide(settings("10.0.0.1"), former));
    }

    @Test
    void aBundleOpensToItsKeyAlone() {
        at(files, NOW).foundAuthority(DIRECTORY);
        at(files, NOW).bundle(DIRECTORY).write(files, BUNDLE, CertificateKey.generate());
        assertThrows(
                HostException.class, () -> CaBundle.read(files, BUNDLE, CertificateKey.generate()));
        files.with(BUNDLE.toString(), "something else");
        assertThrows(
                HostException.class, () -> CaBundle.read(files, BUNDLE, CertificateKey.generate()));
    }

    @Test
    void aBundleDoesNotReplaceAnotherClustersCa() {
        at(files, NOW).foundAuthority(DIRECTORY);
        MemoryFiles elsewhere = new MemoryFiles();
        at(elsewhere, NOW).foundAuthority(DIRECTORY);
        CaBundle other = at(elsewhere, NOW).bundle(DIRECTORY);
        String before = files.text("/etc/etcd/pki/ca.crt");
        assertThrows(HostException.class, () -> at(files, NOW).adopt(DIRECTORY, other));
        assertEquals(before, files.text("/etc/etcd/pki/ca.crt"));
    }
}
