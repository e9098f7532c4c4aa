package io.kjadm.core.restore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.host.StaticPodEtcd;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.snapshot.SnapshotLineage;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.check.WalFile;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Data of another cluster are restored only if the operator names that cluster. */
class ClusterLineageTest {

    private final RestoringNode node = new RestoringNode(1);
    private final MemoryFiles files = node.lab.init.files;
    private final ClusterLineage lineage = new ClusterLineage(files, StaticPodEtcd.LINEAGE);

    private static MemberIds of(String clusterId) {
        return new MemberIds(clusterId, new MemberId(0xa1));
    }

    private Optional<String> require(
            RestoreSource source,
            boolean earlier,
            Optional<MemberStatus> serving,
            List<SnapshotManifest> snapshots,
            Optional<String> accepted) {
        return lineage.require(node.plan(source, earlier, serving), () -> snapshots, accepted);
    }

    private Optional<String> require(String clusterId, SnapshotManifest... snapshots) {
        return require(
                NamedSource.of(clusterId),
                false,
                Optional.empty(),
                List.of(snapshots),
                Optional.empty());
    }

    private void assertOfAnother(String clusterId, SnapshotManifest... snapshots) {
        assertThrows(ClusterException.class, () -> require(clusterId, snapshots));
    }

    private SnapshotManifest snapshot(String clusterId, String... predecessors) {
        SnapshotManifest.Origin origin = node.snapshot.origin();
        return new SnapshotManifest(
                "of-" + clusterId,
                new SnapshotManifest.Origin(
                        clusterId, origin.memberId(), origin.memberName(), origin.etcd()),
                node.snapshot.taken(),
                node.snapshot.plain(),
                node.snapshot.stored(),
                List.of(),
                Map.of(SnapshotLineage.LABEL, SnapshotLineage.text(List.of(predecessors))));
    }

    @Test
    void aClusterComesFromThoseBeforeIt() {
        lineage.note(of("c3"), Optional.of(of("c2")), NamedSource.of("c1"));
        lineage.note(of("c4"), Optional.of(of("c3")), NamedSource.OF_NO_CLUSTER);
        lineage.note(of("c4"), Optional.empty(), NamedSource.of("c0"));

        assertEquals(List.of("c1", "c2"), lineage.predecessors("c3"));
        assertEquals(List.of("c0", "c1", "c2", "c3"), lineage.predecessors("c4"));
        assertEquals(List.of(), lineage.predecessors("c1"));
        assertEquals(Set.of("c1", "c2", "c3", "c9"), lineage.of(List.of("c3", "c9")));
        assertEquals(Optional.of(FileMode.OWNER_ONLY), files.mode(StaticPodEtcd.LINEAGE));
        assertTrue(files.text(StaticPodEtcd.LINEAGE.toString()).endsWith("}\n"));
    }

    /** The data of c1 were restored to c2, and those of c2 to c1. */
    @Test
    void aClusterMayComeFromItself() {
        lineage.note(of("c2"), Optional.empty(), NamedSource.of("c1"));
        lineage.note(of("c1"), Optional.empty(), NamedSource.of("c2"));

        assertEquals(List.of("c2"), lineage.predecessors("c1"));
    }

    @Test
    void aLineageThatCannotBeReadIsNoLineage() {
        files.with(StaticPodEtcd.LINEAGE.toString(), "{");

        HostException refusal = assertThrows(HostException.class, () -> lineage.predecessors("c1"));

        assertTrue(refusal.what().contains(StaticPodEtcd.LINEAGE.toString()));
    }

    @Test
    void onlyTheClusterOfTheDataIsRestoredWithoutItsId() {
        assertEquals(Optional.empty(), require("c1"));
        assertOfAnother("c2");
        assertEquals(
                Optional.empty(),
                require(
                        NamedSource.of("c2"),
                        false,
                        Optional.empty(),
                        List.of(),
                        Optional.of("c2")));
        assertThrows(
                ClusterException.class,
                () -> require(
                        NamedSource.of("c2"),
                        false,
                        Optional.empty(),
                        List.of(),
                        Optional.of("c3")));
    }

    /** The first run has asked. */
    @Test
    void aRestoreThatIsResumedIsNotAskedAgain() {
        assertEquals(
                Optional.empty(),
                require(NamedSource.of("c2"), true, Optional.empty(), List.of(), Optional.empty()));
    }

    @Test
    void aSnapshotThatTellsNoClusterIsNotCompared() {
        for (Optional<String> accepted : List.of(Optional.<String>empty(), Optional.of("c9"))) {
            assertEquals(
                    Optional.empty(),
                    require(
                            NamedSource.OF_NO_CLUSTER,
                            false,
                            Optional.empty(),
                            List.of(),
                            accepted));
        }
    }

    @Test
    void theClusterThatServesCountsBesideThatOfTheData() {
        MemberStatus c1 = node.etcd.status(URI.create("https://cp-1:2379"));
        node.data("of another", of("d1"));

        assertEquals(
                Optional.empty(),
                require(NamedSource.of("c1"), false, Optional.of(c1), List.of(), Optional.empty()));
        assertOfAnother("c1");
        assertEquals(Optional.empty(), require("d1"));
    }

    @Test
    void withoutDataThoseThatWereSetAsideTellTheCluster() {
        files.rename(RestoringNode.MEMBER, Path.of("/var/lib/etcd.replaced-20260101-000000"));
        files.with("/var/lib/etcd.failed-20260102-000000/wal/0.wal", WalFile.of(of("c0")));

        assertEquals(Optional.empty(), require("c1"));
        assertEquals(Optional.empty(), require("c0"));
        assertOfAnother("c2");
    }

    @Test
    void dataInPlaceCountMoreThanThoseSetAside() {
        files.with("/var/lib/etcd.failed-20260102-000000/wal/0.wal", WalFile.of(of("c0")));

        assertOfAnother("c0");
    }

    @Test
    void withoutAnyDataTheOperatorHasToLook() {
        files.deleteTree(RestoringNode.MEMBER);

        assertTrue(require("c2").isPresent());
    }

    @Test
    void aSnapshotOfAClusterThatThisOneComesFromIsAccepted() {
        lineage.note(of("c1"), Optional.empty(), NamedSource.of("c0"));

        assertEquals(Optional.empty(), require("c0"));
        assertOfAnother("d0");
    }

    /** This machine has noted nothing; the snapshots of the store tell, step by step. */
    @Test
    void theLabelsOfSnapshotsTellWhereAClusterComesFrom() {
        SnapshotManifest second = snapshot("b1", "a1", "a0");
        SnapshotManifest first = snapshot("c1", "b1");
        SnapshotManifest stranger = snapshot("d1", "d0");

        for (String cluster : List.of("b1", "a1", "a0")) {
            assertEquals(Optional.empty(), require(cluster, stranger, second, first));
        }
        assertOfAnother("d1", stranger, second, first);
        assertOfAnother("d0", stranger, second, first);
    }
}
