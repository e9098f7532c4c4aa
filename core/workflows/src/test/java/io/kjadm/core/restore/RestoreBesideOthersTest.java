package io.kjadm.core.restore;

import static io.kjadm.core.restore.RestoreOutcomes.assertAsBefore;
import static io.kjadm.core.restore.RestoreOutcomes.assertRefused;
import static io.kjadm.core.restore.RestoreOutcomes.assertRestored;
import static io.kjadm.core.restore.RestoreOutcomes.data;
import static io.kjadm.core.restore.RestoreOutcomes.exists;
import static io.kjadm.core.restore.RestoreOutcomes.withOthersStopped;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.manifests.EtcdPod;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** No restore begins a new cluster beside one that may still be there. */
class RestoreBesideOthersTest {

    private final RestoringNode node = new RestoringNode(1);

    @Test
    void anotherMemberThatServesStopsIt() {
        RestoringNode one = new RestoringNode(3);
        Map<String, String> manifests = one.manifests();

        ClusterException refusal = assertThrows(ClusterException.class, one::restore);

        assertEquals(Set.of("cp-1", "cp-2", "cp-3"), Named.members(refusal.why()));
        assertAsBefore(one, manifests);
    }

    /** The manifest of the node that founded the cluster names no other. */
    @Test
    void membersThatOnlyTheApiServerKnowsStopItToo() {
        RestoringNode one = new RestoringNode(3);
        one.etcdFails = true;
        one.lab.waiter.pause("", "", Duration.ofSeconds(1));
        one.lab.api.with(new PodBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName("etcd-cp-2")
                .addToLabels("component", "etcd")
                .addToLabels("tier", "control-plane")
                .addToAnnotations(EtcdPod.CLIENT_URLS_ANNOTATION, "https://cp-2:2379")
                .endMetadata()
                .build());
        Map<String, String> manifests = one.manifests();

        ClusterException refusal = assertThrows(ClusterException.class, one::restore);

        assertEquals(Set.of("cp-2", "cp-3"), Named.members(refusal.why()));
        assertAsBefore(one, manifests);
    }

    @Test
    void votersThatDoNotRespondHaveToBeNamed() {
        RestoringNode one = withOthersStopped();

        ClusterException refusal = assertRefused(one);
        assertTrue(
                refusal.next()
                        .endsWith(
                                "kjadm etcd snapshot restore %s --declare-lost cp-2 --declare-lost cp-3"
                                        .formatted(one.snapshot.name())),
                refusal::toString);
        one.declared = List.of("cp-2");
        refusal = assertRefused(one);
        assertEquals(Set.of("cp-3"), Named.members(refusal.why()));

        one.declared = List.of("cp-2", "cp-4");
        refusal = assertRefused(one);
        assertEquals(Set.of("cp-4"), Named.members(refusal.what()));

        one.declared = List.of("cp-2", "cp-3");
        one.restore();
        assertRestored(one);
    }

    /** Port 2379 is closed between the nodes, 2380 is open: this node's member has a leader. */
    @Test
    void aLeaderThatThisNodesMemberKnowsStopsIt() {
        RestoringNode one = new RestoringNode(3);
        one.unreachable = Set.of("cp-2", "cp-3");
        one.declared = List.of("cp-2", "cp-3");

        ClusterException refusal = assertRefused(one);

        assertEquals("the etcd cluster has a quorum", refusal.what());
        assertEquals(Set.of("cp-1"), Named.members(refusal.why()));
    }

    /** A leader is known for up to two election timeouts after it has gone. */
    @Test
    void aLeaderThatHasJustGoneDoesNotStopIt() {
        RestoringNode one = withOthersStopped();
        one.declared = List.of("cp-2", "cp-3");
        one.leaderKnownFor = 3;

        one.restore();

        assertRestored(one);
    }

    /** F179: what the member knew is judged by later runs too, for as long as it says nothing else. */
    @Test
    void aLeaderThatThisNodesMemberKnewStopsLaterRunsWhileItIsSilent() {
        RestoringNode one = new RestoringNode(3);
        one.unreachable = Set.of("cp-2", "cp-3");
        one.declared = List.of("cp-2", "cp-3");
        assertRefused(one);
        one.etcdFails = true;
        one.lab.waiter.pause("", "", Duration.ofSeconds(1));

        ClusterException refusal = assertRefused(one);

        assertEquals(Optional.of(RestoreReason.HAD_QUORUM), refusal.reason());
        one.lab.waiter.pause("", "", Duration.ofMinutes(15));
        one.etcd.stop(one.etcd.id("cp-2"));
        one.etcd.stop(one.etcd.id("cp-3"));
        one.whileFetching = () -> one.etcdFails = false;
        one.restore();
        assertRestored(one);
    }

    /** F179: its data are lost while the run waits for it to forget a leader. */
    @Test
    void aLeaderIsNotForgottenByAMemberThatIsLost() {
        RestoringNode one = withOthersStopped();
        one.declared = List.of("cp-2", "cp-3");
        one.leaderKnownFor = 3;
        one.lab.waiter.after(one.lab.waiter.elapsed().plusSeconds(2), () -> one.etcdFails = true);

        assertEquals(Optional.of(RestoreReason.HAD_QUORUM), assertRefused(one).reason());

        // it starts again, and knows none
        one.etcdFails = false;
        one.leaderKnownFor = 0;
        one.lab.waiter.pause("", "", Duration.ofSeconds(1));
        one.restore();
        assertRestored(one);
    }

    @Test
    void aPeerPortThatIsOpenStopsIt() {
        RestoringNode one = withOthersStopped();
        one.declared = List.of("cp-2", "cp-3");
        one.listening.add(URI.create("https://cp-3:2380"));

        ClusterException refusal = assertRefused(one);

        assertEquals(Set.of("cp-3"), Named.members(refusal.why()));
    }

    @Test
    void thoseThatWereGivenUpJoinAgain() {
        RestoringNode one = withOthersStopped();
        one.declared = List.of("cp-2", "cp-3");

        one.restore();

        assertRestored(one);
        String last = one.lab.out.in("restore").getLast();
        assertEquals(
                "Restored. The other control-plane nodes must join again, one after the other: run 'kjadm reset --force' on the node, 'kubectl delete node NAME' here, then on the node what 'kjadm token create --print-join-command --certificate-key KEY' prints here, with the KEY of 'kjadm init phase upload-certs --upload-certs'",
                last);
    }

    private static RestoringNode interrupted() {
        RestoringNode one = withOthersStopped();
        one.declared = List.of("cp-2", "cp-3");
        one.lab.init.files.with(RestoringNode.DATABASE, databaseOf(3));
        one.exitStatus = 1;
        assertThrows(ClusterException.class, one::restore);
        one.exitStatus = 0;
        return one;
    }

    /** After a power cut of the site the others boot first. */
    @Test
    void aRestoreThatIsResumedAsksTheOthersAgain() {
        RestoringNode one = interrupted();
        one.etcd.start(one.etcd.id("cp-2"), "cp-2");
        one.etcd.start(one.etcd.id("cp-3"), "cp-3");

        ClusterException refusal = assertThrows(ClusterException.class, one::restore);

        assertEquals(Set.of("cp-2", "cp-3"), Named.members(refusal.why()));
        assertEquals(List.of(), one.running());
        assertTrue(exists(one, RestoringNode.JOURNAL));
        one.etcd.stop(one.etcd.id("cp-2"));
        one.etcd.stop(one.etcd.id("cp-3"));
        one.restore();
        assertRestored(one);
    }

    /** The members are those of the database that was set aside. */
    @Test
    void aRestoreThatIsResumedNeedsTheSameNames() {
        RestoringNode one = interrupted();
        one.declared = List.of();

        ClusterException refusal = assertThrows(ClusterException.class, one::restore);

        assertEquals(
                "only if each of them is lost for good or shut off for good: kjadm etcd snapshot restore 20261120t100000z-0afd --declare-lost cp-2 --declare-lost cp-3",
                refusal.next());
    }

    /** Fetching a snapshot may take hours. */
    @Test
    void othersThatStartWhileTheSnapshotIsFetchedStopIt() {
        RestoringNode one = withOthersStopped();
        one.declared = List.of("cp-2", "cp-3");
        Map<String, String> manifests = one.manifests();
        one.whileFetching = () -> one.etcd.start(one.etcd.id("cp-3"), "cp-3");

        assertThrows(ClusterException.class, one::restore);

        assertEquals("old", data(one));
        assertEquals(manifests, one.manifests());
        assertEquals(4, one.running().size());
    }

    @Test
    void othersThatStartWhileTheDataAreMadeStopIt() {
        RestoringNode one = withOthersStopped();
        one.lab.init.files.with(RestoringNode.DATABASE, databaseOf(3));
        one.declared = List.of("cp-2", "cp-3");
        one.whileMaking = () -> one.etcd.start(one.etcd.id("cp-3"), "cp-3");

        ClusterException refusal = assertThrows(ClusterException.class, one::restore);

        assertEquals(Set.of("cp-3"), Named.members(refusal.why()));
        assertEquals(List.of(), one.running());
    }

    /** The founder's manifest names itself only, its etcd and the API server are down. */
    @Test
    void theDatabaseTellsWhoTheOthersAre() {
        RestoringNode one = new RestoringNode(3);
        one.etcdFails = true;
        one.lab.waiter.pause("", "", Duration.ofSeconds(1));
        one.lab.init.files.with(RestoringNode.DATABASE, databaseOf(3));

        ClusterException refusal = assertThrows(ClusterException.class, one::restore);

        assertEquals(Set.of("cp-2", "cp-3"), Named.members(refusal.why()));
    }

    /** The founder was started again without data, and lists itself alone. */
    @Test
    void theSnapshotsManifestTellsWhoTheOthersWere() {
        RestoringNode one = withOthersStopped();
        one.etcdFails = true;
        one.lab.waiter.pause("", "", Duration.ofSeconds(1));
        one.lab.init.files.with(RestoringNode.DATABASE, databaseOf(1));
        one.lab.api.down(KubeApiException.Kind.UNREACHABLE);

        ClusterException refusal = assertThrows(ClusterException.class, one::restore);

        assertTrue(
                refusal.next().endsWith("--declare-lost cp-2 --declare-lost cp-3"),
                refusal::toString);
    }

    /** F181: the same founder while its empty etcd serves and leads itself. */
    @Test
    void anEmptyFounderThatLeadsItselfIsNoQuorumOfTheOthers() {
        RestoringNode one = withOthersStopped();
        one.startedEmpty = true;

        ClusterException refusal = assertRefused(one);
        assertTrue(
                refusal.next().endsWith("--declare-lost cp-2 --declare-lost cp-3"),
                refusal::toString);

        one.declared = List.of("cp-2", "cp-3");
        one.restore();
        assertRestored(one);
    }

    /** F164: its entries may be more than those of the snapshot, if they are another cluster's. */
    @Test
    void entriesOfAnotherClusterSayNothingOfTheMembers() {
        for (long entries : List.of(5L, 1_000_000L)) {
            RestoringNode one = foundedAgain(RestoringNode.STRANGER, entries);

            ClusterException refusal = assertThrows(ClusterException.class, one::restore);

            assertTrue(
                    refusal.next().endsWith("--declare-lost cp-2 --declare-lost cp-3"),
                    () -> entries + ": " + refusal);
        }
        // the same cluster, further than the snapshot: its own list is the newer one
        RestoringNode one = foundedAgain(node.former, 1_000_000);
        one.restore();
        assertEquals("of the snapshot", data(one));
    }

    /** A founder that was started again without data lists itself alone, and leads. */
    private static RestoringNode foundedAgain(MemberIds ids, long entries) {
        RestoringNode one = withOthersStopped();
        List.of("cp-2", "cp-3").forEach(name -> one.etcd.removeByOther(one.etcd.id(name)));
        one.etcd.serves("cp-1", ids, entries);
        one.data("of the founder", ids);
        one.lab.api.down(KubeApiException.Kind.UNREACHABLE);
        return one;
    }

    @Test
    void whereNothingListsTheMembersTheOperatorIsAsked() {
        node.etcdFails = true;
        node.lab.waiter.pause("", "", Duration.ofSeconds(1));
        node.lab.api.down(KubeApiException.Kind.UNREACHABLE);

        ClusterException refusal = assertThrows(ClusterException.class, node::restore);

        assertTrue(refusal.next().endsWith("--declare-lost no-others"), refusal::toString);
        assertFalse(exists(node, RestoringNode.JOURNAL));
    }

    /** A database of this node's member that lists so many voters. */
    private static byte[] databaseOf(int voters) {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(voters, "3.6.8");
        return SnapshotBytes.listing(cluster.members().stream()
                .map(member -> member.name().equals("cp-1")
                        ? new Member(
                                member.id(),
                                member.name(),
                                List.of(URI.create("https://192.0.2.10:2380")),
                                member.clientUrls(),
                                false)
                        : member)
                .toList());
    }
}
