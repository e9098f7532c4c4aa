package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberRecord;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.standalone.CaOfGeneration;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Copy;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Local;
import io.kjadm.etcd.auto.AutoFacts.Memory;
import io.kjadm.etcd.auto.AutoFacts.SetUp;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.EntryBody.Added;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Done;
import io.kjadm.etcd.auto.EntryBody.Fenced;
import io.kjadm.etcd.auto.EntryBody.Observed;
import io.kjadm.etcd.auto.EntryBody.Ready;
import io.kjadm.etcd.auto.EntryBody.Retire;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.UnitState;
import io.kjadm.manifests.StandaloneEtcd.Directories;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** What a machine sees of its etcd service, its disk, and of what stops it. */
class SystemdViewTest {

    private static final Path DATA = Path.of("/var/lib/etcd");
    private static final Path DROP_IN = EtcdHostPaths.standard().startCheckDropIn();

    private final LogLab lab = new LogLab();
    private final MemoryFiles files = new MemoryFiles()
            .with("/proc/self/mountinfo", "24 1 254:1 / / rw shared:1 - ext4 /dev/vda1 rw\n");
    private final AutoLog log = lab.machine(files);
    private final AutoMemory memory = AutoMemory.of(files, LogLab.STATE);
    private final List<String> commands = new ArrayList<>();
    private final SystemdEtcd etcd = new SystemdEtcd(
            new Machine(files, new Systemd(), null, null, lab.waiter, lab.waiter),
            EtcdHostPaths.standard());
    private String unit = "LoadState=not-found";
    private String journal = "";
    private Optional<Copy> copy = Optional.empty();
    private Optional<Path> archive = Optional.empty();

    /** Shows the unit as it is. */
    private final class Systemd implements CommandRunner {

        @Override
        public Output run(List<String> command, Duration limit) {
            if (command.getFirst().equals("journalctl")) {
                return new Output(0, journal, "");
            }
            commands.add(command.get(1));
            return new Output(0, command.get(1).equals("show") ? unit : "", "");
        }

        @Override
        public boolean isInstalled(String program) {
            return program.equals("systemctl");
        }
    }

    private SystemdView view() {
        return new SystemdView(
                memory,
                etcd,
                new EtcdClients(files, null, null, lab.waiter),
                new CaOfGeneration(lab.store, files, lab.token.ca(), LogLab.STATE),
                new SystemdView.Keeping(
                        new OwnDisk(files, LogLab.STATE.resolve("disk.json"), lab.random),
                        () -> copy,
                        List.of("/opt/kjadm/bin/kjadm", "etcd", "auto", "check")),
                new SystemdView.Options(
                        "etcd1",
                        InetAddress.getLoopbackAddress(),
                        new Directories(DATA, Path.of("/etc/etcd/pki"), Path.of("/opt/bin")),
                        List.of(),
                        archive,
                        new AutoFacts.Backup(new Step.Save("/backups", "age1"), "/backup.identity"),
                        Path.of("/run/kjadm.lock")));
    }

    private Local local() {
        return view().local(log.charter(), Optional.empty());
    }

    @Test
    void aMachineWithoutTheArchiveThatItWasToldOfIsNotReady() {
        unit("LoadState=not-found");
        files.with("/proc/1/comm", "systemd\n");
        archive = Optional.of(Path.of("/root/etcd.tar.gz"));
        List<String> missing = local().readiness().missing();
        files.with("/opt/bin/etcd", "installed before");
        List<String> installed = local().readiness().missing();
        files.delete(Path.of("/opt/bin/etcd"));
        files.with("/root/etcd.tar.gz", "");
        assertEquals(
                List.of("/root/etcd.tar.gz (--etcd-tarball) does not exist"),
                missing.stream().filter(it -> !installed.contains(it)).toList());
        assertEquals(installed, local().readiness().missing());
    }

    private UnitState unit(String... properties) {
        unit = String.join("\n", properties);
        return local().unit();
    }

    @Test
    void theStateOfTheUnitFollowsFromWhatSystemdTells() {
        assertEquals(UnitState.ABSENT, unit("LoadState=not-found"));
        assertEquals(UnitState.ACTIVE, unit("LoadState=loaded", "ActiveState=active"));
        assertEquals(UnitState.ACTIVE, unit("LoadState=loaded", "ActiveState=activating"));
        for (String again : List.of("auto-restart", "auto-restart-queued")) {
            assertEquals(
                    UnitState.RESTARTING,
                    unit("LoadState=loaded", "ActiveState=activating", "SubState=" + again));
        }
        assertEquals(UnitState.FAILED, unit("LoadState=loaded", "ActiveState=failed"));
        assertEquals(
                UnitState.STOPPED,
                unit(
                        "LoadState=loaded",
                        "ActiveState=inactive",
                        "Result=success",
                        "UnitFileState=enabled",
                        "InactiveExitTimestampMonotonic=71000"));
    }

    @Test
    void aStartThatACheckOrAMountPreventedIsNotAPersons() {
        assertEquals(
                UnitState.SKIPPED,
                unit(
                        "LoadState=loaded",
                        "ActiveState=inactive",
                        "Result=exec-condition",
                        "UnitFileState=enabled",
                        "InactiveExitTimestampMonotonic=71000"));
        assertEquals(
                UnitState.SKIPPED,
                unit(
                        "LoadState=loaded",
                        "ActiveState=inactive",
                        "Result=success",
                        "UnitFileState=enabled",
                        "InactiveExitTimestampMonotonic=0"));
        assertEquals(
                UnitState.STOPPED,
                unit(
                        "LoadState=loaded",
                        "ActiveState=inactive",
                        "Result=success",
                        "UnitFileState=disabled",
                        "InactiveExitTimestampMonotonic=0"));
    }

    @Test
    void dataThatEtcdCannotStartWithAreLost() {
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        memory.begins(1);
        view().begins(log.charter());
        files.with("/etc/etcd/etcd.env", "");
        unit = "LoadState=loaded\nActiveState=activating\nSubState=auto-restart";
        journal = "{\"level\":\"fatal\",\"msg\":\"dial tcp: connection refused\"}\n";
        assertInstanceOf(Data.Held.class, local().data());
        journal = "{\"level\":\"panic\",\"msg\":\"tocommit(9) is out of range [lastIndex(3)]\"}\n";
        assertInstanceOf(Data.Lost.class, local().data());
        unit = "LoadState=loaded\nActiveState=active\nSubState=running";
        assertInstanceOf(Data.Held.class, local().data());
    }

    @Test
    void systemdChecksEachStartFromTheFirstOn() {
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        view().begins(log.charter());
        assertEquals("""
                # Written by kjadm etcd auto: etcd starts only on its disk, and as a member of its cluster.
                [Unit]
                RequiresMountsFor=/var/lib/etcd
                After=local-fs.target remote-fs.target

                [Service]
                ExecCondition=+/opt/kjadm/bin/kjadm etcd auto check
                """, files.text(DROP_IN.toString()));
        assertEquals(List.of("daemon-reload"), commands);

        view().begins(log.charter());
        assertEquals(List.of("daemon-reload"), commands, "it is there already");

        etcd.uncheckStart();
        assertFalse(files.exists(DROP_IN));
    }

    @Test
    void afterTheEndOfTheAutomaticModeEtcdStartsWithoutKjadm() {
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        view().begins(log.charter());
        AutoLog person = lab.person();
        person.refresh();
        person.append(new Retire(""), "", "");
        log.refresh();
        assertTrue(files.exists(LogLab.STATE.resolve("disk.json")));
        seen(local());
        assertFalse(files.exists(DROP_IN));
        assertFalse(files.exists(LogLab.STATE.resolve("disk.json")), "it may be adopted again");
    }

    private void seen(Local local) {
        seen(local, new EtcdView.Silent(""));
    }

    private void seen(Local local, EtcdView etcdView) {
        SystemdView view = view();
        view.seen(new AutoFacts(
                view.self(log.charter()),
                new StoreView.Silent(""),
                log.charter(),
                Map.of(),
                local,
                etcdView,
                new Memory(
                        Map.of(),
                        Optional.empty(),
                        Duration.ZERO,
                        Optional.empty(),
                        Instant.EPOCH)));
    }

    /** The automatic mode takes over a member that runs. */
    @Test
    void theDiskOfAMemberThatWasClaimedIsMarked() {
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        Seat seat = log.charter().voters().getFirst();
        unit = "LoadState=loaded\nActiveState=active\nSubState=running";
        Local running = local();
        seen(with(running, new Data.Held(0, Optional.of(new MemberId(7)))));
        assertFalse(files.exists(DROP_IN), "it is another member");
        seen(with(running, new Data.Held(0, Optional.of(seat.id()))));
        assertTrue(files.exists(DROP_IN));
        assertEquals(1, memory.generation());
        assertEquals(
                Optional.of(memory.id()), DiskMarker.read(files, DATA).map(DiskMarker::machine));
    }

    /** Unmarked, it would not be started again. */
    @Test
    void theDiskOfAMemberThatWasClaimedIsMarkedAlsoWhenEtcdHasFailedSince() {
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        Data held =
                new Data.Held(0, Optional.of(log.charter().voters().getFirst().id()));
        unit = "LoadState=loaded\nActiveState=inactive\nResult=success\nUnitFileState=disabled";
        seen(with(local(), held));
        assertEquals(0, memory.generation(), "a person has stopped it");
        unit = "LoadState=loaded\nActiveState=failed";
        seen(with(local(), held));
        assertEquals(1, memory.generation());
        assertTrue(DiskMarker.read(files, DATA).isPresent());
    }

    /** Of etcdadm, or of a kjadm whose files were lost. */
    @Test
    void aMemberOfAnotherProgramIsTakenOverOnceTheLogListsItAndItIsHealthy() {
        lab.founder();
        log.refresh();
        Seat founder = log.charter().voters().getFirst();
        Seat own = new Seat(
                new MemberId(7),
                "etcd2",
                Optional.empty(),
                List.of(URI.create("https://10.0.0.12:2380")),
                List.of(URI.create("https://10.0.0.12:2379")));
        files.with("/etc/etcd/etcd.env", """
                ETCD_NAME=etcd2
                ETCD_DATA_DIR=/var/lib/etcd
                ETCD_INITIAL_ADVERTISE_PEER_URLS=https://10.0.0.12:2380
                ETCD_ADVERTISE_CLIENT_URLS=https://10.0.0.12:2379
                ETCD_CERT_FILE=/etc/etcd/pki/server.crt
                ETCD_KEY_FILE=/etc/etcd/pki/server.key
                ETCD_TRUSTED_CA_FILE=/etc/etcd/pki/ca.crt
                ETCD_PEER_CERT_FILE=/etc/etcd/pki/peer.crt
                ETCD_PEER_KEY_FILE=/etc/etcd/pki/peer.key
                ETCD_PEER_TRUSTED_CA_FILE=/etc/etcd/pki/ca.crt
                """);
        String service = EtcdHostPaths.standard().unit().toString();
        files.with(service, "[Service]\nEnvironmentFile=/etc/etcd/etcd.env\nExecStart=/srv/etcd\n");
        unit = "LoadState=loaded\nActiveState=active\nSubState=running";
        Data held = new Data.Held(0, Optional.of(own.id()));

        seen(with(local(), held), answers(own, true));
        assertEquals(Optional.empty(), etcd.record(), "the log does not list it");
        log.append(new Observed(List.of(founder, own)), "", "");
        seen(with(local(), held), answers(own, false));
        assertEquals(Optional.empty(), etcd.record(), "it is not healthy");
        copy = Optional.of(new Copy(true, ""));
        seen(with(local(), held), answers(own, true));
        assertEquals(Optional.empty(), etcd.record(), "another machine has this one's ID");
        copy = Optional.empty();
        seen(with(local(), held), answers(own, true));
        MemberRecord record = etcd.record().orElseThrow();
        assertTrue(record.finished());
        assertEquals(Path.of("/srv"), record.settings().directories().install());
        assertEquals(SetUp.JOIN, local().by());
    }

    /** Its root disk was replaced; a join or another program's member is something else. */
    @Test
    void whereOnlyTheDataOfAMemberAreEtcdIsToBeSetUp() {
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        memory.begins(1);
        view().begins(log.charter());
        assertEquals(SetUp.NONE, local().by(), "there are no data");
        Seat seat = log.charter().voters().getFirst();
        files.with(
                DATA + "/member/wal/0000000000000000-0000000000000000.wal",
                WalText.of(
                        seat.id().value(),
                        Long.parseUnsignedLong(log.charter().cluster().orElseThrow(), 16)));
        assertEquals(SetUp.DATA, local().by());
        files.delete(DROP_IN);
        seen(local());
        assertTrue(files.exists(DROP_IN), "its first start is checked");

        files.with("/etc/etcd/etcd.env", "");
        assertEquals(SetUp.NONE, local().by(), "another program has set it up");
        MemberSettings settings = new MemberSettings(
                "etcd1",
                new EtcdVersion(3, 6, 14),
                InetAddress.getLoopbackAddress(),
                new Directories(DATA, Path.of("/etc/etcd/pki"), Path.of("/opt/bin")),
                List.of(),
                List.of());
        etcd.remember(new MemberRecord(settings, false, false, ""));
        assertEquals(SetUp.DATA, local().by(), "a run of kjadm was killed");
        etcd.remember(new MemberRecord(settings, true, false, ""));
        assertEquals(SetUp.NONE, local().by(), "an 'etcd init' was killed");
        files.delete(Path.of("/etc/etcd/etcd.env"));
        assertEquals(SetUp.DATA, local().by(), "a record without settings does not count");
        files.with("/etc/etcd/etcd.env", "");
        etcd.finished(new MemberRecord(settings, false, false, ""));
        assertEquals(SetUp.JOIN, local().by());
    }

    /** Its data were moved aside when a restore was approved, which was taken back. */
    @Test
    void dataThatWereMovedAsideForARestoreAreNotLost() {
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        Seat seat = log.charter().voters().getFirst();
        Seat other = new Seat(
                new MemberId(7),
                "etcd2",
                Optional.empty(),
                List.of(URI.create("https://10.0.0.12:2380")),
                List.of());
        log.append(new Observed(List.of(seat, other)), "", "");
        log.append(new Ready(1), "", "");
        memory.begins(1);
        assertInstanceOf(Data.Lost.class, local().data());
        memory.keepFenced(
                new Fenced(1, seat.id(), Optional.empty(), Set.of(), "/var/lib/etcd.fenced-1"));
        memory.begins(0);
        assertInstanceOf(Data.Blank.class, local().data());
    }

    /** A machine whose memory was moved away, as where its cluster moves to another store. */
    @Test
    void theCheckOfAnAutomaticModeThatTheMachineHasLeftIsRemoved() {
        lab.founder();
        log.refresh();
        etcd.checkStart(List.of("/opt/kjadm/bin/kjadm"), DATA);
        seen(with(local(), new Data.Held(0, Optional.of(new MemberId(7)))));
        assertFalse(files.exists(DROP_IN));
    }

    private EtcdView answers(Seat seat, boolean healthy) {
        Member member =
                new Member(seat.id(), seat.name(), seat.peerUrls(), seat.clientUrls(), false);
        String cluster = log.charter().cluster().orElseThrow();
        MemberStatus status = new MemberStatus(
                new MemberIds(cluster, seat.id()),
                seat.id(),
                MemberStatus.Versions.of(new EtcdVersion(3, 5, 16)),
                new MemberStatus.Database(0, OptionalLong.empty(), OptionalLong.empty()),
                new MemberStatus.Raft(1, 9, 9),
                false,
                List.of());
        return new EtcdView.Answers(
                healthy
                        ? new EtcdHealth(List.of(member), Map.of(seat.id(), status), Map.of())
                        : new EtcdHealth(List.of(member), Map.of(), Map.of(seat.id(), "no answer")),
                cluster);
    }

    /** It may be about to be removed as a surplus voter; its machine is cleared afterwards. */
    @Test
    void theDiskOfAMemberThatWasClaimedIsMarkedWhileAnotherMachineChangesMembers() {
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        MemoryFiles others = new MemoryFiles();
        AutoLog other = lab.machine(others);
        other.refresh();
        Added added = new Added(
                LogLab.id(others), "etcd2", List.of(URI.create("https://10.0.0.12:2380")));
        other.append(Change.add(1, added, log.charter().voterIds()), "", "");
        log.refresh();
        assertTrue(log.charter().change().isPresent());
        unit = "LoadState=loaded\nActiveState=active\nSubState=running";
        Seat seat = log.charter().voters().getFirst();
        seen(with(local(), new Data.Held(0, Optional.of(seat.id()))));
        assertEquals(1, memory.generation());
        assertTrue(DiskMarker.read(files, DATA).isPresent());
    }

    private static Local with(Local local, Data data) {
        return new Local(
                data,
                local.unit(),
                SetUp.JOIN,
                local.readiness(),
                local.provided(),
                local.fenced(),
                local.stops());
    }

    @Test
    void aBlankMachineIsBlankAndAnotherDiskIsNot() {
        assertInstanceOf(Data.Blank.class, local().data());
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        view().begins(log.charter());
        assertInstanceOf(Data.Blank.class, local().data());
        files.with(
                "/proc/self/mountinfo",
                "24 1 254:1 / / rw shared:1 - ext4 /dev/vda1 rw\n77 24 254:16 / /var/lib/etcd rw - tmpfs none rw\n");
        assertInstanceOf(Data.OtherDisk.class, local().data());
    }

    /** It was killed while it joined, and voted already; its directory was emptied since. */
    @Test
    void aVotersEmptyDirectoryIsLostData() {
        MemoryFiles others = new MemoryFiles();
        AutoLog founder = lab.machine(others);
        founder.refresh();
        founder.append(LogLab.form(LogLab.id(others)), "", "");
        log.refresh();
        Added added =
                new Added(memory.id(), "etcd2", List.of(URI.create("https://10.0.0.12:2380")));
        log.append(Change.add(1, added, log.charter().voterIds()), "", "");
        memory.begins(1);
        view().begins(log.charter());
        files.with("/etc/etcd/etcd.env", "");
        assertInstanceOf(Data.Held.class, local().data(), "it is joining");

        List<Seat> voters = new ArrayList<>(log.charter().voters());
        voters.add(new Seat(
                new MemberId(7),
                added.name(),
                Optional.of(memory.id()),
                added.peerUrls(),
                List.of()));
        log.append(new Done(2, voters), "", "");
        assertInstanceOf(Data.Lost.class, local().data());
    }

    @Test
    void whatStopsTheMachineIsSeen() {
        assertEquals(Optional.empty(), local().stops().person());
        copy = Optional.of(new Copy(true, "another one reports"));
        LocalPause.begin(files, "the store burned");
        assertEquals(copy, local().stops().copy());
        assertEquals(Optional.of("the store burned"), local().stops().person());
        assertTrue(LocalPause.end(files));
        assertFalse(LocalPause.end(files));
        assertEquals(Optional.empty(), local().stops().person());
    }
}
