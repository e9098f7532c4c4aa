package io.kjadm.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Data, certificate, peers, clocks and disk of the node that joins. */
class NodeRulesTest {

    private final Scene scene = Scene.ofVoters(2);

    private static DataDirectory held(String cluster, long member, String version) {
        return new DataDirectory.Held(
                "/var/lib/etcd",
                new WalIdentity(
                        cluster,
                        new MemberId(member),
                        Optional.ofNullable(version).map(EtcdVersion::parse)));
    }

    // ---- data directory

    private static RejoinOptions giving(String cluster) {
        return new RejoinOptions(false, false, false, false, false, Optional.of(cluster));
    }

    @Test
    void dataThatTheOperatorGivesUpByItsClustersIdIsNoObstacle() {
        scene.data = held("c2", 7, null);
        Candidate asked = scene.candidate;
        scene.candidate = new Candidate(asked.member(), asked.version(), true, giving("c2"));
        assertEquals(List.of(), scene.errors());
        scene.candidate = new Candidate(asked.member(), asked.version(), true, giving("c3"));
        Told.one(scene.errors(), "EtcdDataDir", "c2");
    }

    @Test
    void anotherClustersDataIsRefusedWithBothIds() {
        scene.data = held("c2", 7, null);
        Told.one(
                scene.errors(),
                "EtcdDataDir",
                "member 7 of another etcd cluster, c2",
                "this one is c1",
                "mv /var/lib/etcd");
    }

    @Test
    void aRemovedMembersDataIsRefused() {
        scene.data = held("c1", 7, null);
        Told.one(scene.errors(), "EtcdDataDir", "member 7, which was removed");
    }

    @Test
    void theDataOfThisNodesListedMemberIsGoneOnWith() {
        scene.add(9, "cp-9", true, "3.6.13");
        scene.data = held("c1", 9, "3.6.0");
        Told.nothing(scene.errors());
        Told.some(scene.notes(), "EtcdDataDir", "listed member 9 cp-9");
    }

    @Test
    void aCopyOfAnotherNodesDataIsRefused() {
        scene.data = held("c1", 2, null);
        Told.one(scene.errors(), "EtcdDataDir", "two machines must never run one member", "cp-2");
    }

    @Test
    void thePortOfAVoterThatIsDownIsNotToldBesides() {
        Scene five = Scene.ofVoters(5).silent(5);
        five.candidate = five.candidate("3.6.13", true, true);
        assertEquals(
                List.of(),
                PeerRules.findings(
                        five.candidate,
                        five.cluster(),
                        Map.of(five.node(5).member.id(), five.node(5).contact)));
        assertEquals(
                1,
                PeerRules.findings(
                                five.candidate,
                                five.cluster(),
                                Map.of(five.node(4).member.id(), five.node(5).contact))
                        .size());
        assertEquals(
                1,
                PeerRules.findings(
                                five.candidate,
                                five.cluster(),
                                Map.of(
                                        five.node(5).member.id(),
                                        new PeerContact.Refused("bad certificate")))
                        .size(),
                "that is not told by its silence");
    }

    @Test
    void dataIsNotCalledAnotherClustersWhileNobodySaysWhichThisIs() {
        scene.silent(1, 2);
        scene.add(9, "cp-9", true, "3.6.13");
        scene.node(3).silence = "connection refused";
        scene.data = held("c2", 9, null);
        assertEquals(
                List.of(),
                scene.errors().stream()
                        .filter(text -> text.startsWith("EtcdDataDir"))
                        .toList());
    }

    @Test
    void dataWhoseVersionOrWhoseEtcdIsNotKnownIsNotCalledNewer() {
        scene.add(9, "cp-9", true, "3.6.13");
        scene.data = held("c1", 9, null);
        Told.nothing(scene.errors());
        scene.data = held("c1", 9, "3.9.0");
        scene.candidate = new Candidate(
                new NewMember("cp-9", Scene.url(9)), Optional.empty(), true, RejoinOptions.NONE);
        Told.nothing(scene.errors());
    }

    @Test
    void dataOfANewerEtcdIsRefused() {
        scene.add(9, "cp-9", true, "3.6.13");
        scene.data = held("c1", 9, "3.7.0");
        Told.one(scene.errors(), "EtcdDataDir", "version 3.7.0", "etcd 3.6.13");
    }

    @Test
    void whatCannotBeToldIsRefused() {
        scene.data = new DataDirectory.Unreadable("/var/lib/etcd", "it holds precious.txt");
        Told.one(scene.errors(), "EtcdDataDir", "precious.txt");
    }

    @Test
    void aDamagedLogOfOurOwnMemberIsAWarning() {
        scene.add(9, "cp-9", true, "3.6.13");
        scene.data = new DataDirectory.Unreadable("/var/lib/etcd", "a checksum is wrong");
        Told.nothing(scene.errors());
        Told.one(scene.warnings(), "EtcdDataDir", "a checksum is wrong");
    }

    // ---- certificate

    private PeerCertificate.Readable good() {
        return (PeerCertificate.Readable) scene.certificate;
    }

    private void certificate(
            boolean signed,
            boolean fits,
            PeerCertificate.Validity validity,
            List<String> usages,
            List<String> names) {
        scene.certificate = new PeerCertificate.Readable(
                good().file(), signed, good().caFingerprint(), fits, validity, usages, names);
    }

    @Test
    void aCertificateOfAnotherCaOrKeyIsRefused() {
        certificate(false, false, good().validity(), List.of(), List.of());
        Told.some(scene.errors(), "EtcdPeerCertificate", "not signed by the etcd CA", "AA:BB");
        Told.some(scene.errors(), "EtcdPeerCertificate", "does not belong to the key");
    }

    @Test
    void anExpiredCertificateIsRefused() {
        certificate(
                true,
                true,
                new PeerCertificate.Validity(
                        good().validity().notBefore(), Scene.NOW.minusSeconds(1)),
                List.of(),
                List.of());
        Told.one(scene.errors(), "EtcdPeerCertificate", "expired at 2026-02-03T04:05:05Z");
    }

    @Test
    void aCertificateOfTheFutureIsAMatterOfClocks() {
        certificate(
                true,
                true,
                new PeerCertificate.Validity(
                        Scene.NOW.plusSeconds(7200), Scene.NOW.plusSeconds(9000)),
                List.of(),
                List.of());
        Told.one(
                scene.errors(),
                "EtcdClock",
                "valid from 2026-02-03T06:05:06Z",
                "2026-02-03T04:05:06Z");
    }

    @Test
    void missingUsagesAndNamesAreNamed() {
        certificate(true, true, good().validity(), List.of("clientAuth"), List.of("10.0.0.9"));
        Told.some(scene.errors(), "EtcdPeerCertificate", "extended key usage clientAuth");
        Told.some(scene.errors(), "EtcdPeerCertificate", "not valid for 10.0.0.9");
    }

    @Test
    void aMissingCertificateIsRefused() {
        scene.certificate =
                new PeerCertificate.Unusable("/etc/kubernetes/pki/etcd/peer.crt is missing");
        Told.one(scene.errors(), "EtcdPeerCertificate", "is missing");
    }

    // ---- peers

    @Test
    void aPeerPortThatCannotBeReachedIsNamedWithItsMember() {
        scene.node(2).contact = new PeerContact.Unreachable("Connection timed out");
        Told.one(
                scene.errors(),
                "EtcdPeers",
                "cp-2",
                "from 10.0.0.9",
                "timed out",
                "both directions");
    }

    @Test
    void ofAMemberThatIsDownItsPeerPortIsNotToldAgain() {
        Scene degraded = Scene.ofVoters(5).silent(5);
        degraded.candidate = degraded.candidate("3.6.13", true, true);
        Told.nothing(degraded.errors());
    }

    @Test
    void anotherCaIsToldWithBothFingerprints() {
        scene.node(1).contact = new PeerContact.Untrusted(
                "no trusted chain", "CN=etcd-ca 11:22", "CN=etcd-ca 33:44");
        Told.one(scene.errors(), "EtcdPeers", "cp-1", "11:22", "33:44");
    }

    @Test
    void aMemberThatDoesNotTakeOurCertificateIsNamed() {
        scene.node(1).contact = new PeerContact.Refused("bad certificate");
        Told.one(scene.errors(), "EtcdPeers", "cp-1", "bad certificate", "10.0.0.9");
    }

    @Test
    void anAddressThatIsNotThisMachinesIsAWarning() {
        scene.node(1).contact = new PeerContact.Answered(
                Duration.ofMillis(1), Optional.empty(), "Cannot assign requested address");
        Told.nothing(scene.errors());
        Told.one(scene.warnings(), "EtcdPeers", "10.0.0.9 is not an address of this machine");
    }

    @Test
    void aFarPeerIsAWarning() {
        scene.node(2).contact =
                new PeerContact.Answered(Duration.ofMillis(51), Optional.of(Duration.ZERO), "");
        Told.one(scene.warnings(), "EtcdRoundTrip", "cp-2", "51 ms");
        scene.node(2).contact =
                new PeerContact.Answered(Duration.ofMillis(50), Optional.of(Duration.ZERO), "");
        Told.nothing(scene.warnings());
    }

    // ---- clocks

    @ParameterizedTest
    @CsvSource({
        "2, 0, 0, ahead of",
        "3, 1, 0, ahead of",
        "-60, 1, 0, behind",
        "61, 0, 1, ahead of",
        "-7200, 0, 1, behind"
    })
    void clocksThatDifferAreAWarningAndThenRefused(
            long seconds, int warnings, int errors, String words) {
        scene.node(2).contact = new PeerContact.Answered(
                Duration.ofMillis(1), Optional.of(Duration.ofSeconds(seconds)), "");
        if (warnings == 1) {
            Told.one(scene.warnings(), "EtcdClock", "cp-2", words);
        } else {
            Told.nothing(scene.warnings());
        }
        if (errors == 1) {
            Told.one(scene.errors(), "EtcdClock", "cp-2", words, "60 s is the limit");
        } else {
            Told.nothing(scene.errors());
        }
    }

    // ---- disk

    @Test
    void roomForTwiceTheDatabaseAndAGigabyteIsNeeded() {
        scene.node(2).database = 1L << 30;
        scene.free = OptionalLong.of((3L << 30) - 1);
        Told.one(
                scene.errors(),
                "EtcdDisk",
                "/var/lib/etcd",
                "3.0 GiB are needed",
                "database of 1.0 GiB");
        scene.free = OptionalLong.of(3L << 30);
        Told.nothing(scene.errors());
    }

    @Test
    void roomThatIsNotKnownIsAWarning() {
        scene.free = OptionalLong.empty();
        Told.nothing(scene.errors());
        Told.one(scene.warnings(), "EtcdDisk", "could not be checked");
    }

    @ParameterizedTest
    @CsvSource({"10, ''", "11, WARNING", "500, WARNING", "501, ERROR"})
    void aSlowDiskIsAWarningAndThenRefused(long millis, String level) {
        List<String> levels = DiskRules.speed(Scene.DATA, Duration.ofMillis(millis)).stream()
                .map(finding -> finding.level().name())
                .toList();
        org.junit.jupiter.api.Assertions.assertEquals(
                level.isEmpty() ? List.of() : List.of(level), levels);
    }

    @Test
    void everythingIsToldAtOnce() {
        scene.silent(2);
        scene.node(1).errors = List.of("memberID:1 alarm:NOSPACE ");
        scene.data = held("c2", 7, null);
        scene.free = OptionalLong.of(0);
        for (String check : List.of("EtcdVoters", "EtcdAlarms", "EtcdDataDir", "EtcdDisk")) {
            Told.some(scene.errors(), check);
        }
    }
}
