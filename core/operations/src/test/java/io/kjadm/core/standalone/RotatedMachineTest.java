package io.kjadm.core.standalone;

import static io.kjadm.core.standalone.RotatingMachines.EXTERNAL;
import static io.kjadm.core.standalone.RotatingMachines.UNASKED;
import static io.kjadm.core.standalone.RotatingMachines.YES;
import static io.kjadm.core.standalone.RotatingMachines.cas;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.core.journal.CaRotationStage;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.journal.Unfinished;
import io.kjadm.core.journal.UnfinishedOperations;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.standalone.RotatingMachines.Killed;
import io.kjadm.core.standalone.RotatingMachines.Rotating;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;

/** A new CA for a standalone etcd, whose clients are elsewhere. */
class RotatedMachineTest {

    private static final Path JOURNAL = Path.of("/var/lib/kjadm/etcd/ca-rotation.json");

    private static final String STAGE_1_DONE = "Stage 1 of 3 is done on all machines";
    private static final String STAGE_2_DONE = "Stage 2 of 3 is done on all machines";
    private static final String ENDED = "etcd has a new CA on all machines";

    /** The operator, who says yes. */
    private static final class Operator implements Confirmation {
        private final List<String> questions = new ArrayList<>();

        @Override
        public boolean confirm(String area, String question) {
            questions.add(question);
            return true;
        }
    }

    private static CertificateAuthority authority(Rotating machine) {
        return CertificateAuthority.load(
                machine.text("ca.crt"), Optional.of(machine.text("ca.key")));
    }

    private static void assertEnded(RotatingMachines lab) {
        assertEquals(
                1,
                lab.machines.stream()
                        .map(machine -> machine.text("ca.crt") + machine.text("ca.key"))
                        .collect(Collectors.toSet())
                        .size());
        for (Rotating machine : lab.machines) {
            CertificateAuthority ca = authority(machine);
            assertEquals(1, cas(machine.text("ca.crt")));
            assertFalse(ca.info().equals(lab.former.info()));
            assertTrue(machine.running);
            assertEquals(List.of(), UnfinishedOperations.on(machine.files).all());
            assertTrue(machine.signedBy(ca), machine.name);
            ExternalEtcdFile file = ExternalEtcdFile.read(machine.files, EXTERNAL);
            assertEquals(machine.text("ca.crt").strip(), file.caPem().strip());
            assertEquals(
                    machine.certificate("apiserver-etcd-client"),
                    CertificateInfo.parse(file.certPem()));
            assertTrue(
                    machine.files.files().stream()
                            .map(Path::toString)
                            .noneMatch(path ->
                                    path.contains(".renewed") || path.contains("ca-rotation")),
                    machine.files.files().toString());
        }
        assertEquals(1, lab.values.size(), lab.values.toString());
    }

    @Test
    void threeRoundsBetweenWhichClientsAreGivenWhatTheyNeed() {
        RotatingMachines lab = new RotatingMachines(3);
        Operator operator = new Operator();
        CertificateInfo before = lab.machine(1).certificate("server");

        lab.machine(1).rotate(operator);
        assertEquals(1, operator.questions.size(), operator.questions.toString());
        lab.machine(2).rotate(UNASKED);
        assertEquals(0, lab.count(STAGE_1_DONE));
        assertHasLine(
                "[rotate-ca] Stage 1 of 3, trust both CAs: complete here. Next: run this command on the machines of cp-3, the last one shows what clients need then",
                lab.out.text());
        lab.machine(3).rotate(UNASKED);
        assertEquals(1, lab.count(STAGE_1_DONE));
        assertEquals(before, lab.machine(1).certificate("server"));
        assertTrue(lab.machine(1).signedBy(lab.former));
        assertEquals(
                2, cas(ExternalEtcdFile.read(lab.machine(3).files, EXTERNAL).caPem()));
        lab.clientTakes(lab.machine(3));

        lab.machine(1).rotate(operator);
        assertEquals(2, operator.questions.size());
        assertEquals(
                "Stage 2 of 3 begins: members show certificates of the new CA, and clients that do not trust it are cut off. Do all clients of this etcd trust both CAs?",
                operator.questions.getLast());
        lab.machine(2).rotate(UNASKED);
        lab.machine(3).rotate(UNASKED);
        assertEquals(1, lab.count(STAGE_2_DONE));
        assertFalse(lab.machine(2).signedBy(lab.former));
        lab.clientTakes(lab.machine(2));

        lab.machine(1).rotate(operator);
        assertEquals(3, operator.questions.size());
        assertEquals(
                "Stage 3 of 3 begins: members trust the new CA alone, and clients with certificates of the previous one are rejected. Do all clients of this etcd have certificates of the new CA?",
                operator.questions.getLast());
        lab.machine(2).rotate(UNASKED);
        assertEquals(0, lab.count(ENDED));
        lab.machine(3).rotate(UNASKED);
        assertEquals(1, lab.count(ENDED));
        assertEnded(lab);

        lab.machine(2).rotate(UNASKED);
        assertEquals(1, lab.count(ENDED));
    }

    @Test
    void whatWasInEtcdIsRemovedFromItsHistory() {
        RotatingMachines lab = new RotatingMachines(1);
        for (int stage = 1; stage <= 3; stage++) {
            assertEquals(0, lab.compactions);
            lab.round();
            lab.clientTakes(lab.machine(1));
        }
        assertEquals(1, lab.compactions);
    }

    @Test
    void theOnlyMemberTakesThreeRunsToo() {
        RotatingMachines lab = new RotatingMachines(1);
        Rotating machine = lab.machine(1);
        machine.rotate(YES);
        assertEquals(2, cas(machine.text("ca.crt")));
        assertEquals(lab.former.info(), authority(machine).info());
        lab.clientTakes(machine);
        machine.rotate(YES);
        assertEquals(2, cas(machine.text("ca.crt")));
        assertFalse(machine.signedBy(lab.former));
        lab.clientTakes(machine);
        machine.rotate(YES);
        assertEnded(lab);
    }

    /** The clock of the machine that ended the last one was ahead by a month. */
    @Test
    void oneThatEndedInTheFutureKeepsNobodyFromTheNext() {
        RotatingMachines lab = new RotatingMachines(1);
        Rotating machine = lab.machine(1);
        for (int stage = 1; stage <= 3; stage++) {
            machine.rotate(YES);
            lab.clientTakes(machine);
        }
        assertEnded(lab);
        String now = lab.waiter.now().toString();
        String later = lab.waiter.now().plus(Duration.ofDays(30)).toString();
        lab.values.replaceAll((_, text) -> text.replace(now, later));
        assertTrue(lab.values.toString().contains(later));

        machine.rotate(YES);

        assertEquals(2, cas(machine.text("ca.crt")));
    }

    /** Whoever waits for the others ends with them, whatever was said beforehand. */
    @Test
    void whoWaitsForTheOthersBeginsNoStageEither() {
        RotatingMachines lab = new RotatingMachines(3);
        Rotating first = lab.machine(1);
        lab.machine(2).rotate(YES);
        lab.machine(3).rotate(UNASKED);
        first.rotate(Duration.ofMinutes(5), UNASKED);
        assertEquals(1, lab.count(STAGE_1_DONE));
        assertTrue(first.signedBy(lab.former));

        lab.clientTakes(first);
        boolean[] others = {true};
        lab.waiter.eachTime(() -> {
            if (others[0]) {
                others[0] = false;
                lab.machine(2).rotate(UNASKED);
                lab.machine(3).rotate(UNASKED);
            }
        });
        first.rotate(Duration.ofMinutes(5), YES);
        assertFalse(others[0], "the other one did its part meanwhile");
        assertEquals(2, lab.count(STAGE_2_DONE), "it and the last of the others tell it");
        assertEquals(2, cas(first.text("ca.crt")), "stage 3 was not begun");
    }

    /** Whatever was the last that it wrote, stopped or started, the same command goes on. */
    @Tag("power-cut")
    @ParameterizedTest
    @CsvSource({"1, 2", "3, 15"})
    void whereverPowerGoesTheSameCommandGoesOn(int voters, int usual) {
        // of many another sample each time
        int stride = PowerCut.STRIDE == 1 ? 1 : usual;
        for (int survived = new SecureRandom().nextInt(stride); ; survived += stride) {
            RotatingMachines lab = new RotatingMachines(voters);
            lab.changes = survived;
            lab.powerCut = Optional.of(new Random(survived));
            Optional<Killed> cut = Optional.empty();
            try {
                for (int stage = 1; stage <= 3; stage++) {
                    for (Rotating machine : lab.machines) {
                        try {
                            machine.rotate(YES);
                        } catch (Killed e) {
                            cut = Optional.of(e);
                            lab.changes = Integer.MAX_VALUE;
                            boolean ended = e.deleting() && !machine.files.exists(JOURNAL);
                            // behind its end the same command would begin the next stage
                            if (!ended || stage == 3) {
                                machine.rotate(machine == lab.machine(1) ? YES : UNASKED);
                            }
                        }
                    }
                    if (stage < 3) {
                        lab.clientTakes(lab.machine(voters));
                    }
                }
                assertEnded(lab);
            } catch (RuntimeException | AssertionError e) {
                cut.ifPresent(e::addSuppressed);
                throw e;
            }
            if (cut.isEmpty()) {
                assertTrue(survived > 25 * voters, "it ended after %d changes".formatted(survived));
                return;
            }
        }
    }

    @Test
    void whoWasKilledBehindTheAnswerIsNotAskedAgain() {
        RotatingMachines lab = new RotatingMachines(1);
        Rotating machine = lab.machine(1);
        machine.rotate(YES);
        lab.clientTakes(machine);
        // the stage is noted, the new pair is put beside the old one, then its key is in place
        lab.changes = 3;
        assertThrows(Killed.class, () -> machine.rotate(YES));
        lab.changes = Integer.MAX_VALUE;
        machine.rotate(UNASKED);
        assertEquals(1, lab.count(STAGE_2_DONE));
    }

    @ParameterizedTest
    @EnumSource(value = CaRotationStage.class, names = "BEFORE", mode = EnumSource.Mode.EXCLUDE)
    void aStageThatWasInterruptedIsKnownToOtherCommands(CaRotationStage stage) {
        RotatingMachines lab = new RotatingMachines(1);
        Rotating machine = lab.machine(1);
        for (int before = 1; before < stage.ordinal(); before++) {
            machine.rotate(YES);
            lab.clientTakes(machine);
            assertEquals(List.of(), UnfinishedOperations.on(machine.files).all());
        }
        machine.failpoints = Failpoints.from(Map.of(Failpoints.VARIABLE, stage + ":after=error"));
        assertThrows(HostException.class, () -> machine.rotate(YES));
        machine.failpoints = Failpoints.none();

        UnfinishedOperations unfinished = UnfinishedOperations.on(machine.files);
        Unfinished found = unfinished.all().getFirst();
        assertEquals(Operation.CA_ROTATION, found.operation());
        assertEquals(stage.name(), found.owner().step());
        assertEquals(
                Optional.of(lab.cluster.members().getFirst().id()),
                found.owner().memberId());
        assertThrows(
                HostException.class, () -> unfinished.require(ChangingCommand.CHANGING_VERSION));
        // it may have cost the quorum
        unfinished.require(ChangingCommand.RESTORING);

        machine.rotate(YES);
        assertEquals(List.of(), unfinished.all());
    }

    @Test
    void theNoteOfAStageGoesWithItsRotation() {
        RotatingMachines lab = new RotatingMachines(1);
        Rotating machine = lab.machine(1);
        machine.failpoints = Failpoints.from(
                Map.of(Failpoints.VARIABLE, CaRotationStage.TRUSTS_BOTH + ":after=error"));
        assertThrows(HostException.class, () -> machine.rotate(YES));
        machine.failpoints = Failpoints.none();
        // etcd's data were replaced by those of a snapshot from before
        lab.values.clear();
        machine.rotate(YES);
        assertEquals(List.of(), UnfinishedOperations.on(machine.files).all());
    }

    /** Killed when etcd had noted its last stage, it is run again days after the others have ended. */
    @Test
    void whoWasKilledInTheLastStageBeginsNoOtherRotation() {
        RotatingMachines lab = new RotatingMachines(3);
        Rotating killed = lab.machine(1);
        for (int stage = 1; stage <= 2; stage++) {
            lab.round();
            lab.clientTakes(lab.machine(1));
        }
        String journal = journalOfLastStage(killed);
        lab.machine(2).rotate(YES);
        lab.machine(3).rotate(YES);
        killed.files.with(JOURNAL.toString(), journal);
        String ca = killed.text("ca.crt");
        lab.waiter.pause("", "", Duration.ofDays(3));
        assertFalse(UnfinishedOperations.on(killed.files).all().isEmpty());

        killed.rotate(UNASKED);

        assertEquals(ca, killed.text("ca.crt"));
        assertEnded(lab);
    }

    private static String journalOfLastStage(Rotating machine) {
        machine.failpoints = Failpoints.from(
                Map.of(Failpoints.VARIABLE, CaRotationStage.ENDED + ":after=error"));
        assertThrows(HostException.class, () -> machine.rotate(YES));
        machine.failpoints = Failpoints.none();
        String journal = machine.files.text(JOURNAL.toString());
        machine.rotate(YES);
        return journal;
    }

    @Test
    void aMemberThatJoinsInTheMiddleIsWaitedForAndCatchesUpWithoutAQuestion() {
        RotatingMachines lab = new RotatingMachines(3);
        lab.round();
        lab.clientTakes(lab.machine(1));
        Rotating early = lab.join("cp-4", lab.machine(1));
        lab.machine(1).rotate(UNASKED);
        assertTrue(lab.machine(1).signedBy(lab.former), "it waits for the one that has joined");
        early.rotate(UNASKED);
        lab.round();
        lab.clientTakes(lab.machine(1));

        Rotating late = lab.join("cp-5", lab.machine(2));
        lab.machine(1).rotate(UNASKED);
        assertEquals(2, cas(lab.machine(1).text("ca.crt")), "it waits for the one that has joined");
        late.rotate(UNASKED);
        assertEquals(2, cas(late.text("ca.crt")));
        lab.round();
        assertEnded(lab);
    }

    @Test
    void aRenewalMeanwhileSignsByTheCaWhoseKeyIsHere() {
        RotatingMachines lab = new RotatingMachines(3);
        lab.round();
        lab.machine(1).renew();
        assertTrue(lab.machine(1).signedBy(lab.former));
        assertEquals(2, cas(lab.machine(1).text("ca.crt")));
        lab.clientTakes(lab.machine(1));

        lab.machine(1).rotate(YES);
        lab.machine(1).renew();
        lab.machine(2).renew();
        assertTrue(lab.machine(1).signedBy(authority(lab.machine(1))));
        assertFalse(lab.machine(1).signedBy(lab.former));
        assertTrue(lab.machine(2).signedBy(lab.former));
        lab.machine(2).rotate(UNASKED);
        lab.machine(3).rotate(UNASKED);
        lab.clientTakes(lab.machine(1));
        lab.round();
        assertEnded(lab);
    }

    @Test
    void whatWouldBeDoneNextIsTold() {
        RotatingMachines lab = new RotatingMachines(3);
        Rotating machine = lab.machine(1);
        assertEquals(
                "create a new CA for etcd, and make this machine trust both",
                machine.rotation().next());
        machine.rotate(YES);
        assertEquals("wait for cp-2, cp-3", machine.rotation().next());
        assertEquals(
                "restart etcd, so that it trusts both CAs",
                lab.machine(2).rotation().next());
        lab.machine(2).rotate(YES);
        lab.machine(3).rotate(YES);
        String asking = machine.rotation().next();
        assertTrue(asking.startsWith("ask \"Stage 2 of 3 begins"), asking);
        lab.clientTakes(machine);
        machine.rotate(YES);
        assertEquals(
                "issue this machine's certificates from the new CA",
                lab.machine(2).rotation().next());
        lab.machine(2).rotate(YES);
        lab.machine(3).rotate(YES);
        asking = machine.rotation().next();
        assertTrue(
                asking.endsWith("then restart etcd, so that it trusts the new CA alone"), asking);
    }
}
