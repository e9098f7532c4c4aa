package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberRecord;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.AutoFacts.Copy;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.SetUp;
import io.kjadm.etcd.auto.EntryBody.Added;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Done;
import io.kjadm.etcd.auto.EntryBody.Fenced;
import io.kjadm.etcd.auto.EntryBody.Observed;
import io.kjadm.etcd.auto.EntryBody.Ready;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.UnitState;
import io.kjadm.manifests.StandaloneEtcd.Directories;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What a machine sees of its etcd service, its disk, and of what stops it. */
class SystemdViewTest extends SystemdViewLab {

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

    /** As a copy of a machine is told to do: later the check may pass. */
    @Test
    void whatAPersonHasDisabledSinceTheCheckHasFailedIsStopped() {
        assertEquals(
                UnitState.STOPPED,
                unit(
                        "LoadState=loaded",
                        "ActiveState=inactive",
                        "Result=exec-condition",
                        "UnitFileState=disabled",
                        "InactiveExitTimestampMonotonic=71000"));
    }

    /** Others have added a voter, and started it when the log had it: it lists no client URL of it. */
    @Test
    void whatClientsNeedIsWrittenOnceForTheVotersOfTheLog() {
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        Seat own = log.charter().voters().getFirst();
        log.append(new Observed(List.of(own, unstarted(7))), "", "");
        new ExternalEtcdFile(
                        List.of(own.clientUrls().getFirst(), URI.create("https://10.0.0.12:2379")),
                        "ca",
                        "certificate",
                        "key")
                .write(files, EtcdHostPaths.standard().externalEtcd());
        OwnReport report = new OwnReport(
                log.reports(), memory, new OwnReport.Names("etcd1", "kjadm"), lab.waiter);
        assertFalse(local().provided().clients());
        report.ended(new Step.Clients(List.of()), log.charter());
        assertTrue(local().provided().clients());
        log.append(new Observed(List.of(own, unstarted(7), unstarted(8))), "", "");
        assertFalse(local().provided().clients(), "there is another voter");
    }

    private static Seat unstarted(long id) {
        return new Seat(
                new MemberId(id),
                "",
                Optional.empty(),
                List.of(URI.create("https://10.0.0.1%d:2380".formatted(id))),
                List.of());
    }

    /** The daemon was killed between the end of etcd and its start. */
    @Test
    void anEtcdThatTheAutomaticModeHasStoppedIsNotAPersons() {
        String[] stopped = {
            "LoadState=loaded",
            "ActiveState=inactive",
            "Result=success",
            "UnitFileState=enabled",
            "InactiveExitTimestampMonotonic=71000"
        };
        new OwnReport(log.reports(), memory, new OwnReport.Names("etcd1", "kjadm"), lab.waiter)
                .begins(new Step.Renew(), log.charter());
        assertEquals(UnitState.SKIPPED, unit(stopped));
        assertEquals(UnitState.ACTIVE, unit("LoadState=loaded", "ActiveState=active"));
        seen(local());
        assertEquals(UnitState.STOPPED, unit(stopped), "it has run since");
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
