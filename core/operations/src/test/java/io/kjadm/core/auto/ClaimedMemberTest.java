package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberRecord;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.auto.AutoFacts.Copy;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Local;
import io.kjadm.etcd.auto.AutoFacts.SetUp;
import io.kjadm.etcd.auto.EntryBody.Added;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Observed;
import io.kjadm.etcd.auto.EntryBody.Retire;
import io.kjadm.etcd.auto.Seat;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A member that the automatic mode has taken over: its disk is marked, and its starts are checked. */
class ClaimedMemberTest extends SystemdViewLab {

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

    /** The member of a cluster that was given up, on a machine that is switched on later. */
    @Test
    void afterTheEndOfTheAutomaticModeTheStartOfAnotherGenerationsMemberIsStillChecked() {
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        view().begins(log.charter());
        AutoLog person = lab.person();
        person.refresh();
        person.append(new Retire(""), "", "");
        log.refresh();
        seen(with(local(), new Data.Held(2, Optional.of(new MemberId(7)))));
        assertTrue(files.exists(DROP_IN));
        assertTrue(files.exists(LogLab.STATE.resolve("disk.json")));
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
}
