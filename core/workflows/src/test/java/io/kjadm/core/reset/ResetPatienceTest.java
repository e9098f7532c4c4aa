package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.ResetConfiguration;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.leave.RemovalState.Reason;
import io.kjadm.core.value.Timeouts;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** How long a reset asks, thinks over and waits before it says no. */
class ResetPatienceTest {

    private final ResetLab lab = new ResetLab();

    private static ResetConfiguration within(Duration etcdApiCall) {
        ResetConfiguration usual = ResetLab.config(false, false);
        Timeouts limits = Timeouts.DEFAULTS;
        return new ResetConfiguration(
                false,
                usual.certificatesDir(),
                usual.criSocket(),
                false,
                false,
                false,
                List.of(),
                List.of(),
                List.of(),
                new Timeouts(
                        limits.controlPlaneComponentHealthCheck(),
                        limits.kubeletHealthCheck(),
                        limits.kubernetesApiCall(),
                        etcdApiCall,
                        limits.tlsBootstrap(),
                        limits.discovery(),
                        limits.upgradeManifests()));
    }

    private void took(long atLeast, long lessThan) {
        long seconds = lab.waiter.elapsed().toSeconds();
        assertTrue(seconds >= atLeast && seconds < lessThan, lab.waiter.elapsed()::toString);
    }

    @Test
    void aRefusalIsThoughtOverForAFewSeconds() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        lab.refused();
        took(4, 10);
    }

    @Test
    void anEtcdThatGivesNoListIsAskedForAQuarterOfAMinute() {
        lab.etcd.failLists(10_000);
        KjadmException refused = lab.refused();
        assertEquals("etcd cannot be reached", refused.what());
        took(15, 20);
    }

    @Test
    void aShorterLimitOfTheOperatorCounts() {
        lab.etcd.failLists(10_000);
        lab.refused("remove-etcd-member", within(Duration.ofSeconds(6)));
        took(6, 10);
    }

    @Test
    void anEtcdThatAnswersInTimeIsNotWaitedForLonger() {
        lab.etcd.failLists(3);
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
    }

    @Test
    void aRemovalThatEtcdRefusesForGoodIsNotTriedUntilTheLimit() {
        lab.etcd.beforeList(() -> {
            if (!lab.files.exists(ResetLab.MANIFESTS.resolve("kube-apiserver.yaml"))) {
                throw new EtcdCallException(
                        ErrorClass.FATAL,
                        RpcCode.PERMISSION_DENIED,
                        "etcdserver: permission denied",
                        "member list",
                        null);
            }
        });
        KjadmException refused = lab.refused();
        assertEquals("etcd does not remove the member", refused.what());
        assertEquals(Optional.of(Reason.UNKNOWN), refused.reason());
        took(0, 30);
    }

    @Test
    void aRemovalThatDoesNotComeToAnEndIsGivenUpAtTheLimit() {
        lab.etcd.next(SimulatedCluster.Fault.UNHEALTHY);
        lab.waiter.eachTime(() -> lab.etcd.next(SimulatedCluster.Fault.UNHEALTHY));
        lab.refused("remove-etcd-member", within(Duration.ofSeconds(40)));
        took(40, 60);
    }

    @Test
    void nothingIsDoneWhereNobodyTellsWhoThisNodesMemberIs() {
        lab.files.with("/etc/kubernetes/manifests/etcd.yaml", ResetLab.pod("etcd", """
                  volumes:
                  - hostPath: {path: /var/lib/etcd}
                    name: etcd-data
                """));
        lab.files.delete(ResetLab.MANIFESTS.resolve("kube-apiserver.yaml"));
        lab.etcd.local("");
        KjadmException refused = lab.refused();
        assertEquals("it is unknown which etcd member is this node's", refused.what());
        took(0, 1);
    }

    @Test
    void aListThatIsNotReadAgainLeavesItOpenWhatBecameOfTheMember() {
        lab.etcd.beforeList(() -> {
            if (!lab.files.exists(ResetLab.MANIFESTS.resolve("kube-apiserver.yaml"))) {
                throw new EtcdCallException(
                        ErrorClass.TRANSIENT,
                        RpcCode.UNAVAILABLE,
                        "transport is closing",
                        "member list",
                        null);
            }
        });
        KjadmException refused = lab.refused("remove-etcd-member", within(Duration.ofSeconds(40)));
        assertEquals(Optional.of(Reason.UNKNOWN), refused.reason());
        took(40, 60);
    }

    @Test
    void anAddThatWasSentIsWaitedForHoweverShortTheOperatorsLimitIs() {
        lab.etcdPod("cp-4");
        lab.etcd.local("");
        lab.files.deleteContents(ResetLab.DATA);
        new JournalFile(lab.files, Path.of("/etc/kubernetes/tmp"))
                .write(new JoinEntry(
                        JoinState.ADDING,
                        "earlier",
                        "c1",
                        "cp-4",
                        SimulatedCluster.peerUrl("cp-4"),
                        lab.waiter.now(),
                        lab.etcd.members(),
                        Optional.empty(),
                        Optional.empty(),
                        0,
                        false));
        lab.run(within(Duration.ofSeconds(6))).conclude();
        took(8, 20);
    }
}
