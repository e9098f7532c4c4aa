package io.kjadm.core.certs;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SimulatedCluster.Fault;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class ComponentRestartTest {

    private static final List<String> ALL = List.of(
            "started etcd",
            "started kube-apiserver",
            "started kube-controller-manager",
            "started kube-scheduler");

    @Test
    void oneComponentAfterTheOtherServesWithItsNewCertificate() {
        RestartLab lab = new RestartLab(1);
        lab.renewAndRestart();
        assertEquals(ALL, lab.events);
        assertEquals(lab.certs.certificate("apiserver"), lab.shown.get("192.0.2.1:6443"));
        assertEquals(lab.certs.certificate("etcd-peer"), lab.shown.get("192.0.2.1:2380"));
        assertTrue(lab.certs
                .out
                .text()
                .contains(lab.certs.certificate("apiserver").serialNumber().toString(16)));
    }

    @Test
    void onlyWhatReadsTheRenewedCertificateIsRestarted() {
        RestartLab lab = new RestartLab(1);
        for (String name : List.of("admin.conf", "etcd-healthcheck-client", "scheduler.conf")) {
            lab.restart().restart(lab.certs.node(), List.of(ManagedCertificate.named(name, true)));
        }
        assertEquals(List.of("started kube-scheduler"), lab.started());
    }

    @Test
    void whatIsNoStaticPodOfThisNodeIsPassedOver() {
        RestartLab lab = new RestartLab(1);
        lab.certs.files.delete(Path.of("/etc/kubernetes/manifests/kube-scheduler.yaml"));
        lab.renewAndRestart();
        assertEquals(ALL.subList(0, 3), lab.started());
    }

    /** The leader's node: others take over, and nobody else restarts etcd meanwhile. */
    @Test
    void aLeaderHandsOverAndTheTurnIsTaken() {
        RestartLab lab = new RestartLab(3);
        assertEquals(lab.other(1), lab.etcd.leader());
        lab.renewAndRestart();
        assertEquals("lock for certs renew", lab.events.getFirst());
        assertFalse(lab.etcd.leader().equals(lab.other(1)));
        assertEquals(ALL, lab.started());
    }

    @Test
    void withAVoterDownEtcdAndAllBehindItStayAsTheyAre() {
        RestartLab lab = new RestartLab(3);
        lab.etcd.stop(lab.other(3));
        ClusterException refused = assertThrows(ClusterException.class, lab::renewAndRestart);
        assertEquals(Optional.of(CommonReason.NEEDED_FOR_QUORUM), refused.reason());
        assertEquals(
                "without it 1 of 3 voters would be healthy, 2 are needed; the certificates are renewed, and no component was restarted",
                refused.why());
        assertEquals(List.of(), lab.events);
    }

    /** F305: the flag as somebody wrote it into the manifest, without a value. */
    @Test
    void etcdThatWouldRemoveTheOthersWhenItStartsStaysAsItIs() {
        RestartLab lab = new RestartLab(3);
        Path manifest = Path.of("/etc/kubernetes/manifests/etcd.yaml");
        lab.certs.files.with(
                manifest.toString(),
                lab.certs
                        .files
                        .text(manifest.toString())
                        .replace("\"--name=cp-1\"", "\"--name=cp-1\", \"-force-new-cluster\""));
        ClusterException refused = assertThrows(ClusterException.class, lab::renewAndRestart);
        assertEquals(Optional.of(CommonReason.STARTS_ALONE), refused.reason());
        assertEquals(List.of(), lab.events);
    }

    /** Of five the others would be enough; that one of them is away is no time for it all the same. */
    @Test
    void allOtherMembersHaveToBeHealthyNotJustAQuorum() {
        RestartLab lab = new RestartLab(5);
        lab.etcd.stop(lab.other(4));
        ClusterException refused = assertThrows(ClusterException.class, lab::renewAndRestart);
        assertEquals(Set.of("cp-4"), Named.members(refused.why()));
        assertEquals(List.of(), lab.events);
    }

    @Test
    void aLearnerThatHasNotStartedIsAMemberToo() {
        RestartLab lab = new RestartLab(3);
        lab.etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        ClusterException refused = assertThrows(ClusterException.class, lab::renewAndRestart);
        assertEquals(Optional.of(CommonReason.MEMBERS_UNHEALTHY), refused.reason());
    }

    @Test
    void leadershipThatDoesNotMoveKeepsEtcdAsItIs() {
        RestartLab lab = new RestartLab(3);
        lab.etcd.next(Collections.nCopies(100, Fault.UNHEALTHY).toArray(Fault[]::new));
        ClusterException refused = assertThrows(ClusterException.class, lab::renewAndRestart);
        assertEquals(Optional.of(CommonReason.TIMED_OUT), refused.reason());
        assertEquals(List.of(), lab.started());
        assertEquals(lab.other(1), lab.etcd.leader());
    }

    @Test
    void aTransferThatFailsForAMomentIsRepeated() {
        RestartLab lab = new RestartLab(3);
        lab.etcd.next(Fault.NO_LEADER);
        lab.renewAndRestart();
        assertEquals(ALL, lab.started());
        assertFalse(lab.etcd.leader().equals(lab.other(1)));
    }

    @Test
    void twoMembersHaveNoSpareAndTheAdviceSaysSo() {
        RestartLab lab = new RestartLab(2);
        ClusterException refused = assertThrows(ClusterException.class, lab::renewAndRestart);
        assertEquals(Optional.of(CommonReason.NEEDED_FOR_QUORUM), refused.reason());
    }

    @Test
    void aMemberThatHasFallenOutIsRestartedWhateverTheOthersAre() {
        RestartLab lab = new RestartLab(3);
        lab.etcd.stop(lab.other(2));
        lab.etcd.stop(lab.other(3));
        lab.renewAndRestart();
        assertEquals("started etcd", lab.started().getFirst());
        assertEquals(1, lab.certs.out.warnings().size());
        // without a leader nobody can wait for the others, which start by themselves
        assertHasLine(
                "[renew] Stopped kube-apiserver: it starts with its new certificates, and serves when etcd has a leader",
                lab.certs.out.text());
    }

    /** Its certificate for clients has expired, say, while its connections to peers go on. */
    @Test
    void aMemberThatIsSilentMayVoteWhereTheOthersAreNoQuorum() {
        RestartLab lab = new RestartLab(3);
        lab.etcd.silent(lab.other(1));
        lab.etcd.stop(lab.other(3));
        assertTrue(lab.etcd.writable());
        ClusterException refused = assertThrows(ClusterException.class, lab::renewAndRestart);
        assertEquals(Optional.of(CommonReason.NEEDED_FOR_QUORUM), refused.reason());
        assertEquals(List.of(), lab.events);
    }

    @Test
    void whereNoEtcdAnswersThereIsNothingToLose() {
        RestartLab lab = new RestartLab(1);
        lab.etcd.stop(lab.other(1));
        lab.stop("etcd");
        lab.broken.add("etcd");
        lab.certs.waiter.after(Duration.ofSeconds(20), () -> {
            lab.broken.clear();
            lab.etcd.start(lab.other(1), "cp-1");
        });
        lab.renewAndRestart();
        assertEquals(ALL, lab.started());
        assertEquals(List.of(), lab.runner.commands());
    }

    /** A kubelet that is started anew would wait for the API server, which waits for this etcd. */
    @Test
    void whatTheKubeletStartsAfterItsPauseNeedsNoNewKubelet() {
        RestartLab lab = new RestartLab(1);
        lab.broken.add("etcd");
        lab.certs.waiter.after(Duration.ofSeconds(40), lab.broken::clear);
        lab.renewAndRestart();
        assertEquals(ALL, lab.started());
        assertEquals(List.of(), lab.runner.commands());
    }

    /** The kubelet would make it wait up to five minutes. */
    @Test
    void aPodInTheBackOffIsStartedAtOnce() {
        RestartLab lab = new RestartLab(1);
        lab.backingOff.add("etcd");
        Instant begun = lab.certs.waiter.now();

        lab.renewAndRestart();

        assertEquals(ALL, lab.started());
        assertEquals(List.of(), lab.runner.commands());
        assertTrue(Duration.between(begun, lab.certs.waiter.now()).toSeconds() < 30);
    }

    @Test
    void aComponentThatDoesNotComeBackEndsItAndTheRestIsNotTouched() {
        RestartLab lab = new RestartLab(1);
        lab.broken.add("kube-apiserver");
        ClusterException failed = assertThrows(ClusterException.class, lab::renewAndRestart);
        assertEquals(
                "gave up waiting for kube-apiserver to serve with its new certificates",
                failed.what());
        assertEquals(List.of("started etcd"), lab.started());
    }

    @Test
    void anOldSerialNumberIsNotTakenForTheNew() {
        RestartLab lab = new RestartLab(1);
        CertsNode node = lab.certs.node();
        List<ManagedCertificate> renewed = lab.certs
                .renewal()
                .renew(node, List.of(ManagedCertificate.named("apiserver", true)));
        var old = lab.shown.get("192.0.2.1:6443");
        lab.certs.waiter.eachTime(() -> lab.shown.put("192.0.2.1:6443", old));
        ClusterException failed =
                assertThrows(ClusterException.class, () -> lab.restart().restart(node, renewed));
        assertEquals(Optional.of(CommonReason.TIMED_OUT), failed.reason());
        assertTrue(failed.why().contains(old.serialNumber().toString(16)), failed.getMessage());
    }

    @Test
    void oneThatIsNotHealthyIsNotBack() {
        RestartLab lab = new RestartLab(1);
        lab.faults.put(10257, "answers 500");
        ClusterException failed = assertThrows(ClusterException.class, lab::renewAndRestart);
        assertEquals("the last answer was: answers 500", failed.why());
    }

    @Test
    void anApiServerThatKnowsNoStrangersIsJudgedByItsCertificate() {
        RestartLab lab = new RestartLab(1);
        lab.faults.put(6443, "answers 401");
        String path = "/etc/kubernetes/manifests/kube-apiserver.yaml";
        lab.certs.files.with(
                path,
                lab.certs.files.text(path).replace("--secure-port=6443", "--anonymous-auth=false"));
        lab.renewAndRestart();
        assertEquals(ALL, lab.started());
    }
}
