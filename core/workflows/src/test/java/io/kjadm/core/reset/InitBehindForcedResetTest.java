package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.journal.UnfinishedOperations;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A join of cluster c1, which is gone for good, died while its add was being sent. The node is reset
 * by force, and then begins a cluster of its own: {@code init} leaves the note alone.
 */
class InitBehindForcedResetTest {

    private final ResetLab lab = new ResetLab();

    @BeforeEach
    void theNoteOfTheJoinStays() {
        lab.diedWhileAdding("c1");
        lab.reachable = false;
        ResetRun done = lab.forced();
        assertThrows(ClusterException.class, done::conclude);
        assertTrue(lab.files.exists(ResetLab.JOIN_NOTE));
    }

    private void runsMemberOf(long cluster, String dataDir) {
        lab.files
                .with(dataDir + "/member/wal/0.wal", WalText.of(0xa001, cluster))
                .with(ResetLab.MANIFESTS.resolve("etcd.yaml").toString(), """
                        apiVersion: v1
                        kind: Pod
                        spec:
                          containers: [{name: etcd}]
                          volumes: [{name: etcd-data, hostPath: {path: %s}}]
                        """.formatted(dataDir));
    }

    private void permit(ChangingCommand command) {
        UnfinishedOperations.on(lab.files).require(command);
    }

    @ParameterizedTest
    @EnumSource
    void whatAForcedResetHasKeptStopsNothingOfTheNextCluster(ChangingCommand command) {
        runsMemberOf(0xc2, "/var/lib/etcd");
        assertDoesNotThrow(() -> permit(command));
    }

    @ParameterizedTest
    @EnumSource
    void norWhereItsDataAreElsewhere(ChangingCommand command) {
        runsMemberOf(0xc2, "/srv/etcd");
        assertDoesNotThrow(() -> permit(command));
    }

    @ParameterizedTest
    @EnumSource(names = {"UPGRADING", "CHANGING_VERSION", "RESTORING", "ROTATING"})
    void aMemberOfTheSameClusterMayBeTheOneThatWasAdded(ChangingCommand command) {
        runsMemberOf(0xc1, "/var/lib/etcd");
        assertThrows(HostException.class, () -> permit(command));
    }

    @ParameterizedTest
    @EnumSource(names = {"UPGRADING", "CHANGING_VERSION", "RESTORING", "ROTATING"})
    void dataThatCannotBeReadTellNothing(ChangingCommand command) {
        runsMemberOf(0xc2, "/var/lib/etcd");
        lab.files.with("/var/lib/etcd/member/wal/0.wal", "w");
        assertThrows(HostException.class, () -> permit(command));
    }

    @ParameterizedTest
    @EnumSource(names = {"UPGRADING", "CHANGING_VERSION", "RESTORING", "ROTATING"})
    void dataWithoutAManifestAreNobodysMember(ChangingCommand command) {
        runsMemberOf(0xc2, "/var/lib/etcd");
        lab.files.delete(ResetLab.MANIFESTS.resolve("etcd.yaml"));
        assertThrows(HostException.class, () -> permit(command));
    }
}
