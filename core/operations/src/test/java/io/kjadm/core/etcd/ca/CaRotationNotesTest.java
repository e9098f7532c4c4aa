package io.kjadm.core.etcd.ca;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.MemoryValues;
import io.kjadm.core.journal.CaRotationStage;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

class CaRotationNotesTest {

    private static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");
    private static final MemberId OWN = new MemberId(1);
    private static final MemberId OTHER = new MemberId(2);

    private final Map<String, String> stored = new TreeMap<>();
    private final Values values = new Values();
    private final CaRotationRecord rotation =
            CaRotationRecord.of(authority(), authority(), Optional.empty(), NOW);

    private static CertificateAuthority authority() {
        return CertificateAuthority.create(
                "etcd-ca",
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(NOW, Duration.ofDays(3650)));
    }

    /** F182: a node that is through must not begin again because the last one ends the rotation. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aRotationThatEndsBetweenTwoCallsIsNotBegunAgain(int calls) {
        CaRotationNotes notes = new CaRotationNotes(values);
        notes.begin(rotation);
        notes.tell(rotation, OWN, CaRotationStage.ENDED);
        notes.tell(rotation, OTHER, CaRotationStage.ENDED);
        values.endsBefore = calls;

        CaRotationNotes.Noted noted = notes.read();
        CaRotationStep step = CaRotationStep.next(
                noted.rotation(), OWN, List.of(member(OWN), member(OTHER)), noted.stages());

        assertEquals(
                calls == 0 ? CaRotationStep.Begin.class : CaRotationStep.Finish.class,
                step.getClass());
    }

    /** A stage that a later release has is none that this one could build on. */
    @ParameterizedTest
    @ValueSource(strings = {"LATER", ""})
    void aStageOfALaterReleaseIsPassedOver(String stage) {
        CaRotationNotes notes = new CaRotationNotes(values);
        notes.begin(rotation);
        notes.tell(rotation, OWN, CaRotationStage.ISSUED);
        String key = stored.keySet().iterator().next();
        stored.put(key.replace(OWN.toString(), OTHER.toString()), stage);

        assertEquals(Map.of(OWN, CaRotationStage.ISSUED), notes.read().stages());
        assertEquals(Set.of(OWN, OTHER), notes.read().begun());
    }

    /** Two nodes find the notes of one that is over, and the first has begun another by now. */
    @Test
    void nothingOfAnotherRotationIsChanged() {
        CaRotationNotes notes = new CaRotationNotes(values);
        CaRotationRecord other =
                CaRotationRecord.of(authority(), authority(), Optional.empty(), NOW);
        notes.begin(other);

        notes.tell(rotation, OWN, CaRotationStage.TRUSTS_BOTH);
        notes.remove(rotation);
        notes.end(rotation, NOW);
        assertEquals(
                Optional.of(other.newPem()), notes.read().rotation().map(CaRotationRecord::newPem));
        assertEquals(Optional.empty(), notes.ended());
        assertEquals(Set.of(), notes.read().begun());

        notes.tell(other, OWN, CaRotationStage.TRUSTS_BOTH);
        notes.remove(other);
        assertEquals(Map.of(), stored);
    }

    /** A rotation that is under way has a stage of a listed member, or the former CA in each file. */
    @Test
    void whereNobodyHasBegunARotationIsOverUnlessTheFormerCaIsTrusted() {
        CertificateInfo former = rotation.former();
        CertificateInfo next = rotation.next();
        CertificateInfo third = authority().info();

        assertTrue(isOver(Set.of(), next));
        assertTrue(isOver(Set.of(), third));
        assertFalse(isOver(Set.of(), former));
        assertFalse(isOver(Set.of(), former, next));
        assertFalse(isOver(Set.of(), next, former));
        assertFalse(isOver(Set.of(), third, former));
        assertFalse(isOver(Set.of(OTHER), next));
        assertFalse(isOver(Set.of(OTHER), third));
        assertTrue(isOver(Set.of(new MemberId(9)), next), "a member from before the restore");
    }

    private boolean isOver(Set<MemberId> begun, CertificateInfo... trusted) {
        return CaRotationStep.isOver(
                rotation, List.of(member(OWN), member(OTHER)), begun, () -> List.of(trusted));
    }

    private static Member member(MemberId id) {
        return new Member(id, "cp-" + id, List.of(), List.of(), false);
    }

    /** In which another node ends the rotation before one of the reads. */
    private final class Values extends MemoryValues {

        private int endsBefore = Integer.MAX_VALUE;

        Values() {
            super(stored);
        }

        private void call() {
            if (endsBefore-- == 0) {
                stored.clear();
            }
        }

        @Override
        public Optional<String> read(String key) {
            call();
            return super.read(key);
        }

        @Override
        public Map<String, String> readAll(String prefix) {
            call();
            return super.readAll(prefix);
        }
    }
}
