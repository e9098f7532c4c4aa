package io.kjadm.core.standalone;

import static io.kjadm.core.standalone.RotatingMachines.PKI;
import static io.kjadm.core.standalone.RotatingMachines.UNASKED;
import static io.kjadm.core.standalone.RotatingMachines.YES;
import static io.kjadm.core.standalone.RotatingMachines.cas;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.ca.CaRotationKey;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.standalone.RotatingMachines.Rotating;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Named;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What keeps a rotation of etcd's CA, or a stage of it, from beginning. */
class CaRotationRefusalsTest {

    private static final String STAGE_1_DONE = "Stage 1 of 3 is done on all machines";

    /** A holder of the old CA's key puts a record of a CA that is theirs into etcd. */
    @Test
    void aRecordThatTheOldCasKeyOpensIsRefused() {
        RotatingMachines lab = new RotatingMachines(3);
        lab.machine(1).key = new CaRotationKey.OldCaAlone();
        lab.machine(1).rotate(YES);
        String before = lab.machine(2).text("ca.crt");
        assertThrows(UsageException.class, () -> lab.machine(2).rotation().next());
        assertThrows(UsageException.class, () -> lab.machine(2).rotate(YES));
        assertEquals(before, lab.machine(2).text("ca.crt"));

        lab.machines.forEach(machine -> machine.key = new CaRotationKey.OldCaAlone());
        lab.machine(2).rotate(UNASKED);
        lab.machine(3).rotate(UNASKED);
        assertEquals(1, lab.count(STAGE_1_DONE));
    }

    @Test
    void aRotationWithACertificateKeyIsNotContinuedWithout() {
        RotatingMachines lab = new RotatingMachines(3);
        lab.machine(1).rotate(YES);
        lab.machine(2).key = new CaRotationKey.OldCaAlone();
        assertThrows(UsageException.class, () -> lab.machine(2).rotate(YES));
        lab.machine(2).key = new CaRotationKey.Carried(Optional.empty());
        assertThrows(UsageException.class, () -> lab.machine(2).rotate(YES));
        assertEquals(1, cas(lab.machine(2).text("ca.crt")));
    }

    /** The second one begins while the first one waits for the operator's answer. */
    @Test
    void oneOfTwoThatBeginAtOnceNeedsTheKeyOfTheOther() {
        RotatingMachines lab = new RotatingMachines(3);
        lab.machines.forEach(machine -> machine.key = new CaRotationKey.Carried(Optional.empty()));
        assertThrows(
                UsageException.class,
                () -> lab.machine(1).rotate((area, question) -> {
                    lab.machine(2).rotate(YES);
                    return true;
                }));
        assertEquals(1, cas(lab.machine(1).text("ca.crt")));
        assertFalse(lab.machine(1).files.exists(PKI.resolve("ca-rotation.key")));
        assertEquals(
                FileMode.OWNER_ONLY,
                lab.machine(2).files.mode(PKI.resolve("ca-rotation.key")).orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whoSaysNoHasBegunNothing(int rounds) {
        RotatingMachines lab = new RotatingMachines(3);
        for (int i = 0; i < rounds; i++) {
            lab.round();
            lab.clientTakes(lab.machine(1));
        }
        Map<String, String> values = Map.copyOf(lab.values);
        String ca = lab.machine(1).text("ca.crt");
        CertificateInfo server = lab.machine(1).certificate("server");
        UsageException refused = assertThrows(
                UsageException.class, () -> lab.machine(1).rotate((area, question) -> false));
        assertTrue(
                refused.next().startsWith(rounds == 1 ? "make all" : "give all"), refused.next());
        assertTrue(
                Named.files(refused.next()).containsAll(Set.of("external-etcd.yaml")),
                refused.next());
        assertEquals(values, lab.values);
        assertEquals(ca, lab.machine(1).text("ca.crt"));
        assertEquals(server, lab.machine(1).certificate("server"));
    }

    @Test
    void whoSaysNoAtFirstHasChangedNothing() {
        RotatingMachines lab = new RotatingMachines(1);
        assertThrows(UsageException.class, () -> lab.machine(1).rotate((area, question) -> false));
        assertEquals(Map.of(), lab.values);
        assertEquals(lab.former.certificatePem(), lab.machine(1).text("ca.crt"));
    }

    @Test
    void aMemberThatIsAwayKeepsEachStageFromBeginning() {
        RotatingMachines lab = new RotatingMachines(3);
        lab.machine(3).run(List.of("systemctl", "stop", "etcd"), Duration.ZERO);
        ClusterException refused =
                assertThrows(ClusterException.class, () -> lab.machine(1).rotate(YES));
        assertEquals(Set.of("cp-3"), Named.members(refused.why()));
        assertEquals(Map.of(), lab.values);

        lab.machine(3).start();
        lab.round();
        lab.clientTakes(lab.machine(1));
        lab.machine(3).run(List.of("systemctl", "stop", "etcd"), Duration.ZERO);
        assertThrows(ClusterException.class, () -> lab.machine(1).rotate(YES));
        assertTrue(lab.machine(1).signedBy(lab.former));
    }

    @Test
    void withoutTheKeyOfTheCaNothingIsBegun() {
        RotatingMachines lab = new RotatingMachines(1);
        lab.machine(1).files.delete(PKI.resolve("ca.key"));
        HostException refused =
                assertThrows(HostException.class, () -> lab.machine(1).rotate(YES));
        assertEquals(Optional.of(CommonReason.CA_CANNOT_SIGN), refused.reason());
        assertThrows(HostException.class, () -> lab.machine(1).rotation().next());
        assertEquals(Map.of(), lab.values);
    }

    @Test
    void aMachineWithAnotherCaIsToldSo() {
        RotatingMachines lab = new RotatingMachines(3);
        lab.machine(1).rotate(YES);
        CertificateAuthority stranger = CertificateAuthority.create(
                "etcd-ca",
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(lab.waiter.now(), Duration.ofDays(3650)));
        lab.machine(2)
                .files
                .with(PKI + "/ca.crt", stranger.certificatePem())
                .with(PKI + "/ca.key", stranger.keyPem().orElseThrow());
        HostException refused =
                assertThrows(HostException.class, () -> lab.machine(2).rotate(YES));
        assertEquals(
                "the CA in /etc/etcd/pki/ca.crt is neither the old nor the new one of the rotation in progress",
                refused.what());
        assertEquals(Set.of("ca.crt", "ca.key"), Named.files(refused.next()), refused.next());
        assertEquals(stranger.certificatePem(), lab.machine(2).text("ca.crt"));
    }

    @Test
    void whatElseIsTrustedIsNotDroppedUnasked() {
        RotatingMachines lab = new RotatingMachines(3);
        String more = CertificateAuthority.create(
                        "monitoring",
                        KeyAlgorithm.ECDSA_P256,
                        Validity.startingAt(lab.waiter.now(), Duration.ofDays(3650)))
                .certificatePem();
        for (int number : List.of(1, 2)) {
            Rotating machine = lab.machine(number);
            String cas = machine.text("ca.crt") + more;
            machine.files.with(PKI + "/ca.crt", cas);
            HostException refused = assertThrows(HostException.class, () -> machine.rotate(YES));
            assertEquals(
                    "other CAs are trusted in /etc/etcd/pki/ca.crt: monitoring (SHA-256 %s)"
                            .formatted(CertificateInfo.parse(more).fingerprint()),
                    refused.what());
            assertEquals(cas, machine.text("ca.crt"));
            assertEquals(number == 1, lab.values.isEmpty());
            machine.files.with(PKI + "/ca.crt", lab.former.certificatePem());
            machine.rotate(YES);
        }
        lab.machine(3).rotate(UNASKED);
        assertEquals(1, lab.count(STAGE_1_DONE));
    }
}
