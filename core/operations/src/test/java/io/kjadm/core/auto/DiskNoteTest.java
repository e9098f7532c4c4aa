package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Doing;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.etcd.auto.MachineReport.Life;
import io.kjadm.etcd.auto.MachineReport.OfEtcd;
import io.kjadm.etcd.auto.MachineReport.Readiness;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.UnitState;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** What a machine notes of its member and of how far the data were. */
class DiskNoteTest extends OwnDiskLab {

    /** The root disk was put back with it, and the store knows more. */
    @Test
    void whatTheStoreKnowsOfTheDataCounts() {
        assertInstanceOf(
                Data.Lost.class,
                disk.objection(self, false, Optional.of(report(IDS.memberId(), 901)))
                        .orElseThrow());
        assertEquals(
                Optional.empty(),
                disk.objection(self, false, Optional.of(report(IDS.memberId(), 900))));
        assertEquals(
                Optional.empty(),
                disk.objection(self, false, Optional.of(report(new MemberId(5), 901))));
    }

    /** The report that is written next knows no more than this machine does. */
    @Test
    void whatTheStoreKnowsOfTheDataIsNotedWhileTheyAreLost() {
        disk.seen(lost(report(IDS.memberId(), 901)), Instant.EPOCH);
        assertEquals(901, disk.floor().index());
        assertInstanceOf(
                Data.Lost.class, disk.objection(self, false, Optional.empty()).orElseThrow());
    }

    /** As a whole, to when its member was a learner: the store knows that it has voted since. */
    @Test
    void aMachineThatIsPutBackToItsJoinIsToldWhatItsMemberHad() {
        MemberIds founder = new MemberIds(
                log.charter().cluster().orElseThrow(),
                log.charter().seat(self).orElseThrow().id());
        note(OwnDiskLab::unknown);
        log(founder, 3, 900);
        MachineReport report = report(founder.memberId(), 901);
        assertInstanceOf(
                Data.Lost.class,
                disk.objection(self, false, Optional.of(report)).orElseThrow());
        disk.seen(lost(report(new MemberId(5), 901)), Instant.EPOCH);
        assertEquals(Optional.empty(), disk.note().orElseThrow().ids());
        disk.seen(lost(report), Instant.EPOCH);
        assertEquals(Optional.of(founder), disk.note().orElseThrow().ids());
        assertInstanceOf(
                Data.Lost.class, disk.objection(self, false, Optional.empty()).orElseThrow());
    }

    /** The store is silent, so the log does not say yet that it votes. */
    @Test
    void aVoterIsNotedBeforeTheLogSaysThatItVotes() {
        MemberIds joined = new MemberIds(IDS.clusterId(), new MemberId(0x77));
        note(OwnDiskLab::unknown);
        Data held = new Data.Held(1, Optional.of(joined.memberId()));
        disk.seen(
                facts(held, listed(joined.memberId(), true), report(new MemberId(5), 0)),
                Instant.EPOCH);
        assertEquals(Optional.empty(), disk.note().orElseThrow().ids());
        disk.seen(
                facts(held, listed(joined.memberId(), false), report(new MemberId(5), 0)),
                Instant.EPOCH);
        assertEquals(Optional.of(joined), disk.note().orElseThrow().ids());
    }

    private static AutoFacts.EtcdView listed(MemberId id, boolean learner) {
        return answers(id, learner, Map.of());
    }

    private static AutoFacts.EtcdView answers(
            MemberId id, boolean learner, Map<MemberId, MemberStatus> statuses) {
        URI url = URI.create("https://10.0.0.11:2380");
        Member member = new Member(id, "etcd1", List.of(url), List.of(url), learner);
        return new AutoFacts.EtcdView.Answers(
                new EtcdHealth(
                        List.of(member),
                        statuses,
                        statuses.isEmpty() ? Map.of(id, "slow") : Map.of()),
                IDS.clusterId());
    }

    /** The daemon runs on while its machine leaves a cluster and joins, or founds, the next one. */
    @Test
    void whatAFormerMemberHadIsNotExpectedOfTheNextOne() {
        serves(IDS, 7, 5_000, Instant.EPOCH.plusSeconds(10));
        MemberIds next = new MemberIds(IDS.clusterId(), new MemberId(0x78));
        note(note -> unknown(note).with(next));
        serves(next, 3, 12, Instant.EPOCH.plusSeconds(60));
        assertEquals(0, disk.floor().index());
        serves(next, 3, 20, Instant.EPOCH.plusSeconds(120));
        assertEquals(new Floor(3, 12), disk.floor());
    }

    private void serves(MemberIds ids, long term, long index, Instant now) {
        EtcdVersion version = new EtcdVersion(3, 6, 14);
        MemberStatus status = new MemberStatus(
                ids,
                ids.memberId(),
                MemberStatus.Versions.of(version),
                new MemberStatus.Database(0, OptionalLong.empty(), OptionalLong.empty()),
                new MemberStatus.Raft(term, index, index),
                false,
                List.of());
        disk.seen(
                facts(
                        new Data.Held(1, Optional.of(ids.memberId())),
                        answers(ids.memberId(), false, Map.of(ids.memberId(), status)),
                        report(ids.memberId(), 0)),
                now);
    }

    private AutoFacts lost(MachineReport report) {
        return facts(new Data.Lost(""), new AutoFacts.EtcdView.Silent(""), report);
    }

    /** After the next boot the store may not respond. */
    @Test
    void howFarTheDataHaveToBeIsRememberedWhereAnotherMachineMayHaveTheId() {
        copy = Optional.of(new AutoFacts.Copy(false, "it has booted"));
        note(OwnDiskLab::unknown);
        disk.seen(lost(report(IDS.memberId(), 1_000)), Instant.EPOCH);
        assertEquals(Optional.empty(), disk.note().orElseThrow().ids());

        note(note -> note.with(IDS));
        disk.seen(lost(report(IDS.memberId(), 1_000)), Instant.EPOCH);
        assertEquals(new Floor(3, 1_000), disk.floor());
        refused(Data.Lost.class);
    }

    private AutoFacts facts(Data data, AutoFacts.EtcdView etcd, MachineReport report) {
        return new AutoFacts(
                new AutoFacts.Self(
                        self,
                        new Step.Own(
                                "etcd1",
                                "10.0.0.11",
                                log.charter().seed().spec().version(),
                                List.of()),
                        URI.create("https://10.0.0.11:2380"),
                        URI.create("https://10.0.0.11:2379"),
                        new AutoFacts.Backup(
                                new Step.Save("/backups", "age1"), "/backup.identity")),
                new AutoFacts.StoreView.Silent(""),
                log.charter(),
                Map.of(self, new AutoFacts.Seen(report, Duration.ZERO, Duration.ZERO)),
                new AutoFacts.Local(
                        data,
                        UnitState.SKIPPED,
                        AutoFacts.SetUp.JOIN,
                        new Readiness(List.of()),
                        new AutoFacts.Provided(true, true, Optional.empty()),
                        Optional.empty(),
                        new AutoFacts.Stops(Optional.empty(), copy, Optional.empty())),
                etcd,
                new AutoFacts.Memory(
                        Map.of(),
                        Optional.empty(),
                        Duration.ZERO,
                        Optional.empty(),
                        Instant.EPOCH));
    }

    private MachineReport report(MemberId member, long index) {
        return new MachineReport(
                self,
                new Life(1, 1, ""),
                new Known(0, ""),
                new OfEtcd(
                        "etcd1",
                        "10.0.0.11",
                        UnitState.ACTIVE,
                        Optional.of(member),
                        1,
                        new Floor(3, index)),
                new Readiness(List.of()),
                new Doing(Optional.empty(), Optional.empty(), ""));
    }
}
