package io.kjadm.core.restore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.host.StaticPodEtcd;
import io.kjadm.core.journal.RestoreStep;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** What counts as a sign that the old cluster lives. */
class OldClusterSignsTest extends OldClusterScene {

    /** The database lists this node alone; its manifest was written with another member. */
    @Test
    void whoAnswersWithoutBeingListedIsASign() {
        stopOwn();
        database(member(1, "cp-1", List.of()));
        startedWith("cp-2=https://cp-2:2380");

        ClusterException refusal = refused();

        assertEquals("other etcd members still run", refusal.what());
        assertTrue(refusal.why().startsWith("https://cp-2:2379 knows a leader"), refusal::toString);
    }

    @Test
    void aUrlThatLeadsBackToThisNodeIsNoSign() {
        stop("cp-2", "cp-3");
        declare("cp-2", "cp-3");
        startedWith("vip=https://vip:2380");
        require();

        // by then what answers there is not this node's old member
        journal(RestoreStep.STOPPED);
        database(
                member(1, "cp-1", List.of()),
                member(2, "cp-2", List.of()),
                member(3, "cp-3", List.of()));
        assertTrue(
                refused().why().startsWith(VIP + " responds"), () -> refused().why());
    }

    @Test
    void oneOfAMembersUrlsThatRespondsIsEnough() {
        stopOwn();
        stop("cp-3");
        declare("cp-2");
        database(
                member(1, "cp-1", List.of()),
                member(
                        2,
                        "cp-2",
                        List.of(URI.create("https://cp-9:2379"), URI.create("https://cp-2:2379"))));

        assertTrue(refused().why().startsWith("cp-2 responds"), () -> refused().why());
        stop("cp-2");
        require();
    }

    private void listedBeside(String clusterId, long index) {
        source = new NamedSource(
                Optional.of(clusterId),
                Optional.of(
                        new RestoreSource.Listed(index, List.of(member(4, "cp-4", List.of())))));
    }

    /** What answers there is this node's member, so nothing answers for the other one. */
    @Test
    void aMemberWhoseOnlyUrlLeadsBackToThisNodeDoesNotRespond() {
        stop("cp-2", "cp-3");
        declare("cp-2", "cp-3");
        source = new NamedSource(
                Optional.of("c1"),
                Optional.of(new RestoreSource.Listed(
                        Long.MAX_VALUE, List.of(member(4, "cp-4", List.of(VIP))))));

        assertTrue(
                refused().why().startsWith("no response from cp-4 (no response)"),
                () -> refused().why());
    }

    private void assertRecordedCounts(boolean counts) {
        declare("cp-2", "cp-3");
        if (counts) {
            assertTrue(refused().next().endsWith("--declare-lost cp-4"), source::toString);
        } else {
            require();
        }
    }

    @Test
    void aListThatIsNewerThanThatOfThisNodesEtcdCounts() {
        stop("cp-2", "cp-3");
        long applied = node.etcd.status(URI.create("https://cp-1:2379")).appliedIndex();

        listedBeside("c1", applied);
        assertRecordedCounts(false);
        listedBeside("c1", applied + 1);
        assertRecordedCounts(true);
    }

    /** Entries of the logs of two clusters cannot be compared. */
    @Test
    void theListOfAnotherClusterCountsUnlessThisOneWasRestoredFromIt() {
        stop("cp-2", "cp-3");
        for (long index : List.of(1L, 1_000_000L)) {
            listedBeside("c0", index);
            assertRecordedCounts(true);
        }
        new ClusterLineage(files, StaticPodEtcd.LINEAGE)
                .note(new MemberIds("c1", new MemberId(1)), Optional.empty(), source);
        for (long index : List.of(1L, 1_000_000L)) {
            listedBeside("c0", index);
            assertRecordedCounts(false);
        }
        listedBeside("c0", 1);
        source = new NamedSource(Optional.empty(), source.listed());
        assertRecordedCounts(true);
    }

    /** F179: the member was lost after it knew a leader. */
    @Test
    void aLeaderThatWasKnownAMomentAgoStillCounts() {
        declare("cp-2", "cp-3");
        stop("cp-2", "cp-3");
        leaderKnownFor = 11;
        refused();
        stopOwn();
        database(
                member(1, "cp-1", List.of()),
                member(2, "cp-2", List.of()),
                member(3, "cp-3", List.of()));

        ClusterException refusal = refused();

        assertEquals("the etcd cluster had a quorum 10 s ago", refusal.what());
        Instant until = node.lab.waiter.now().plus(Duration.ofMinutes(15)).minusSeconds(10);
        assertTrue(
                refusal.next().endsWith("after " + until.truncatedTo(ChronoUnit.SECONDS)),
                refusal::toString);
        // what runs after the restore has stopped it does not count
        journal(RestoreStep.STOPPED);
        require();
    }

    private void startedWith(String entry) {
        String manifest = "/etc/kubernetes/manifests/etcd.yaml";
        String own = "initial-cluster=cp-1=https://192.0.2.10:2380";
        files.with(manifest, files.text(manifest).replace(own, own + "," + entry));
    }
}
