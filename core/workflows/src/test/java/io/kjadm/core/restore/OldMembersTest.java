package io.kjadm.core.restore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.kjadm.core.etcd.AddedFlags;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.RestoreStep;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;
import io.kjadm.manifests.EtcdPod;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** No member of the old cluster is missed that any source names, and none is taken twice. */
class OldMembersTest {

    private static final Path ASIDE = Path.of("/var/lib/etcd.replaced-20261126-030000");
    private static final String NOTES = "/etc/kubernetes/tmp/kjadm-restore/";
    private static final URI OWN_PEER = URI.create("https://192.0.2.10:2380");

    private final RestoringNode node = new RestoringNode(3);
    private final MemoryFiles files = node.lab.init.files;
    private OldMembers old = restarted();
    private URI local = URI.create("https://127.0.0.1:2379");
    private Set<URI> others = Set.of();
    private Optional<JoinEntry> join = Optional.empty();

    /** As a later run has it. */
    private OldMembers restarted() {
        return new OldMembers(files, node.etcd(files), node.clients(files), node.lab.out);
    }

    private LocalEtcdState state() {
        return new LocalEtcdState(
                new LocalEtcdState.Setup(
                        false,
                        true,
                        Optional.empty(),
                        true,
                        true,
                        AddedFlags.none(Path.of("/etc/kubernetes/manifests/etcd.yaml"))),
                Optional.of("cp-1"),
                new LocalEtcdState.Urls(
                        Set.of(OWN_PEER),
                        Set.of(URI.create("https://192.0.2.10:2379")),
                        Set.of(local),
                        others),
                Path.of("/var/lib/etcd"),
                true,
                Path.of("/etc/kubernetes/pki"),
                join);
    }

    private static Optional<RestoreEntry> at(RestoreStep step) {
        return Optional.of(new RestoreEntry(
                "s",
                "kjadm etcd snapshot restore s",
                Instant.EPOCH,
                "token",
                ASIDE,
                step,
                Optional.empty()));
    }

    private OldMembers.Known look(Optional<RestoreEntry> entry, Member... recorded) {
        return old.look(node.etcd, state(), entry, List.of(recorded));
    }

    private OldMembers.Known look(Member... recorded) {
        return look(Optional.empty(), recorded);
    }

    private static Member member(int number) {
        return member(0xa0 + number, "cp-" + number, "cp-" + number);
    }

    private static Member member(long id, String name, String host) {
        return new Member(
                new MemberId(id),
                name,
                List.of(URI.create("https://" + host + ":2380")),
                List.of(),
                false);
    }

    private static Member learner(int number) {
        Member voter = member(number);
        return new Member(voter.id(), voter.name(), voter.peerUrls(), voter.clientUrls(), true);
    }

    private void database(String path, Member... members) {
        files.with(path, SnapshotBytes.listing(List.of(members)));
    }

    private static List<String> names(OldMembers.Known known) {
        return known.members().stream().map(Member::name).toList();
    }

    private void stopOwn() {
        node.etcd.stop(node.etcd.id("cp-1"));
        node.lab.api.down(KubeApiException.Kind.UNREACHABLE);
    }

    private void pod(String name, String urls) {
        node.lab.api.with(new PodBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName("etcd-" + name)
                .addToLabels("component", "etcd")
                .addToLabels("tier", "control-plane")
                .addToAnnotations(EtcdPod.CLIENT_URLS_ANNOTATION, urls)
                .endMetadata()
                .build());
    }

    @Test
    void thisNodesEtcdKnowsBest() {
        database(RestoringNode.DATABASE, member(1));

        OldMembers.Known known = look();

        assertEquals(List.of("cp-1", "cp-2", "cp-3"), names(known));
        assertTrue(known.listed());
        assertFalse(known.alone());
    }

    @Test
    void oneVoterIsAloneWhateverElseIsListed() {
        stopOwn();
        database(RestoringNode.DATABASE, member(1), learner(2));

        assertTrue(look(member(3)).alone());

        database(RestoringNode.DATABASE, member(1), member(2));
        old = restarted();
        assertFalse(look().alone());
        files.deleteTree(RestoringNode.MEMBER);
        old = restarted();
        assertFalse(look().alone());
    }

    @Test
    void everyUrlOfThisNodeIsAsked() {
        local = URI.create("https://cp-9:2379");
        database(RestoringNode.DATABASE, member(1));
        assertEquals(List.of("cp-1"), names(look()));
        assertEquals(
                List.of("etcd: https://cp-9:2379: Connection refused"), node.lab.out.details());

        local = URI.create("https://cp-1:2379");
        assertEquals(3, look().members().size());
    }

    /** What runs here after that is of the new cluster. */
    @Test
    void anEtcdThatTheRestoreHasStoppedIsNotAsked() {
        database(RestoringNode.DATABASE, member(1), member(2));

        assertEquals(3, look(at(RestoreStep.FETCHED)).members().size());
        assertEquals(2, look(at(RestoreStep.STOPPED)).members().size());
    }

    @Test
    void onceTheDataWereSetAsideTheirDatabaseCounts() {
        database(RestoringNode.DATABASE, member(1));
        database(ASIDE + "/snap/db", member(1), member(2));

        assertEquals(1, look(at(RestoreStep.STOPPED)).members().size());
        assertEquals(2, look(at(RestoreStep.SET_ASIDE)).members().size());
    }

    @Test
    void whatTheFirstRunHasListedIsNoted() {
        look();
        old.keep();
        assertEquals(Optional.of(FileMode.OWNER_ONLY), files.mode(Path.of(NOTES + "members.json")));
        stopOwn();
        old = restarted();

        assertEquals(3, look(at(RestoreStep.STOPPED)).members().size());
        // a note that an earlier restore has left says nothing
        OldMembers.Known other = look();
        assertFalse(other.listed());
    }

    @Test
    void aDatabaseCountsMoreThanWhatWasNoted() {
        look();
        old.keep();
        stopOwn();
        database(RestoringNode.DATABASE, member(1), member(2));
        old = restarted();

        assertEquals(2, look(at(RestoreStep.STOPPED)).members().size());
    }

    @Test
    void membersThatTheSnapshotsListAreAddedButForThisNode() {
        stopOwn();
        database(RestoringNode.DATABASE, member(1));

        OldMembers.Known known = look(member(0xb1, "cp-1", "former"), member(2));

        assertEquals(List.of("cp-1", "cp-2"), names(known));
        assertEquals(member(1), known.members().getFirst());
        assertTrue(known.alone());
        // its peer URLs may have changed since
        files.deleteTree(RestoringNode.MEMBER);
        old = restarted();
        known = look(member(0xb1, "cp-1", "former"));
        assertEquals(
                List.of(List.of(OWN_PEER)),
                known.members().stream().map(Member::peerUrls).toList());
    }

    @Test
    void whatTheFirstRunHasFoundInTheSnapshotsIsWhatLaterRunsGoBy() {
        database(RestoringNode.DATABASE, member(1));
        stopOwn();
        assertEquals(List.of("cp-1", "cp-2"), names(look(at(RestoreStep.BEGUN), member(2))));
        old.keep();
        old = restarted();

        assertEquals(List.of("cp-1", "cp-2"), names(look(at(RestoreStep.STOPPED), member(3))));
        assertEquals(List.of("cp-1", "cp-3"), names(look(member(3))));
    }

    @Test
    void aMemberIsOneByItsIdOrItsNameOrAPeerUrl() {
        stopOwn();
        database(RestoringNode.DATABASE, member(1), member(2));
        for (Member same : List.of(
                member(0xa2, "other", "other"),
                member(0, "cp-2", "other"),
                member(0xb2, "", "cp-2"))) {
            assertEquals(2, look(same).members().size(), same::toString);
        }
        assertEquals(
                4,
                look(member(0, "", "other"), member(0, "", "another")).members().size());
    }

    @Test
    void thisNodesMemberIsKnownByItsIdInLaterRunsToo() {
        Member moved = member(0xb1, "cp-1", "former");
        assertFalse(old.isOwn(moved, state()));
        assertTrue(old.isOwn(member(0, "", "192.0.2.10"), state()));
        old.own(moved.id());
        assertTrue(old.isOwn(moved, state()));
        old.keep();

        old = restarted();
        look();
        assertFalse(old.isOwn(moved, state()));
        look(at(RestoreStep.BEGUN));
        assertTrue(old.isOwn(moved, state()));
        // what its etcd has said in this run counts more
        old = restarted();
        old.own(new MemberId(0xc1));
        look(at(RestoreStep.BEGUN));
        assertFalse(old.isOwn(moved, state()));
    }

    @Test
    void withoutAListThoseThatEtcdIsStartedWithAreNamed() {
        stopOwn();
        String manifest = "/etc/kubernetes/manifests/etcd.yaml";
        String own = "cp-1=" + OWN_PEER;
        files.with(
                manifest,
                files.text(manifest)
                        .replace(
                                "initial-cluster=" + own,
                                "initial-cluster=" + own + ",cp-5=https://cp-5:2380"));

        files.deleteTree(RestoringNode.MEMBER);
        OldMembers.Known known = look();

        assertFalse(known.listed());
        assertEquals(List.of("cp-1", "cp-5"), names(known));
        // a list knows better
        database(RestoringNode.DATABASE, member(1));
        old = restarted();
        assertEquals(List.of("cp-1"), names(look()));
    }

    @Test
    void withoutAListAnInterruptedJoinNamesMembers() {
        stopOwn();
        join = Optional.of(new JoinEntry(
                JoinState.PREPARED,
                "run",
                "c1",
                "cp-1",
                OWN_PEER,
                Instant.EPOCH,
                List.of(member(7)),
                Optional.empty(),
                Optional.empty(),
                0,
                false));
        database(ASIDE + "/snap/db", member(8));

        OldMembers.Known known = look();

        assertFalse(known.listed());
        assertEquals(List.of("cp-7", "cp-1"), names(known));
    }

    @Test
    void withoutAListTheLatestEarlierDataThatCanBeReadNameMembers() {
        stopOwn();
        files.with("/var/lib/etcd.failed-20261127-030000/snap/db", "torn");
        database(ASIDE + "/snap/db", member(8));
        database("/var/lib/etcd.replaced-20261125-030000/snap/db", member(9));

        OldMembers.Known known = look();

        assertFalse(known.listed());
        assertEquals(List.of("cp-8", "cp-1"), names(known));
    }

    @Test
    void podsOfMembersThatAreNotListedAreMembers() {
        pod("cp-1", "https://192.0.2.10:2379");
        pod("cp-2", "https://cp-2:2379");
        pod("cp-5", "https://CP-5");
        old.askApiServer();

        OldMembers.Known known = look();

        assertEquals(4, known.members().size());
        Member fifth = known.members().getLast();
        assertEquals(MemberId.NONE, fifth.id());
        assertEquals(List.of(URI.create("https://cp-5:2380")), fifth.peerUrls());
        assertEquals(List.of(URI.create("https://CP-5")), fifth.clientUrls());
        assertEquals(
                Set.of(URI.create("https://cp-2:2379"), URI.create("https://cp-5:2379")),
                known.urls());
    }

    /** It need not respond to a later look. */
    @Test
    void theApiServerIsAskedUntilItHasToldThem() {
        node.lab.api.down(KubeApiException.Kind.UNREACHABLE);
        old.askApiServer();
        stopOwn();
        assertFalse(look().listed());
        node.lab.api.up();
        pod("cp-2", "https://cp-2:2379");
        old.askApiServer();
        assertTrue(look().listed());
        node.lab.api.down(KubeApiException.Kind.UNREACHABLE);
        old.askApiServer();
        assertTrue(look().listed());
    }

    /** A URL is all that is known of them; where there is a list, they are asked, too. */
    @Test
    void otherUrlsAreMembersOnlyWithoutAList() {
        URI host = URI.create("https://cp-6:2379");
        URI nameless = URI.create("https://cp_7:2379");
        others = Set.of(host, nameless);
        OldMembers.Known listed = look();
        assertEquals(3, listed.members().size());
        assertEquals(others, listed.urls());
        stopOwn();

        OldMembers.Known known = look();

        assertFalse(known.listed());
        assertEquals(
                Set.of(
                        List.of(OWN_PEER),
                        List.of(URI.create("https://cp-6:2380")),
                        List.of(nameless)),
                Set.copyOf(known.members().stream().map(Member::peerUrls).toList()));
        assertEquals(3, known.members().size());
    }

    @Test
    void aMemberServesClientsBesideItsPeerUrlUnlessItTellsWhere() {
        Member silent = member(2);
        assertEquals(List.of(URI.create("https://cp-2:2379")), OldMembers.clientUrls(silent));
        URI told = URI.create("https://cp-2:4001");
        assertEquals(
                List.of(told),
                OldMembers.clientUrls(
                        new Member(silent.id(), "cp-2", silent.peerUrls(), List.of(told), false)));
        assertEquals(
                List.of(),
                OldMembers.clientUrls(new Member(
                        silent.id(),
                        "",
                        List.of(URI.create("https://cp_2:2380")),
                        List.of(),
                        false)));
    }
}
