package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.CommandRunner.Output;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.etcd.auto.EntryBody.Fenced;
import io.kjadm.etcd.auto.EntryBody.Progress;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.etcd.auto.Step;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** A member that is stopped for good: what is moved, what is noted, and the way back. */
class MemberFenceTest {

    private static final MemberId MEMBER = new MemberId(0xa001);
    private static final Path DATA = Path.of("/var/lib/etcd");
    private static final Step.Fence FENCE = new Step.Fence(1, Optional.of(MEMBER));
    private static final List<String> SETTINGS = List.of(
            "/etc/etcd/etcd.env",
            "/etc/etcd/pki/ca.crt",
            "/etc/systemd/system/etcd.service",
            "/etc/systemd/system/etcd.service.d/50-kjadm-auto.conf",
            "/var/lib/kjadm/etcd/member.json");

    private final MemoryFiles files = new MemoryFiles();
    private final VirtualWaiter waiter = new VirtualWaiter();
    private final ScriptedRunner runner = new ScriptedRunner()
            .with("systemctl")
            .answering("systemctl daemon-reload", "")
            .answering("systemctl disable etcd", "")
            .answering("systemctl enable etcd", "")
            .answering("systemctl start --no-block etcd", "")
            .answering("systemctl stop etcd", "")
            .answering("systemctl show --property=LoadState etcd", "LoadState=loaded\n")
            .answering("systemctl is-active etcd", new Output(3, "inactive\n", ""));
    private final AutoMemory memory = AutoMemory.of(files, LogLab.STATE);

    MemberFenceTest() {
        memory.start(new SplittableRandom(1));
        isSetUp();
    }

    private void isSetUp() {
        SETTINGS.forEach(file -> files.with(file, "of " + file));
        files.with("/var/lib/kjadm/etcd/member.json", """
                {"founder": true, "finished": true, "token": "", "name": "cp-1", "version": "3.6.8",
                 "address": "10.0.0.1", "dataDir": "/var/lib/etcd", "certificatesDir": "/etc/etcd/pki",
                 "installDir": "/opt/bin", "serverCertSans": [], "unitSettings": []}
                """);
        files.with("/opt/bin/etcd", "program");
    }

    private MemberFence fence() {
        return fence(files);
    }

    private MemberFence fence(HostFiles on) {
        return new MemberFence(
                AutoMemory.of(on, LogLab.STATE),
                new SystemdEtcd(
                        new Machine(on, runner, new MemoryRuntime(), url -> "", waiter, waiter),
                        EtcdHostPaths.standard()),
                DATA,
                new RecordingReporter());
    }

    /** @return whether the power went on the way */
    private boolean cut(PowerCut.Socket socket, Consumer<MemberFence> work) {
        try {
            work.accept(fence(socket.plug(HostFiles.class, files)));
        } catch (PowerCut e) {
            assertTrue(e.at(socket));
        }
        return socket.wasCut();
    }

    private void data() {
        files.with("/var/lib/etcd/member/snap/db", SnapshotBytes.atRevision(103))
                .with("/var/lib/etcd/member/wal/0.wal", WalText.of(0xa001, 0xc1));
    }

    private Map<Path, String> contents() {
        return files.files().stream()
                .filter(file -> !file.startsWith(LogLab.STATE))
                .collect(Collectors.toMap(
                        file -> file, file -> new String(files.readBytes(file).orElseThrow())));
    }

    @Test
    void everythingIsMovedAndNothingDeleted() {
        data();
        Map<Path, String> before = contents();

        fence().fence(FENCE);

        Fenced fenced = memory.fenced(1).orElseThrow();
        assertEquals(MEMBER, fenced.member());
        assertEquals(103, fenced.progress().map(Progress::revision).orElseThrow());
        assertTrue(files.exists(Path.of(fenced.data()).resolve("snap/db")), fenced.data());
        assertFalse(files.exists(DATA.resolve("member")));
        SETTINGS.forEach(file -> assertFalse(files.exists(Path.of(file)), file));
        assertEquals(
                before.values().stream().sorted().toList(),
                contents().values().stream().sorted().toList());
        assertTrue(files.exists(Path.of("/opt/bin/etcd")));
    }

    @Test
    void everythingIsPutBack() {
        data();
        Map<Path, String> before = contents();
        fence().fence(FENCE);

        fence().unfence(new Step.Unfence(1));

        assertEquals(before, contents());
        assertEquals(Optional.empty(), memory.fenced(1));
    }

    @Test
    void afterAPowerCutTheFenceIsContinued() {
        int cuts = 0;
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            MemberFenceTest other = new MemberFenceTest();
            other.data();
            Map<Path, String> before = other.contents();
            if (other.cut(socket, fence -> fence.fence(FENCE))) {
                cuts++;
                other.fence().fence(FENCE);
            }
            Fenced fenced = other.memory.fenced(1).orElseThrow();
            assertTrue(
                    other.files.exists(Path.of(fenced.data()).resolve("snap/db")), "cut " + socket);
            assertEquals(Optional.of(103L), fenced.progress().map(Progress::revision));
            SETTINGS.forEach(file ->
                    assertFalse(other.files.exists(Path.of(file)), file + ", cut " + socket));
            assertEquals(
                    before.values().stream().sorted().toList(),
                    other.contents().values().stream().sorted().toList(),
                    "cut " + socket);
        }
        assertTrue(cuts > 10, cuts + " cuts");
    }

    /** The automatic mode had ended, and has adopted the cluster again: generations begin with 1. */
    @Test
    void whatAMemberOfAnEarlierLogHasLeftIsKept() {
        data();
        Set<String> left = Set.of(
                "/etc/etcd/etcd.env.fenced-1",
                "/etc/etcd/pki.fenced-1/ca.crt",
                "/etc/systemd/system/etcd.service.fenced-1",
                "/var/lib/kjadm/etcd.fenced-1/member.json");
        left.forEach(file -> files.with(file, "of another log"));
        Map<Path, String> before = contents();
        fence().fence(FENCE);
        SETTINGS.forEach(file -> assertFalse(files.exists(Path.of(file)), file));
        assertEquals(
                before.values().stream().sorted().toList(),
                contents().values().stream().sorted().toList());
        fence().unfence(new Step.Unfence(1));
        SETTINGS.forEach(file ->
                assertEquals(before.get(Path.of(file)), contents().get(Path.of(file)), file));
    }

    /** The daemon has it written in its first turn after the kill. */
    @Test
    void aCheckOfStartsThatIsWrittenAgainIsNoObstacle() {
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            MemberFenceTest other = new MemberFenceTest();
            other.data();
            Path check = EtcdHostPaths.standard().startCheckDropIn();
            Path record = EtcdHostPaths.standard().memberFile();
            other.cut(socket, fence -> fence.fence(FENCE));
            if (other.files.exists(record)) {
                other.files.with(check.toString(), "of the next run");
            }
            other.fence().fence(FENCE);
            assertFalse(other.files.exists(check), "cut " + socket);
            assertFalse(other.files.exists(record), "cut " + socket);
        }
    }

    @Test
    void afterAPowerCutTheWayBackIsContinued() {
        int cuts = 0;
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            MemberFenceTest other = new MemberFenceTest();
            other.data();
            Map<Path, String> before = other.contents();
            other.fence().fence(FENCE);
            if (other.cut(socket, fence -> fence.unfence(new Step.Unfence(1)))) {
                cuts++;
                other.fence().unfence(new Step.Unfence(1));
            }
            assertEquals(before, other.contents(), "cut " + socket);
            assertEquals(Optional.empty(), other.memory.fenced(1), "cut " + socket);
        }
        assertTrue(cuts > 5, cuts + " cuts");
    }

    /** The way back was cut behind the start of etcd, and another restore is approved. */
    @Test
    void howFarTheDataAreIsFoundAgainAfterTheyWerePutBack() {
        data();
        fence().fence(FENCE);
        Fenced before = memory.fenced(1).orElseThrow();
        fence().unfence(new Step.Unfence(1));
        memory.keepFenced(before);
        files.with("/var/lib/etcd/member/snap/db", SnapshotBytes.atRevision(250));

        fence().fence(FENCE);

        Fenced fenced = memory.fenced(1).orElseThrow();
        assertEquals(250, fenced.progress().map(Progress::revision).orElseThrow());
        assertTrue(files.exists(Path.of(fenced.data()).resolve("snap/db")), fenced.data());
    }

    /** The daemon was started without the {@code --data-dir} of its member. */
    @Test
    void theDataAreMovedFromWhereTheMemberHasThem() {
        Path own = Path.of("/srv/etcd");
        files.with(own + "/member/snap/db", SnapshotBytes.atRevision(103))
                .with(own + "/member/wal/0.wal", WalText.of(0xa001, 0xc1));
        new OwnDisk(files, EtcdHostPaths.standard().diskNote(), new SplittableRandom(1))
                .keep(new DiskNote(
                        "uid",
                        "generation 1",
                        own,
                        "d-1",
                        new DiskPlace("xfs", own.toString(), Path.of("/")),
                        Optional.empty(),
                        Optional.empty(),
                        Floor.NONE));
        Map<Path, String> before = contents();

        fence().fence(FENCE);

        Fenced fenced = memory.fenced(1).orElseThrow();
        assertEquals(103, fenced.progress().map(Progress::revision).orElseThrow());
        assertFalse(files.exists(own.resolve("member")));
        fence().fence(FENCE);
        assertEquals(Optional.of(fenced), memory.fenced(1));

        fence().unfence(new Step.Unfence(1));
        assertEquals(before, contents());
    }

    /** A restore was taken back, the member was removed, and the machine has joined again. */
    @Test
    void theNextMemberOfTheSameGenerationIsStoppedToo() {
        data();
        fence().fence(FENCE);
        Fenced before = memory.fenced(1).orElseThrow();
        isSetUp();
        data();
        MemberId next = new MemberId(0xa002);

        waiter.pause("", "", Duration.ofHours(1));
        fence().fence(new Step.Fence(1, Optional.of(next)));
        Fenced fenced = memory.fenced(1).orElseThrow();
        assertEquals(next, fenced.member());
        assertTrue(files.exists(Path.of(fenced.data()).resolve("snap/db")));
        SETTINGS.forEach(file -> assertFalse(files.exists(Path.of(file)), file));
        assertTrue(files.exists(Path.of("/etc/etcd/etcd.env.fenced-1.1")));
        assertTrue(files.exists(Path.of(before.data()).resolve("snap/db")));
    }

    @Test
    void aMachineWithoutDataIsStoppedToo() {
        fence().fence(FENCE);
        assertEquals(
                Optional.of(new Fenced(1, MEMBER, Optional.empty(), Set.of(), "")),
                memory.fenced(1));
        assertFalse(files.exists(Path.of("/etc/etcd/etcd.env")));
    }

    @Test
    void dataThatCannotBeReadAreMovedToo() {
        files.with("/var/lib/etcd/member/snap/db", new byte[] {1, 2});
        fence().fence(FENCE);
        Fenced fenced = memory.fenced(1).orElseThrow();
        assertEquals(Optional.empty(), fenced.progress());
        assertTrue(files.exists(Path.of(fenced.data()).resolve("snap/db")));
    }

    @Test
    void dataInUseAreLeftWhereTheyAre() {
        data();
        files.with("/proc/locks", "1: FLOCK  ADVISORY  WRITE 4711 fe:00:42 0 EOF\n");
        files.identified("/var/lib/etcd/member/snap/db", "fe:00:42");
        assertThrows(HostException.class, () -> fence().fence(FENCE));
        assertTrue(files.exists(DATA.resolve("member/snap/db")));
        assertEquals(Optional.empty(), memory.fenced(1));
    }
}
