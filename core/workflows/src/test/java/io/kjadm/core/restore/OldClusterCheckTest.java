package io.kjadm.core.restore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.journal.RestoreStep;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** What a look at the old cluster asks, what counts as a sign of it, and what the operator learns. */
class OldClusterCheckTest extends OldClusterScene {

    private static final String UNKNOWN = "it is not known whether the old etcd cluster has ended";

    private Duration elapsed() {
        return node.lab.waiter.elapsed();
    }

    @Test
    void aMemberThatForgetsItsLeaderWithinTenSecondsHasLostTheOthers() {
        declare("cp-2", "cp-3");
        stop("cp-2", "cp-3");
        Duration before = elapsed();
        leaderKnownFor = 10;

        OldClusterCheck.Seen seen = require();

        assertEquals(Duration.ofSeconds(10), elapsed().minus(before));
        assertEquals(node.etcd.id("cp-1"), seen.own().orElseThrow().memberId());
        assertEquals(
                List.of("cp-2: Connection refused", "cp-3: Connection refused"), seen.silences());

        leaderKnownFor = 11;
        ClusterException refusal = refused();
        assertEquals("the etcd cluster has a quorum", refusal.what());
        assertTrue(refusal.why().startsWith("cp-1 knows a leader"), refusal::toString);
    }

    @Test
    void othersThatServeAreToldAtOnce() {
        declare("cp-2", "cp-3");
        Duration before = elapsed();

        ClusterException refusal = refused();

        assertEquals("other etcd members still run", refusal.what());
        assertTrue(
                Named.members(refusal.why()).containsAll(Set.of("cp-2", "cp-3")),
                refusal::toString);
        assertEquals(before, elapsed());
        assertEquals(List.of(), probed);
    }

    @Test
    void aMemberThatServesWithoutALeaderIsTold() {
        declare("cp-2", "cp-3");
        stop("cp-1", "cp-3");
        database(member(1, "cp-1", List.of()), member(2, "cp-2", List.of()));

        assertTrue(
                refused().why().startsWith("cp-2 responds: "), () -> refused().why());
    }

    /** Its etcd may be waiting for its peers before it serves clients. */
    @Test
    void aPeerPortThatAcceptsConnectionsIsTold() {
        declare("cp-2", "cp-3");
        stop("cp-2", "cp-3");
        URI peer = URI.create("https://cp-3:2380");
        node.listening.add(peer);

        ClusterException refusal = refused();

        assertTrue(
                refusal.why().startsWith("cp-3 listens on its peer port ([https://cp-3:2380])"),
                refusal::toString);
        assertTrue(probed.containsAll(List.of(URI.create("https://cp-2:2380"), peer)));
    }

    /** The first run has decided what ended the old cluster; only a sign of it counts now. */
    @Test
    void whereTheNewClusterServesNoNamesAreAskedFor() {
        stop("cp-2", "cp-3");
        files.with(
                ASIDE + "/snap/db",
                SnapshotBytes.listing(List.of(
                        member(1, "cp-1", List.of()),
                        member(2, "cp-2", List.of()),
                        member(3, "cp-3", List.of()))));
        journal(RestoreStep.REBUILT);
        assertEquals(UNKNOWN, refused().what());
        journal(RestoreStep.SERVING);
        require();
        declare("cp-9");
        require();
        node.listening.add(URI.create("https://cp-3:2380"));
        assertEquals("other etcd members still run", refused().what());
        journal(RestoreStep.REBUILT);
        node.listening.clear();
        assertEquals("no member is called cp-9", refused().what());
    }

    /** What runs here after that is of the new cluster. */
    @Test
    void anEtcdThatTheRestoreHasStoppedSaysNothingOfTheOldCluster() {
        declare("cp-2", "cp-3");
        stop("cp-2", "cp-3");
        database(
                member(1, "cp-1", List.of(URI.create("https://cp-1:2379"))),
                member(2, "cp-2", List.of()),
                member(3, "cp-3", List.of()));
        journal(RestoreStep.FETCHED);
        assertTrue(require().own().isPresent());
        journal(RestoreStep.STOPPED);
        assertTrue(require().own().isEmpty());
    }

    @Test
    void namesThatNoMemberHasAreTold() {
        stop("cp-2", "cp-3");
        declare("cp-9", "cp-2", "cp-8");

        ClusterException refusal = refused();

        assertEquals("no member is called cp-8, cp-9", refusal.what());
        assertEquals("the members are cp-1, cp-2, cp-3", refusal.why());
    }

    @Test
    void votersThatAreNotNamedAreToldWithTheCommandThatNamesThem() {
        stop("cp-2", "cp-3");
        declare("cp-3");

        ClusterException refusal = refused();

        assertEquals(UNKNOWN, refusal.what());
        assertEquals(
                "no response from cp-2 (Connection refused); members that still have their data"
                        + " may run again, and form a second cluster",
                refusal.why());
        assertEquals(
                "only if each of them is lost for good or shut off for good: "
                        + "kjadm etcd snapshot restore s --declare-lost cp-3 --declare-lost cp-2",
                refusal.next());
        assertEquals("kjadm etcd snapshot restore s --declare-lost cp-3", check.command(source));
    }

    @Test
    void whereNothingListsTheMembersThereAreNoOthersOnlyByTheOperatorsWord() {
        stopOwn();
        node.lab.api.down(KubeApiException.Kind.UNREACHABLE);

        ClusterException refusal = refused();

        assertTrue(
                refusal.why().startsWith("nothing on this machine lists the members"),
                refusal::toString);
        assertEquals(
                "only if all other members are lost for good or shut off for good, and there are no others: "
                        + "kjadm etcd snapshot restore s --declare-lost no-others",
                refusal.next());
        declare("no-others");
        require();
    }

    /** It was added and has not started, so it has no name and no client URL. */
    @Test
    void aVoterWithoutANameIsCalledByItsId() {
        stop("cp-2", "cp-3");
        declare("cp-2", "cp-3");
        MemberId added = node.etcd.plant(URI.create("https://cp_9:2380"), false);

        ClusterException refusal = refused();

        assertTrue(
                refusal.why().startsWith("no response from %s (no response); ".formatted(added)),
                refusal::toString);
        assertTrue(refusal.next().endsWith("--declare-lost " + added), refusal::toString);
    }

    @Test
    void whatALaterRunNeedsIsNoted() {
        stop("cp-2", "cp-3");
        declare("cp-2", "cp-3");
        require();
        assertFalse(files.exists(Path.of("/etc/kubernetes/tmp/kjadm-restore/members.json")));
        check.keepMembers();
        assertTrue(files.exists(Path.of("/etc/kubernetes/tmp/kjadm-restore/members.json")));
    }

    /** One that is made is valid for an hour. */
    @Test
    void aClientCertificateIsUsedForHalfAnHour() {
        stop("cp-2", "cp-3");
        declare("cp-2", "cp-3");
        require();
        node.lab.waiter.pause("", "", Duration.ofMinutes(30));
        require();
        assertSame(accesses.get(0), accesses.get(1));
        node.lab.waiter.pause("", "", Duration.ofSeconds(1));
        require();
        assertNotSame(accesses.get(1), accesses.get(2));
    }
}
