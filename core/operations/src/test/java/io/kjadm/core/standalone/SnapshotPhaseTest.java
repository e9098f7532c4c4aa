package io.kjadm.core.standalone;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.restore.RestoreSource;
import io.kjadm.etcd.CommonReason;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A member that begins has the data of a snapshot, or none, and never founds a cluster by mistake. */
class SnapshotPhaseTest {

    private RestoringMachine machine = blank();

    private static RestoringMachine blank() {
        return new RestoringMachine(1).wiped();
    }

    private void init(boolean resumes) {
        machine.init(machine.files, resumes, Optional.of(machine.source()));
    }

    private void assertMade() {
        assertEquals("of the snapshot", machine.files.text(RestoringMachine.DATA));
        assertEquals(
                Optional.of(FileMode.PRIVATE_DIRECTORY),
                machine.files.mode(Path.of("/var/lib/etcd")));
        assertFalse(machine.exists(RestoringMachine.WORK));
        assertFalse(machine.exists("/var/lib/kjadm/etcd/restore/snapshot.db"));
        assertFalse(machine.founded);
    }

    /** Another one than the machine's. */
    private record Other() implements RestoreSource {

        @Override
        public String name() {
            return "another";
        }

        @Override
        public String title() {
            return "snapshot another";
        }

        @Override
        public List<String> describe() {
            return List.of();
        }

        @Override
        public OptionalLong revision() {
            return OptionalLong.empty();
        }

        @Override
        public String command() {
            return "";
        }

        @Override
        public void fetch(HostFiles files, Path file) {
            files.write(file, "another", FileMode.OWNER_ONLY);
        }
    }

    @Test
    void theDataAreMadeForThisMemberWithATokenOfItsOwn() {
        init(false);

        assertMade();
        assertEquals(
                "/opt/bin/etcdutl snapshot restore /var/lib/kjadm/etcd/restore/snapshot.db"
                        + " --data-dir=/var/lib/etcd/kjadm-restore/made/data-1770091506000"
                        + " --name=cp-1 --initial-cluster=cp-1=https://10.0.0.1:2380"
                        + " --initial-advertise-peer-urls=https://10.0.0.1:2380"
                        + " --initial-cluster-token=t --bump-revision=1000000000 --mark-compacted",
                machine.commands.getLast());
        assertFalse(machine.started, "that is another phase");
    }

    @Test
    void withoutASnapshotNothingIsDone() {
        machine.init(machine.files, false, Optional.empty());
        assertFalse(machine.exists("/var/lib/etcd"));
    }

    @Test
    void oneThatIsNotGoodChangesNothing() {
        machine.store.objects.forEach((key, bytes) -> bytes[bytes.length / 2] ^= 1);
        assertReason(CommonReason.DAMAGED, KjadmException.class, () -> init(false));
        assertFalse(machine.exists("/var/lib/etcd"));
        assertFalse(machine.exists("/var/lib/kjadm/etcd/restore/snapshot"));
    }

    @Test
    void withoutRoomNothingIsChanged() {
        machine.freeBytes = 100L << 20;
        HostException refusal = assertThrows(HostException.class, () -> init(false));
        assertEquals(Optional.of(CommonReason.NO_SPACE), refusal.reason());
        assertFalse(machine.exists("/var/lib/kjadm/etcd/restore"));
    }

    @Tag("power-cut")
    @Test
    void wherePowerGoesTheSameCommandGoesOnWhetherTheSnapshotIsNamedOrNot() {
        int cuts = 0;
        for (PowerCut.Socket cut : PowerCut.everyMoment()) {
            machine = blank();
            if (!machine.cutInit(cut)) {
                break;
            }
            cuts = cut.step();
            boolean fetched = machine.exists("/var/lib/kjadm/etcd/restore/snapshot");
            boolean made = machine.exists(RestoringMachine.DATA);
            machine.init(
                    machine.files,
                    fetched || made,
                    (fetched || made) && cuts % 2 == 0
                            ? Optional.empty()
                            : Optional.of(machine.source()));
            assertMade();
        }
        assertTrue(cuts > 8, "the power went " + cuts + " times only");
    }

    @Test
    void whatFailedIsMadeAnewOfTheSameSnapshotOnly() {
        machine.exitStatus = 1;
        ClusterException failure = assertThrows(ClusterException.class, () -> init(false));
        assertTrue(failure.why().contains(RestoringMachine.DAMAGED), failure::toString);
        machine.exitStatus = 0;

        UsageException refusal = assertThrows(
                UsageException.class,
                () -> machine.init(machine.files, true, Optional.of(new Other())));
        assertTrue(refusal.what().contains(machine.snapshot.name()), refusal::toString);
        assertFalse(machine.exists(RestoringMachine.DATA));

        init(true);
        assertMade();
        init(true);
        assertMade();
    }

    @Test
    void theRevisionRisesByWhatIsAskedForAlsoWhereThatIsNotSaidAgain() {
        machine.raise = OptionalLong.of(3_000_000_000L);
        machine.exitStatus = 1;
        assertThrows(ClusterException.class, () -> init(false));
        machine.exitStatus = 0;

        machine.init(machine.files, true, Optional.empty());

        assertMade();
        assertTrue(List.of(machine.commands.getLast().split(" "))
                .containsAll(List.of("--bump-revision=3000000000", "--mark-compacted")));
    }

    /** It had configured nothing yet, so it binds nobody. */
    @Test
    void whatARunHasFetchedThatNeverBeganIsForgotten() {
        machine.exitStatus = 1;
        assertThrows(ClusterException.class, () -> init(false));
        machine.exitStatus = 0;

        machine.init(machine.files, false, Optional.empty());

        assertFalse(machine.exists(RestoringMachine.DATA));
        assertFalse(machine.exists("/var/lib/kjadm/etcd/restore"));
    }

    @Test
    void dataThatAreThereAreLetBe() {
        machine.files.with(RestoringMachine.DATA, "old");
        HostException refusal = assertThrows(HostException.class, () -> init(true));
        assertEquals("run 'kjadm etcd reset' first", refusal.next());
        assertEquals("old", machine.files.text(RestoringMachine.DATA));
    }
}
