package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.check.WalFile;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** A member that another program has set up gets its marker once it is seen to run. */
class MemberAdoptionTest {

    private static final Path DATA_DIR = Path.of("/var/lib/etcd");
    private static final Instant NOW = Instant.parse("2026-11-26T03:00:00Z");

    private final MemoryFiles files = new MemoryFiles()
            .with("/etc/machine-id", "0123\n")
            .with("/etc/kubernetes/manifests/etcd.yaml", """
                    apiVersion: v1
                    kind: Pod
                    metadata: {name: etcd}
                    spec:
                      containers:
                      - name: etcd
                        command: [etcd, --name=cp-1, "--listen-client-urls=https://127.0.0.1:2379"]
                      volumes:
                      - hostPath: {path: /var/lib/etcd}
                        name: etcd-data
                    """);
    private final SimulatedCluster cluster = SimulatedCluster.ofVoters(3);

    @BeforeEach
    void itRuns() {
        cluster.local("cp-1");
        data(0xa001);
    }

    private void data(long member) {
        files.with(
                DATA_DIR + "/member/wal/0.wal",
                WalFile.of(new MemberIds("c1", new MemberId(member))));
    }

    private Optional<MemberMarker> mark() {
        new MemberAdoption(files, new RecordingReporter())
                .mark(cluster, LocalEtcdState.look(files, KubernetesPaths.standard()), NOW);
        return MemberMarker.read(files, DATA_DIR);
    }

    @Test
    void aMemberThatRunsAndIsListedIsMarked() {
        assertEquals(Optional.of(new MemberMarker("a001", "c1", "0123", NOW)), mark());
    }

    @Test
    void theMarkerOfAnEarlierMemberIsReplaced() {
        MemberMarker.write(files, DATA_DIR, new MemberId(0xdead), "c0", NOW);
        assertEquals("a001", mark().orElseThrow().memberId());
    }

    @Test
    void dataOfAnotherMemberThanTheOneThatRunsAreNotMarked() {
        data(0xdead);
        assertEquals(Optional.empty(), mark());
    }

    @Test
    void norIsAMemberThatDoesNotRun() {
        cluster.stop(cluster.id("cp-1"));
        assertEquals(Optional.empty(), mark());
    }

    @Test
    void norIsOneThatTheClusterDoesNotList() {
        MemberId own = cluster.id("cp-1");
        cluster.beforeList(() -> cluster.removeByOther(own));
        assertEquals(Optional.empty(), mark());
    }

    /** Only the number of questions differs: what is marked is not asked about. */
    @Test
    void whatIsMarkedIsNotAskedAbout() {
        mark();
        cluster.failStatuses(1);
        assertTrue(mark().isPresent());
        assertEquals(NOW, mark().orElseThrow().created());
    }

    /** The data directory belongs to etcd's account. */
    @Test
    void aLinkIsNoMarker() {
        files.with("/etc/elsewhere", """
                {"memberID": "a001", "clusterID": "c1", "machineID": "0123",
                 "created": "2026-11-26T03:00:00Z"}
                """)
                .withLink(DATA_DIR.resolve(MemberMarker.FILE_NAME).toString(), "/etc/elsewhere");
        assertEquals(Optional.empty(), MemberMarker.read(files, DATA_DIR));
    }
}
