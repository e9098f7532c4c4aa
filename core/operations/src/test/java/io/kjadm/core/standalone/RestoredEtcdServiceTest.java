package io.kjadm.core.standalone;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.host.FileMode;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.check.WalFile;
import io.kjadm.etcd.recover.ClusterLook;
import io.kjadm.etcd.recover.DiskEvidence;
import io.kjadm.etcd.recover.LogEvidence;
import io.kjadm.etcd.recover.NodeEvidence;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** An etcd that systemd runs gets the data of a snapshot, or keeps those it had. */
class RestoredEtcdServiceTest extends RestoredEtcdScene {

    @Test
    void theDataAreThoseOfTheSnapshotAndTheFormerOnesAreKept() {
        machine.restore();

        assertRestored();
        assertTrue(keepsFormerData());
        String call = toolCall();
        assertTrue(call.startsWith("/opt/bin/etcdutl snapshot restore "), call);
        assertTrue(
                List.of(call.split(" "))
                        .containsAll(
                                List.of("--name=cp-1", "--initial-cluster=cp-1=https://cp-1:2380")),
                call);
        assertTrue(call.endsWith("--bump-revision=1000000000 --mark-compacted"), call);
        assertEquals("Restored.", machine.out.in("restore").getLast());
    }

    @Test
    void othersOfTheOldClusterJoinAgain() {
        machine = new RestoringMachine(3).wiped().bereft();
        machine.declared = List.of("http://cp-9:2380", "cp-2", "cp-3", ClusterLook.NO_OTHERS);

        machine.restore();

        String told = machine.out.text();
        assertHasLine(
                "[restore] Restored. The other machines must join again, one after the other. On each: 'kjadm etcd reset --endpoints http://cp-1:2379', then 'kjadm etcd join http://cp-1:2379 --version 3.6.8'; 'kjadm etcd status' must show all members healthy before the next one",
                told);
    }

    @Test
    void whereAllDataAreGoneNoneAreMissed() {
        machine = new RestoringMachine(3).wiped().bereft();
        machine.declared = List.of("http://cp-9:2380", "cp-2", "cp-3", ClusterLook.NO_OTHERS);

        machine.restore();

        assertRestored();
        assertFalse(keepsFormerData());
        assertEquals(
                Optional.of(FileMode.PRIVATE_DIRECTORY),
                machine.files.mode(Path.of("/var/lib/etcd")));
    }

    /** F304: etcd would start with the log of the old cluster, and end. */
    @Test
    void whereTheLogIsElsewhereNothingIsChanged() {
        assertUnchangedWith("ETCD_WAL_DIR=/srv/wal", CommonReason.LOG_ELSEWHERE);
        assertUnchangedWith("ETCD_WAL_DIR=/var/lib/etcd/wal", CommonReason.LOG_ELSEWHERE);
    }

    /** F305: whoever joins the restored cluster would be removed again. */
    @Test
    void whereEachStartMakesAClusterOfOneNothingIsChanged() {
        assertUnchangedWith("ETCD_FORCE_NEW_CLUSTER=true", CommonReason.STARTS_ALONE);
    }

    private void assertUnchangedWith(String setting, CommonReason reason) {
        String environment = RestoringMachine.FORMER + setting + "\n";
        machine.files.with(RestoringMachine.ENVIRONMENT, environment);
        for (boolean survivor : List.of(false, true)) {
            if (survivor) {
                machine.surviving();
            }
            assertReason(reason, ClusterException.class, machine::restore);
            assertEquals("old", machine.files.text(RestoringMachine.DATA));
            assertEquals(environment, machine.files.text(RestoringMachine.ENVIRONMENT));
            assertTrue(machine.started && machine.enabled);
            assertFalse(machine.exists(RestoringMachine.JOURNAL));
        }
        machine = new RestoringMachine(1);
    }

    /** F304: a log that is elsewhere is none that is missing, so the copy is not to be replaced. */
    @Test
    void recoverReadsTheLogWhereItIs() {
        machine = new RestoringMachine(3);
        machine.files.with(RestoringMachine.DATABASE, "of the running etcd");
        assertTrue(log().isPresent());
        machine.files.with("/srv/wal/0.wal", WalFile.of(machine.former));
        machine.files.delete(Path.of(RestoringMachine.WAL));
        assertFalse(log().isPresent());

        machine.files.with(
                RestoringMachine.ENVIRONMENT, RestoringMachine.FORMER + "ETCD_WAL_DIR=/srv/wal\n");

        assertEquals(
                Optional.of(machine.former),
                log().map(log -> new MemberIds(log.clusterId(), log.memberId())));
    }

    private Optional<LogEvidence.Readable> log() {
        return machine.evidence().own().map(NodeEvidence.OwnMember::disk).stream()
                .map(disk -> assertInstanceOf(DiskEvidence.Held.class, disk).log())
                .filter(LogEvidence.Readable.class::isInstance)
                .map(LogEvidence.Readable.class::cast)
                .findFirst();
    }

    /** Where it is by default is no other place. */
    @Test
    void aLogDirectoryThatIsTheUsualOneIsNone() {
        machine.files.with(
                RestoringMachine.ENVIRONMENT,
                RestoringMachine.FORMER + "ETCD_WAL_DIR=/var/lib/etcd/member/wal/\n");

        machine.restore();

        assertEquals("of the snapshot", machine.files.text(RestoringMachine.DATA));
    }

    @Test
    void apiServersAreToldOfBefore() {
        assertHasLine(
                "Stop the API servers that use this etcd until it serves again. The revision is raised by 1000000000, so that running clients relist",
                String.join("\n", machine.plan()));
    }

    /** The only member of a cluster looks the same as one whose others nothing names. */
    @Test
    void whereNothingListsTheMembersTheOperatorIsAsked() {
        machine.wiped();
        machine.files.delete(Path.of("/etc/etcd/external-etcd.yaml"));

        ClusterException refusal = assertThrows(ClusterException.class, machine::restore);
        assertTrue(
                refusal.next().endsWith(machine.snapshot.name() + " --declare-lost no-others"),
                refusal::toString);
        assertFalse(machine.exists(RestoringMachine.JOURNAL));

        machine.declared = List.of(ClusterLook.NO_OTHERS);
        assertFalse(machine.plan().isEmpty());
    }

    @Test
    void aToolThatCannotRaiseRevisionsIsTakenAsItIs() {
        machine.raises = false;
        assertEquals(
                "Stop all API servers that use this etcd until it serves again."
                        + " The tools of this etcd version cannot raise the revision,"
                        + " so an API server that keeps running would use outdated data",
                machine.plan().getLast());

        machine.restore();

        assertRestored();
        assertEquals(
                "/opt/bin/etcdutl snapshot restore /var/lib/etcd/kjadm-restore/snapshot.db"
                        + " --data-dir=/var/lib/etcd/kjadm-restore/made/data-1770091506000"
                        + " --name=cp-1 --initial-cluster=cp-1=https://cp-1:2380"
                        + " --initial-advertise-peer-urls=https://cp-1:2380"
                        + " --initial-cluster-token=TOKEN",
                toolCall().replaceFirst("kjadm-[0-9a-f]{32}", "TOKEN"));
    }

    @Test
    void etcdctlMakesTheDataWhereThereIsNoOtherTool() {
        machine.files.with("/opt/bin/etcd", "3.4.23").delete(Path.of("/opt/bin/etcdutl"));

        machine.restore();

        assertRestored();
        assertTrue(
                toolCall().startsWith("env ETCDCTL_API=3 /opt/bin/etcdctl snapshot restore "),
                toolCall());
    }

    @Test
    void aToolThatIsMissingComesFromTheRelease() {
        machine.files.delete(Path.of("/opt/bin/etcdutl"));
        machine.release = false;
        assertThrows(HostException.class, () -> machine.restore());
        assertAsBefore();

        machine.release = true;
        machine.restore();

        assertRestored();
        assertEquals("made etcdutl", machine.files.text("/opt/bin/etcdutl"));
        assertEquals("ctl 3.6.8", machine.files.text("/opt/bin/etcdctl"));
        assertEquals(
                Optional.of(FileMode.EXECUTABLE), machine.files.mode(Path.of("/opt/bin/etcdutl")));
    }

    @Test
    void anotherMemberThatServesStopsIt() {
        machine = new RestoringMachine(3);

        ClusterException refusal = assertThrows(ClusterException.class, machine::restore);

        assertEquals(Set.of("cp-1", "cp-2", "cp-3"), Named.members(refusal.why()));
        assertEquals(
                "stop etcd there first, so that no boot brings it back: systemctl disable --now etcd; then run the same command again",
                refusal.next());
        assertAsBefore();
    }

    /** The environment of the machine that founded the cluster names no other. */
    @Test
    void membersThatOnlyTheFilesForClientsKnowStopItToo() {
        machine = new RestoringMachine(3).wiped();
        machine.files.with(
                "/etc/etcd/external-etcd.yaml",
                machine.files
                        .text("/etc/etcd/external-etcd.yaml")
                        .replace("http://cp-9", "https://cp-2"));

        ClusterException refusal = assertThrows(ClusterException.class, machine::restore);

        assertEquals(Set.of("cp-2", "cp-3"), Named.members(refusal.why()));
        assertFalse(machine.exists(RestoringMachine.JOURNAL));
    }

    @Test
    void aMachineWithoutAMemberIsRefused() {
        machine.files.delete(Path.of(RestoringMachine.ENVIRONMENT));
        HostException refusal = assertThrows(HostException.class, machine::restore);
        assertEquals("there is no /etc/etcd/etcd.env", refusal.why());

        machine.files.with(RestoringMachine.ENVIRONMENT, RestoringMachine.FORMER);
        machine.files.with(
                "/var/lib/kjadm/etcd/member.json",
                machine.files
                        .text("/var/lib/kjadm/etcd/member.json")
                        .replace("\"finished\": true", "\"finished\": false"));
        refusal = assertThrows(HostException.class, machine::restore);
        assertEquals("a 'kjadm etcd init' was interrupted", refusal.why());
        assertTrue(machine.started);
    }

    @Test
    void withoutRoomNothingIsChanged() {
        machine.freeBytes = 100L << 20;
        HostException refusal = assertThrows(HostException.class, machine::restore);
        assertEquals(Optional.of(CommonReason.NO_SPACE), refusal.reason());
        assertAsBefore();
    }

    @Test
    void aSnapshotThatIsNotGoodChangesNothing() {
        machine.store.objects.forEach((key, bytes) -> bytes[bytes.length / 2] ^= 1);
        assertReason(CommonReason.DAMAGED, KjadmException.class, machine::restore);
        assertTrue(machine.started && machine.enabled);
        machine.undo();
        assertAsBefore();
    }

    @Test
    void itsOwnDatabaseIsTakenOnceEtcdIsStopped() {
        machine = new RestoringMachine(3).bereft().surviving();

        machine.restore();

        assertRestored();
        assertTrue(toolCall().endsWith("--skip-hash-check"), toolCall());
    }
}
