package io.kjadm.core.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.PeerCertificate;
import io.kjadm.etcd.check.WalIdentity;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.ExtendedUsage;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What is read from this node: data directory, certificate, disk. */
class NodeProbesTest {

    private static final String REFUSED = "connection refused";

    private static final Path DATA = Path.of("/var/lib/etcd");
    private static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("192.0.2.12");

    private final MemoryFiles files = new MemoryFiles();

    @TempDir
    Path folder;

    // ---- data directory

    private DataDirectory data() {
        return new DataDirReader(files).read(DATA);
    }

    @Test
    void nothingOrNothingThatMattersIsEmpty() {
        assertEquals(new DataDirectory.Empty(), data());
        files.withDirectory("/var/lib/etcd");
        assertEquals(new DataDirectory.Empty(), data());
        files.withDirectory("/var/lib/etcd/lost+found").withDirectory("/var/lib/etcd/member");
        files.with("/var/lib/etcd/.kjadm-sync-probe", "");
        assertEquals(new DataDirectory.Empty(), data());
    }

    @Test
    void anythingElseIsNamed() {
        files.with("/var/lib/etcd/precious.txt", "x").withDirectory("/var/lib/etcd/member");
        assertEquals(
                "it is not empty: member, precious.txt, and has no write-ahead log",
                assertInstanceOf(DataDirectory.Unreadable.class, data()).why());
    }

    @Test
    void aFileInItsPlaceIsNoDirectory() {
        files.with("/var/lib/etcd", "x");
        assertInstanceOf(DataDirectory.Unreadable.class, data());
    }

    @Test
    void aDamagedLogIsNamed() {
        files.with("/var/lib/etcd/member/wal/0000000000000000-0000000000000000.wal", "w");
        assertEquals(
                "it is not empty, and its write-ahead log (0000000000000000-0000000000000000.wal) cannot be read: it has no metadata record",
                assertInstanceOf(DataDirectory.Unreadable.class, data()).why());
    }

    @Test
    void whatALogNeedsIsALogAndNothingBesideItCounts() {
        files.with("/var/lib/etcd/member/wal/0.tmp", "x");
        assertInstanceOf(DataDirectory.Unreadable.class, data());
    }

    @Test
    void aMemberThatIsAFileIsNoNewMembersDirectory() {
        files.with("/var/lib/etcd/member", "x");
        assertInstanceOf(DataDirectory.Unreadable.class, data());
    }

    @Test
    void dataThatWasSetAsideInTheDirectoryDoesNotMatter() {
        files.with("/var/lib/etcd/member.failed-20260203-040506/wal/0.wal", "w");
        assertEquals(new DataDirectory.Empty(), data());
    }

    @Test
    void theNewestFileOfALogTellsTheVersion() {
        files.with("/var/lib/etcd/member/wal/0.wal", WalText.of(0xb2, 0xc3, "3.5.0"))
                .with("/var/lib/etcd/member/wal/1.wal", WalText.of(0xb2, 0xc3, "3.6.0"))
                .with("/var/lib/etcd/member/wal/2.tmp", "not used yet");
        assertEquals(held(EtcdVersion.parse("3.6.0")), data());
    }

    @Test
    void aVersionThatOnlyTheOldestFileTellsIsKnown() {
        files.with("/var/lib/etcd/member/wal/0.wal", WalText.of(0xb2, 0xc3, "3.5.0"))
                .with("/var/lib/etcd/member/wal/1.wal", WalText.of(0xb2, 0xc3));
        assertEquals(held(EtcdVersion.parse("3.5.0")), data());
    }

    private static DataDirectory held(EtcdVersion version) {
        return new DataDirectory.Held(
                "/var/lib/etcd", new WalIdentity("c3", new MemberId(0xb2), Optional.of(version)));
    }

    @Test
    void whatTheMachineDoesNotReadIsTold() {
        files.withDirectory("/var/lib/etcd/member/wal/0.wal");
        assertInstanceOf(DataDirectory.Unreadable.class, data());
    }

    // ---- certificate

    private static CertificateAuthority authority() {
        return CertificateAuthority.create(
                "etcd-ca", KeyAlgorithm.ECDSA_P256, Validity.startingAt(NOW, Duration.ofDays(9)));
    }

    private void install(
            CertificateAuthority trusted,
            CertificateAuthority signer,
            String spec,
            String address,
            Validity validity) {
        install(
                trusted,
                CertificateSet.named(spec)
                        .requestFor(
                                "cp-2",
                                new SubjectNames(
                                        List.of("cp-2"), List.of(InetAddress.ofLiteral(address)))),
                signer,
                validity);
    }

    private void install(
            CertificateAuthority trusted,
            LeafRequest request,
            CertificateAuthority signer,
            Validity validity) {
        IssuedCertificate issued = signer.issue(request, KeyAlgorithm.ECDSA_P256, validity);
        files.with("/etc/kubernetes/pki/etcd/ca.crt", trusted.certificatePem());
        files.with("/etc/kubernetes/pki/etcd/peer.crt", issued.certificatePem());
        files.with("/etc/kubernetes/pki/etcd/peer.key", issued.keyPem());
    }

    private PeerCertificate certificate() {
        return new PeerCertificateReader(files, KubernetesPaths.CERTIFICATES_DIR).read(ADDRESS);
    }

    private PeerCertificate.Readable readable() {
        return assertInstanceOf(PeerCertificate.Readable.class, certificate());
    }

    @Test
    void aGoodCertificateHasEverything() {
        CertificateAuthority ca = authority();
        install(
                ca,
                ca,
                CertificateSet.ETCD_PEER,
                "192.0.2.12",
                Validity.startingAt(NOW, Duration.ofDays(1)));
        PeerCertificate.Readable peer = readable();
        assertTrue(peer.signedByCa() && peer.fitsKey());
        assertEquals(List.of(), peer.missingNames());
        assertEquals(List.of(), peer.missingUsages());
        assertTrue(peer.caFingerprint().contains(ca.info().fingerprint()));
    }

    @Test
    void anotherCaAnotherKeyAndMissingThingsAreSeen() {
        CertificateAuthority ca = authority();
        install(
                ca,
                authority(),
                CertificateSet.API_SERVER,
                "192.0.2.13",
                Validity.startingAt(NOW, Duration.ofDays(1)));
        files.with("/etc/kubernetes/pki/etcd/peer.key", ca.keyPem().orElseThrow());
        PeerCertificate.Readable peer = readable();
        assertTrue(!peer.signedByCa() && !peer.fitsKey());
        assertEquals(List.of("192.0.2.12"), peer.missingNames());
        assertEquals(List.of("clientAuth"), peer.missingUsages());
    }

    @Test
    void anExpiredCertificateIsStillKnownToBeSigned() {
        CertificateAuthority ca = authority();
        install(
                ca,
                ca,
                CertificateSet.ETCD_PEER,
                "192.0.2.12",
                Validity.startingAt(NOW, Duration.ofHours(1)));
        assertTrue(readable().signedByCa());
        assertEquals(NOW.plus(Duration.ofHours(1)), readable().validity().notAfter());
    }

    @Test
    void itIsValidWhileItsCaIsToo() {
        CertificateAuthority ca = authority();
        install(
                ca,
                ca,
                CertificateSet.ETCD_PEER,
                "192.0.2.12",
                new Validity(NOW.minus(Duration.ofDays(1)), NOW.plus(Duration.ofDays(20))));
        assertEquals(ca.info().notBefore(), readable().validity().notBefore());
        assertEquals(ca.info().notAfter(), readable().validity().notAfter());
        install(
                ca,
                ca,
                CertificateSet.ETCD_PEER,
                "192.0.2.12",
                new Validity(NOW.plus(Duration.ofDays(1)), NOW.plus(Duration.ofDays(2))));
        assertEquals(NOW.plus(Duration.ofDays(1)), readable().validity().notBefore());
        assertEquals(NOW.plus(Duration.ofDays(2)), readable().validity().notAfter());
    }

    @Test
    void aCertificateForAnyUseLacksNone() {
        CertificateAuthority ca = authority();
        install(
                ca,
                new LeafRequest(
                        "cp-2",
                        List.of(),
                        List.of(ExtendedUsage.ANY),
                        new SubjectNames(List.of("cp-2"), List.of(ADDRESS))),
                ca,
                Validity.startingAt(NOW, Duration.ofDays(1)));
        assertEquals(List.of(), readable().missingUsages());
    }

    @Test
    void aCertificateThatNamesNoUseIsGoodForEveryOne() {
        CertificateAuthority ca = authority();
        for (String name : List.of("ca.crt", "peer.crt")) {
            files.with("/etc/kubernetes/pki/etcd/" + name, ca.certificatePem());
        }
        files.with("/etc/kubernetes/pki/etcd/peer.key", ca.keyPem().orElseThrow());
        assertEquals(List.of(), readable().missingUsages());
    }

    @Test
    void credentialsDoNotShowThemselves() {
        assertEquals(
                "PeerCredentials[withheld]",
                new PeerCredentials("ca", "certificate", "key").toString());
    }

    @Test
    void missingAndUnreadableFilesAreNamed() {
        assertEquals(
                Set.of(
                        "/etc/kubernetes/pki/etcd/ca.crt",
                        "/etc/kubernetes/pki/etcd/peer.crt",
                        "/etc/kubernetes/pki/etcd/peer.key"),
                Named.files(assertInstanceOf(PeerCertificate.Unusable.class, certificate())
                        .why()));
        for (String name : List.of("ca.crt", "peer.crt", "peer.key")) {
            files.with("/etc/kubernetes/pki/etcd/" + name, "x");
        }
        assertInstanceOf(PeerCertificate.Unusable.class, certificate());
    }

    // ---- disk

    @Test
    void theDiskIsMeasuredAndNothingStays() throws Exception {
        DiskProbe disk = new FileDiskProbe(true);
        Path later = folder.resolve("not/yet/there");
        assertTrue(disk.freeBytes(later) > 0);
        assertTrue(disk.syncTime(later).orElseThrow().isPositive());
        assertEmptyFolder();
    }

    @Test
    void noWriteTakesLongerThanAllOfThem() throws Exception {
        long before = System.nanoTime();
        Duration most = new FileDiskProbe(true).syncTime(folder).orElseThrow();
        assertTrue(
                most.compareTo(Duration.ofNanos(System.nanoTime() - before)) <= 0, most::toString);
    }

    @Test
    void aDiskIsJudgedByManyWrites() throws Exception {
        int[] writes = {0};
        List<Duration> times = FileDiskProbe.times(() -> writes[0]++);
        assertEquals(writes[0], times.size());
        assertTrue(times.size() > 1, times::toString);
    }

    @Test
    void oneWriteOfAHundredMayBeSlower() {
        assertEquals(Duration.ofMillis(99), mostOf(100));
        assertEquals(Duration.ofMillis(198), mostOf(200));
        assertEquals(Duration.ofMillis(50), mostOf(50));
        assertEquals(Duration.ofMillis(1), mostOf(1));
    }

    /** Of writes that took from so many milliseconds down to one. */
    private static Duration mostOf(int writes) {
        return FileDiskProbe.mostTakeAtMost(IntStream.range(0, writes)
                .mapToObj(write -> Duration.ofMillis(writes - write))
                .toList());
    }

    @Test
    void theRealDiskIsNotWrittenToInADryRun() throws Exception {
        assertEquals(Optional.empty(), JoinProbes.real(false).disk().syncTime(folder));
        assertTrue(JoinProbes.real(true).disk().syncTime(folder).isPresent());
    }

    @Test
    void whatAKilledRunLeftIsTakenAway() throws Exception {
        Files.writeString(folder.resolve(DataDirReader.SYNC_PROBE), "left");
        new FileDiskProbe(true).syncTime(folder);
        assertEmptyFolder();
    }

    @Test
    void aDryRunWritesNothing() throws Exception {
        assertEquals(Optional.empty(), new FileDiskProbe(false).syncTime(folder));
        assertEmptyFolder();
    }

    private void assertEmptyFolder() throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            assertEquals(List.of(), entries.toList());
        }
    }

    // ---- early checks

    private static List<String> early(LabProbes probes) {
        return early(probes.ports(() -> null));
    }

    private static List<String> early(JoinProbes probes) {
        return EarlyChecks.begin(probes, DATA, URI.create("https://cluster.example:6443"), "")
                .stream()
                .flatMap((Check check) -> check.run().stream()
                        .map((Finding finding) ->
                                finding.level() + " " + check.name() + " " + finding.text()))
                .toList();
    }

    @Test
    void aGoodMachinePassesTheEarlyChecks() {
        assertEquals(List.of(), early(new LabProbes()));
    }

    @Test
    void aClockThatCannotBeReadIsTold() {
        JoinProbes good = new LabProbes().ports(() -> null);
        List<String> found = early(new JoinProbes(
                good.etcd(),
                good.peers(),
                (server, caPem) -> {
                    throw new IOException(REFUSED);
                },
                good.disk()));
        assertEquals(
                List.of(
                        "WARNING EtcdClock the clock of the API server at https://cluster.example:6443 could not be checked: connection refused"),
                found);
    }

    @Test
    void aSlowOrSmallDiskAndAWrongClockAreFoundEarly() {
        LabProbes probes = new LabProbes();
        probes.syncTime = Duration.ofMillis(600);
        probes.freeBytes = 1 << 20;
        probes.serverAhead = Duration.ofSeconds(-61);
        List<String> found = early(probes);
        assertEquals(3, found.size(), found::toString);
        assertTrue(found.getFirst().startsWith("ERROR EtcdDisk"), found::toString);
        assertEquals(
                "ERROR EtcdDisk the disk of /var/lib/etcd takes 600 ms to sync a small write (p99), 500 ms is the limit: etcd would lose its leader again and again; use a faster disk",
                found.get(1));
        assertTrue(
                found.getLast().startsWith("ERROR EtcdClock the clock of the API server"),
                found::toString);
    }
}
