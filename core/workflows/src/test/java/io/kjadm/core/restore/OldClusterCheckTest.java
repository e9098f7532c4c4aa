package io.kjadm.core.restore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.Forwarding;
import io.kjadm.core.etcd.host.StaticPodEtcd;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.RestoreStep;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What a look at the old cluster asks, what counts as a sign of it, and what the operator learns. */
class OldClusterCheckTest {

    private static final URI VIP = URI.create("https://vip:2379");
    private static final Path ASIDE = Path.of("/var/lib/etcd.replaced-20261126-030000");
    private static final String UNKNOWN = "it is not known whether the old etcd cluster has ended";

    private final RestoringNode node = new RestoringNode(3);
    private final MemoryFiles files = node.lab.init.files;
    private final List<EtcdAccess> accesses = new ArrayList<>();
    private final List<URI> probed = new ArrayList<>();
    private NamedSource source = NamedSource.of("c1");
    private List<String> declared = List.of();
    private int leaderKnownFor;
    private OldClusterCheck check;

    /** The cluster with this node behind a virtual address, too. */
    private final class Seen extends Forwarding {

        Seen() {
            super(node.etcd);
        }

        @Override
        public MemberStatus status(URI clientUrl) {
            if (clientUrl.equals(VIP)) {
                return super.status(URI.create("https://127.0.0.1:2379"));
            }
            MemberStatus now = super.status(clientUrl);
            if (leaderKnownFor == 0) {
                return now;
            }
            leaderKnownFor--;
            return new MemberStatus(
                    now.ids(),
                    node.etcd.id("cp-2"),
                    now.versions(),
                    now.database(),
                    now.raft(),
                    now.learner(),
                    List.of());
        }
    }

    @BeforeEach
    void begin() {
        EtcdClients clients = new EtcdClients(
                files,
                node.lab.clients(files),
                access -> {
                    accesses.add(access);
                    return new Seen();
                },
                node.lab.waiter);
        check = new OldClusterCheck(
                files,
                node.etcd(files),
                clients,
                url -> {
                    probed.add(url);
                    return node.listening.contains(url);
                },
                declared,
                node.lab.out);
    }

    private void declare(String... names) {
        declared = List.of(names);
        begin();
    }

    private void stop(String... names) {
        List.of(names).forEach(name -> node.etcd.stop(node.etcd.id(name)));
    }

    /** This node's etcd does not serve, and stays so. */
    private void stopOwn() {
        node.etcdFails = true;
        stop("cp-1");
    }

    private void database(Member... members) {
        files.with(RestoringNode.DATABASE, SnapshotBytes.listing(List.of(members)));
    }

    private static Member member(int number, String name, List<URI> clientUrls) {
        return new Member(
                new MemberId(number),
                name,
                List.of(URI.create(
                        number == 1
                                ? "https://192.0.2.10:2380"
                                : "https://cp-%d:2380".formatted(number))),
                clientUrls,
                false);
    }

    private void journal(RestoreStep step) {
        new RestoreJournal(files, node.etcd(files), Failpoints.Fuse.none())
                .write(new RestoreEntry(
                        "s",
                        source.command(),
                        Instant.EPOCH,
                        "token",
                        ASIDE,
                        step,
                        Optional.empty()));
    }

    private OldClusterCheck.Seen require() {
        return check.require(source);
    }

    private ClusterException refused() {
        return assertThrows(ClusterException.class, this::require);
    }

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

    private void startedWith(String entry) {
        String manifest = "/etc/kubernetes/manifests/etcd.yaml";
        String own = "initial-cluster=cp-1=https://192.0.2.10:2380";
        files.with(manifest, files.text(manifest).replace(own, own + "," + entry));
    }

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
