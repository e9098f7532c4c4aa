package io.kjadm.etcd.recover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.recover.LogEvidence.Gap;
import io.kjadm.etcd.recover.LogEvidence.Position;
import io.kjadm.etcd.recover.MemberFacts.Loss;
import io.kjadm.etcd.recover.MemberFacts.Progress;
import io.kjadm.etcd.recover.MemberFacts.SeenDisk;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

class MemberFactsTest {

    private static final String DIR = "/var/lib/etcd";
    private static final MemberId OTHER = new MemberId(0xdead);
    private static final DatabaseEvidence WHOLE = new DatabaseEvidence.Whole(50, 70, 3, 4096);

    private final Member member = EvidenceScene.member(1);

    private static LogEvidence log(MemberId owner) {
        return new LogEvidence.Readable(
                owner, EvidenceScene.CLUSTER, new Position(80, 4, 90), new Gap(10, 10));
    }

    private static DiskEvidence held(LogEvidence log, DatabaseEvidence database) {
        return new DiskEvidence.Held(DIR, log, database, List.of());
    }

    private static DiskEvidence empty(String owner) {
        return new DiskEvidence.Empty(DIR, List.of(), Optional.of(owner), List.of());
    }

    private MemberFacts facts(DiskEvidence disk) {
        return facts(member, Optional.empty(), disk);
    }

    private static MemberFacts facts(
            Member member, Optional<MemberStatus> status, DiskEvidence disk) {
        return new MemberFacts(
                member,
                status,
                "",
                Optional.empty(),
                Optional.of(new SeenDisk("node-1", EvidenceScene.NOW, disk, true)),
                false);
    }

    private MemberStatus status(long applied, long raft) {
        return new MemberStatus(
                member.id(),
                EvidenceScene.CLUSTER,
                MemberId.NONE,
                MemberStatus.Versions.of(EtcdVersion.parse("3.6.8")),
                4096,
                6,
                raft,
                applied,
                false,
                List.of());
    }

    @Test
    void itsDataGoAsFarAsItsDatabaseAndItsLogTell() {
        assertEquals(
                Optional.of(new Progress(70, 80, 4, 90, OptionalLong.of(50), new Gap(10, 10))),
                facts(held(log(member.id()), WHOLE)).progress());
    }

    @Test
    void ofADatabaseOrALogAloneNothingIsKnown() {
        LogEvidence damaged = new LogEvidence.Damaged("it has a hole");
        DatabaseEvidence unread = new DatabaseEvidence.Unread("it is in use");

        assertEquals(Optional.empty(), facts(held(log(member.id()), unread)).progress());
        assertEquals(Optional.empty(), facts(held(damaged, WHOLE)).progress());
        assertEquals(Optional.empty(), facts(empty("")).progress());
    }

    @Test
    void whatAMemberSaysCountsBesideWhatWasRead() {
        MemberFacts ahead =
                facts(member, Optional.of(status(75, 95)), held(log(member.id()), WHOLE));
        assertEquals(
                Optional.of(new Progress(75, 95, 4, 95, OptionalLong.of(50), new Gap(10, 10))),
                ahead.progress());
        MemberFacts unseen = new MemberFacts(
                member, Optional.of(status(75, 95)), "", Optional.empty(), Optional.empty(), false);
        assertEquals(
                Optional.of(new Progress(75, 95, 6, 95, OptionalLong.empty(), new Gap(0, 0))),
                unseen.progress());
    }

    /** What it said while it ran does not make damaged data usable. */
    @Test
    void damagedDataGoNowhere() {
        LogEvidence log = new LogEvidence.Damaged("it has a hole");
        DatabaseEvidence database = new DatabaseEvidence.Damaged("it ends early");

        for (DiskEvidence disk : List.of(held(log, WHOLE), held(log(member.id()), database))) {
            MemberFacts facts = facts(member, Optional.of(status(75, 95)), disk);
            assertEquals(Optional.empty(), facts.progress());
        }
        assertEquals(
                Optional.of("its write-ahead log is damaged: it has a hole"),
                facts(held(log, WHOLE)).damage());
        assertEquals(
                Optional.of("its database is damaged: it ends early"),
                facts(held(log, database)).damage());
        assertEquals(Optional.empty(), facts(held(log(member.id()), WHOLE)).damage());
    }

    @Test
    void whyADatabaseWasNotReadIsTold() {
        DatabaseEvidence unread = new DatabaseEvidence.Unread("it is in use");

        assertEquals(
                Optional.of("it is in use"),
                facts(held(log(member.id()), unread)).unread());
        assertEquals(Optional.empty(), facts(held(log(member.id()), WHOLE)).unread());
        assertEquals(Optional.empty(), facts(held(log(OTHER), unread)).unread());
    }

    @Test
    void dataOfAnotherMemberAreNotItsOwn() {
        DatabaseEvidence database = new DatabaseEvidence.Damaged("it ends early");

        assertEquals(Optional.empty(), facts(held(log(OTHER), WHOLE)).progress());
        assertEquals(Optional.empty(), facts(held(log(OTHER), database)).damage());
        assertEquals(Loss.SEEN, facts(held(log(OTHER), WHOLE)).loss());
        assertEquals(Loss.NONE, facts(held(log(member.id()), WHOLE)).loss());
        // a log that cannot be read tells no owner
        assertEquals(Loss.NONE, facts(held(new LogEvidence.Damaged(""), WHOLE)).loss());
    }

    @Test
    void whereOnlyManifestsNameItAnyDataMayBeItsOwn() {
        Member named = new Member(
                MemberId.NONE, "cp-1", List.of(URI.create("https://cp-1:2380")), List.of(), false);

        MemberFacts facts = facts(named, Optional.empty(), held(log(OTHER), WHOLE));

        assertTrue(facts.progress().isPresent());
        assertEquals(Loss.NONE, facts.loss());
        assertEquals(Loss.SEEN, facts(named, Optional.empty(), empty("dead")).loss());
    }

    @Test
    void anEmptyDirectoryIsALossIfItIsItsOwn() {
        assertEquals(Loss.SEEN, facts(empty("")).loss());
        assertEquals(Loss.SEEN, facts(empty(member.id().toString())).loss());
        assertEquals(Loss.NONE, facts(empty("dead")).loss());
    }

    private static Progress progress(long kept, long term, long index) {
        return new Progress(kept, kept, term, index, OptionalLong.empty(), new Gap(0, 0));
    }

    /** What is committed decides first, then the term and the index of the last entry. */
    @Test
    void moreIsWhatARestoreWouldKeep() {
        List<Progress> ascending = List.of(
                progress(10, 4, 30), progress(11, 2, 11), progress(11, 3, 11), progress(11, 3, 12));
        for (int one = 0; one < ascending.size(); one++) {
            for (int other = 0; other < ascending.size(); other++) {
                assertEquals(one > other, ascending.get(one).isMoreThan(ascending.get(other)));
            }
        }
    }
}
