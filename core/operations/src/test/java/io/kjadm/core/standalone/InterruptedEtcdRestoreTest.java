package io.kjadm.core.standalone;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.recover.ClusterLook;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** A restore of a standalone etcd that fails or is interrupted is resumed, or undone. */
class InterruptedEtcdRestoreTest extends RestoredEtcdScene {

    private static final String STOP = "systemctl stop etcd";

    @Test
    void aToolThatFailsIsToldAndEverythingCanBePutBack() {
        machine.exitStatus = 1;

        ClusterException failure = assertThrows(ClusterException.class, machine::restore);

        assertTrue(failure.why().contains(RestoringMachine.DAMAGED), failure::toString);
        assertFalse(machine.enabled, "it must not start at boot without data");
        assertEquals(
                List.of(),
                machine.files.list(Path.of("/var/lib/etcd/kjadm-restore/made")),
                "the disk may have been full");
        machine.undo();
        assertAsBefore();
        machine.exitStatus = 0;
        machine.restore();
        assertRestored();
    }

    @Test
    void anEtcdThatDoesNotComeUpIsToldAndEverythingCanBePutBack() {
        machine.broken = true;

        ClusterException failure = assertThrows(ClusterException.class, machine::restore);

        assertEquals(Optional.of(CommonReason.DOES_NOT_RUN), failure.reason());
        machine.broken = false;
        machine.undo();
        assertAsBefore();
    }

    /** It would found a cluster, as it has no data. */
    @Test
    void anUndoStartsNoEtcdThatDidNotRun() {
        machine.wiped();
        machine.declared = List.of("http://cp-9:2380", ClusterLook.NO_OTHERS);
        machine.exitStatus = 1;
        assertThrows(ClusterException.class, machine::restore);

        machine.undo();

        assertFalse(machine.started);
        assertTrue(machine.enabled);
        assertFalse(machine.founded);
        assertEquals(RestoringMachine.FORMER, machine.files.text(RestoringMachine.ENVIRONMENT));
    }

    @Test
    void whereNothingIsUnderWayNothingIsUndone() {
        assertThrows(HostException.class, machine::undo);
        machine.restore();
        assertThrows(HostException.class, machine::undo);
        assertRestored();
    }

    @Test
    void theProgramMayEndBehindEveryChange() {
        everyCut(() -> new RestoringMachine(1), false);
    }

    @Tag("power-cut")
    @Test
    void thePowerMayGoBehindEveryChange() {
        everyCut(() -> new RestoringMachine(1), true);
    }

    @Tag("power-cut")
    @Test
    void thePowerMayGoBehindEveryChangeOfASurvivor() {
        everyCut(() -> new RestoringMachine(1).surviving(), true);
    }

    private void everyCut(Supplier<RestoringMachine> machines, boolean reboot) {
        int cuts = 0;
        for (PowerCut.Socket cut : PowerCut.everyMoment()) {
            machine = machines.get();
            if (!machine.cut(cut)) {
                break;
            }
            cuts = cut.step();
            if (reboot) {
                machine.reboot();
            }
            boolean ended = !machine.exists(RestoringMachine.JOURNAL)
                    && machine.files.text(RestoringMachine.DATA).equals("of the snapshot");
            if (!ended) {
                machine.restore();
            }
            assertRestored();
            assertTrue(keepsFormerData(), "cut " + cut);
        }
        assertTrue(cuts > 14, "the power went " + cuts + " times only");
    }

    @Tag("power-cut")
    @Test
    void whereverItEndsBeforeEtcdServesEverythingCanBePutBack() {
        int undone = 0;
        for (PowerCut.Socket cut : PowerCut.everyMoment()) {
            machine = new RestoringMachine(1);
            if (!machine.cut(cut)) {
                break;
            }
            if (cut.step() % 2 == 0) {
                machine.reboot();
            }
            if (!machine.exists(RestoringMachine.JOURNAL) || machine.step().equals("SERVING")) {
                continue;
            }
            machine.undo();
            assertAsBefore();
            undone++;
        }
        assertTrue(undone > 8, "undone: " + undone);
    }

    /** Puppet, say, which has every service run, or a unit that requires etcd. */
    @Test
    void nothingElseStartsItWhileItsDataAreMade() {
        machine.during = machine::startedByAnother;

        machine.restore();

        assertRestored();
        assertFalse(machine.exists(RestoringMachine.HOLD));
    }

    /** What is only masked until the next boot could be started after it. */
    @Test
    void aBootDoesNotLetItBeStartedEither() {
        machine.exitStatus = 1;
        assertThrows(ClusterException.class, machine::restore);
        machine.reboot();
        machine.startedByAnother();
        assertFalse(machine.started);
        assertFalse(machine.founded);

        machine.exitStatus = 0;
        machine.restore();

        assertRestored();
    }

    @Test
    void dataOfAnotherEtcdAreNotTakenForThoseOfTheSnapshot() {
        machine.exitStatus = 1;
        assertThrows(ClusterException.class, machine::restore);
        machine.files.delete(Path.of(RestoringMachine.HOLD));
        machine.startedByAnother();
        machine.exitStatus = 0;

        HostException refusal = assertThrows(HostException.class, machine::restore);

        assertEquals(Set.of("/var/lib/etcd/member"), Named.files(refusal.what()));
        assertEquals(
                "they are of member bad of cluster bad; the restore makes the data of member 44277e4c20bfdbbc of cluster 994f4decfc24976c",
                refusal.why());
        assertThrows(HostException.class, machine::undo);
        assertTrue(machine.exists(RestoringMachine.JOURNAL));
    }

    @Test
    void anEtcdThatServesALowerRevisionIsStoppedAndHeld() {
        machine.restoredRevision = 1;

        ClusterException refusal = assertThrows(ClusterException.class, machine::restore);

        assertEquals(
                "it serves revision 1; the restored data have 1000000102 or more", refusal.why());
        assertFalse(machine.started || machine.enabled);
        assertTrue(machine.held());
        machine.undo();
        assertAsBefore();
    }

    /** It was fetched, and nothing else has happened. */
    @Test
    void anUndoBeforeEtcdIsStoppedLeavesItRunning() {
        for (int cut = 1; ; cut++) {
            machine = new RestoringMachine(1);
            assertTrue(machine.cut(new PowerCut.Socket(cut)));
            if (machine.exists(RestoringMachine.JOURNAL) && machine.step().equals("FETCHED")) {
                break;
            }
        }
        machine.files
                .with("/var/lib/etcd/member/snap/db", "its database")
                .identified("/var/lib/etcd/member/snap/db", "fe:00:7")
                .with("/proc/locks", "1: FLOCK  ADVISORY  WRITE 4711 fe:00:7 0 EOF\n");
        machine.commands.clear();

        machine.undo();

        assertAsBefore();
        assertFalse(machine.commands.contains(STOP), machine.commands::toString);
    }

    @Test
    void anUndoKeepsTheDataThatWereMade() {
        machine.broken = true;
        assertReason(CommonReason.DOES_NOT_RUN, ClusterException.class, machine::restore);
        machine.broken = false;

        machine.undo();

        assertAsBefore();
        assertTrue(
                machine.files.files().stream()
                        .filter(path -> path.toString().startsWith("/var/lib/etcd.undone-"))
                        .anyMatch(path ->
                                machine.files.text(path.toString()).equals("of the snapshot")),
                "the restored data are gone");
    }
}
