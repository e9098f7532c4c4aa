package io.kjadm.core.reset;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.CriSockets;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.leave.EtcdOutcome;
import io.kjadm.core.etcd.leave.RemovalState.Reason;
import io.kjadm.core.host.Owner;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.Selection;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Control-plane node cp-1 of a stacked cluster is taken out of it. */
class ResetWorkflowTest {

    private final ResetLab lab = new ResetLab();

    @Test
    void aFollowerLeaves() {
        lab.etcdPod("cp-2");
        lab.reset().conclude();
        assertFalse(lab.listed("cp-2"));
        lab.assertClean();
    }

    @Test
    void anElectionIsWaitedFor() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        lab.waiter.after(Duration.ofSeconds(3), () -> lab.etcd.start(lab.etcd.id("cp-3"), "cp-3"));
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
    }

    /** The member to come must not be changed to what this one was. */
    @Test
    void theJournalsOfARestoreAnUpgradeAndAReplacementGoWithTheMember() {
        String tmp = "/etc/kubernetes/tmp/";
        lab.files
                .with(tmp + "kjadm-restore/journal.json", "{}")
                .with(tmp + "kjadm-restore/etcd.yaml", "of the previous cluster")
                .with(tmp + "kjadm-upgrade/journal.json", "{}")
                .with(tmp + "kjadm-upgrade/01-etcd.yaml", "of the previous version")
                .with(tmp + "kjadm-upgrade/etcd-snapshot.db", "snapshot")
                .with(tmp + "kjadm-etcd-replace/journal.json", "{}")
                .with(tmp + "kjadm-ca-rotation/journal.json", "{}")
                .with("/var/lib/etcd/kjadm-restore/snapshot.db", "fetched")
                .with("/var/lib/etcd.replaced-20260101-000000/wal/0.wal", "previous data");
        lab.reset();
        assertEquals(
                List.of(Path.of(tmp + "kjadm-upgrade/etcd-snapshot.db")),
                lab.files.files().stream().filter(path -> path.startsWith(tmp)).toList());
        assertTrue(lab.files.exists(Path.of("/var/lib/etcd.replaced-20260101-000000/wal/0.wal")));
        assertFalse(lab.files.exists(Path.of("/var/lib/etcd/kjadm-restore")));
        assertTrue(lab.files.files().stream()
                .anyMatch(path -> path.toString().startsWith("/var/lib/etcd.restore-")));
        assertInstanceOf(
                DataDirectory.Empty.class, new DataDirReader(lab.files).read(ResetLab.DATA));
    }

    @Test
    void aMemberThatIsNotListedNeedsNoRemoval() {
        lab.etcd.removeByOther(lab.etcd.id("cp-1"));
        lab.reset().conclude();
        assertEquals(List.of(), lab.etcd.changes());
        lab.assertClean();
    }

    @Test
    void aRefusalByEtcdPutsTheManifestsBack() {
        lab.waiter.eachTime(() -> lab.etcd.next(SimulatedCluster.Fault.UNHEALTHY));
        lab.etcd.next(SimulatedCluster.Fault.UNHEALTHY);
        KjadmException refused = lab.refused();
        assertEquals(Optional.of(Reason.NEEDED_FOR_QUORUM), refused.reason());
        assertTrue(lab.listed("cp-1"));
    }

    @Test
    void anEtcdThatCannotBeReachedKeepsEverything() {
        lab.reachable = false;
        assertEquals(Set.of("--force"), Named.flags(lab.refused().next()));
    }

    @Test
    void forceKeepsTheDataOfAMemberThatMayBeListed() {
        lab.reachable = false;
        ResetRun done = lab.forced();
        assertThrows(ClusterException.class, done::conclude);
        assertInstanceOf(EtcdOutcome.Kept.class, done.outcome().orElseThrow());
        assertTrue(
                lab.files.exists(Path.of("/var/lib/etcd.kept-20260203-040506/wal/0.wal")),
                lab.files.files().toString());
        lab.assertClean();
    }

    @Test
    void dataInAMountOfItsOwnIsRenamedInIt() {
        lab.reachable = false;
        lab.files.refusing("/var/lib/etcd.kept-20260203-040506", "Invalid cross-device link");
        ResetRun done = lab.forced();
        ClusterException failure = assertThrows(ClusterException.class, done::conclude);
        assertEquals(
                Set.of("/var/lib/etcd/member.kept-20260203-040506"), Named.files(failure.why()));
        assertTrue(
                lab.files.exists(ResetLab.DATA.resolve("member.kept-20260203-040506/wal/0.wal")));
        assertInstanceOf(
                DataDirectory.Empty.class, new DataDirReader(lab.files).read(ResetLab.DATA));
    }

    @Test
    void inAMountEverythingThatWasSetAsideOutlivesTheNextReset() {
        lab.files.refusing("/var/lib/etcd.removed-20260203-040506", "Invalid cross-device link");
        lab.files.with("/var/lib/etcd/member.kept-20260101-000000/wal/0.wal", "kept");
        lab.files.with("/var/lib/etcd/member.failed-20260102-000000/wal/0.wal", "failed");
        lab.reset().conclude();
        assertEquals("kept", lab.files.text("/var/lib/etcd/member.kept-20260101-000000/wal/0.wal"));
        assertEquals(
                "failed", lab.files.text("/var/lib/etcd/member.failed-20260102-000000/wal/0.wal"));
        assertEquals("w", lab.files.text("/var/lib/etcd/member.removed-20260203-040506/wal/0.wal"));
        assertInstanceOf(
                DataDirectory.Empty.class, new DataDirReader(lab.files).read(ResetLab.DATA));
    }

    @Test
    void dataThatAnotherProgramsEtcdUsesIsLeftWhereItIs() {
        lab.reachable = false;
        lab.files
                .identified("/var/lib/etcd/member/snap/db", "fe:00:2154501")
                .with("/proc/locks", """
                        1: FLOCK  ADVISORY  WRITE 17 fe:00:21545 0 EOF
                        2: -> FLOCK  ADVISORY  WRITE 18 fe:00:2154501 0 EOF
                        3: FLOCK  ADVISORY  WRITE 4711 fe:00:2154501 0 EOF
                        """)
                .with("/proc/4711/comm", "etcd\n");
        ResetRun done = lab.forced();
        ClusterException failure = assertThrows(ClusterException.class, done::conclude);
        assertEquals(Set.of("/var/lib/etcd"), Named.files(failure.why()), failure.why());
        assertHasLine(
                "etcd may still be running: process 4711 (etcd) has /var/lib/etcd/member/snap/db open",
                String.join("\n", lab.out.warnings()));
        assertEquals("w", lab.files.text("/var/lib/etcd/member/wal/0.wal"));
    }

    @Test
    void dataThatCannotBeRenamedAtAllStaysInPlace() {
        lab.reachable = false;
        lab.files.refusing("/var/lib/etcd.kept-20260203-040506", "Invalid cross-device link");
        lab.files.refusing("/var/lib/etcd/member.kept-20260203-040506", "Read-only file system");
        ResetRun done = lab.forced();
        ClusterException failure = assertThrows(ClusterException.class, done::conclude);
        assertEquals(Set.of("/var/lib/etcd/member"), Named.files(failure.why()));
        assertTrue(lab.files.exists(ResetLab.DATA.resolve("member/wal/0.wal")));
    }

    @Test
    void whatALinkInTheDataDirectoryPointsToIsLeftAlone() {
        lab.files
                .refusing("/var/lib/etcd.removed-20260203-040506", "Invalid cross-device link")
                .with("/srv/backup/etcd.db", "precious")
                .withLink("/var/lib/etcd/backup", "/srv/backup");
        lab.reset().conclude();
        assertEquals("precious", lab.files.text("/srv/backup/etcd.db"));
    }

    @Test
    void whatALinkInPlaceOfTheDataPointsToKeepsItsOwner() {
        Owner somebody = new Owner(1000, 1000);
        lab.files.deleteTree(ResetLab.DATA.resolve("member"));
        lab.files
                .with("/home/somebody/file", "x")
                .withLink("/var/lib/etcd/member", "/home/somebody");
        lab.files.ownTree(Path.of("/home/somebody"), somebody);
        lab.reset().conclude();
        assertEquals(somebody, lab.files.owner(Path.of("/home/somebody/file")));
    }

    @Test
    void aFounderThatNeverStartedHasNoClusterToLeave() {
        lab.reachable = false;
        lab.files.deleteContents(ResetLab.DATA);
        lab.etcdPod("cp-1", "--initial-cluster-state=new");
        lab.reset().conclude();
        lab.assertClean();
    }

    @Test
    void dataIsKeptWhileEtcdMayStillRun() {
        lab.runtime.refusals.put("etcd", 1000);
        lab.waiter.eachTime(() -> lab.runs("etcd"));
        ResetRun done = lab.reset();
        assertThrows(ClusterException.class, done::conclude);
        assertFalse(lab.listed("cp-1"));
        assertTrue(lab.files.exists(ResetLab.DATA.resolve("member/wal/0.wal")));
    }

    @Test
    void aWorkerHasNothingToDoWithEtcd() {
        lab.files.deleteContents(ResetLab.MANIFESTS);
        lab.files.deleteContents(ResetLab.DATA);
        ResetRun done = lab.reset();
        assertInstanceOf(EtcdOutcome.Absent.class, done.outcome().orElseThrow());
        assertEquals(List.of(), lab.accesses);
        assertEquals(List.of(), lab.files.list(Path.of("/var/lib/kubelet")));
    }

    @Test
    void anExternalEtcdIsLeftAlone() {
        lab.files.delete(ResetLab.MANIFESTS.resolve("etcd.yaml"));
        lab.staticPod("kube-apiserver", "--etcd-servers=https://10.0.0.1:2379");
        ResetRun done = lab.reset();
        assertInstanceOf(EtcdOutcome.Absent.class, done.outcome().orElseThrow());
        assertEquals(List.of(), lab.accesses);
    }

    @Test
    void anUnusableManifestLeavesEtcdToTheOperator() {
        lab.files.with("/etc/kubernetes/manifests/etcd.yaml", "spec: [");
        assertEquals(
                "/etc/kubernetes/manifests/etcd.yaml has no volume etcd-data; this node is unchanged",
                lab.refused().why());
    }

    @Test
    void theAddressOfTheApiServerAloneNamesNoVoter() {
        lab.files.delete(ResetLab.MANIFESTS.resolve("etcd.yaml"));
        lab.etcd.local("");
        MemberId other = lab.etcd.plant(URI.create("https://192.0.2.10:2380"), false);
        lab.etcd.start(other, "cp-4");
        KjadmException refused = lab.refused();
        assertEquals(Optional.of(Reason.UNPROVEN), refused.reason());
        assertTrue(lab.listed("cp-4"));
    }

    @Test
    void everyEndpointThatIsKnownIsAsked() {
        lab.reset();
        assertEquals(
                List.of("https://cp-1:2379", "https://cp-2:2379"),
                lab.accesses.getFirst().endpoints().stream()
                        .map(Object::toString)
                        .sorted()
                        .toList());
    }

    @Test
    void anExpiredClientCertificateIsReplacedForTheOccasion() {
        IssuedCertificate old = ResetLab.CA.issue(
                CertificateSet.named(CertificateSet.ETCD_HEALTHCHECK_CLIENT)
                        .requestFor(ResetLab.NOTHING, SubjectNames.none()),
                KeyAlgorithm.ECDSA_P256,
                new Validity(lab.waiter.now().minusSeconds(9), lab.waiter.now().minusSeconds(1)));
        lab.files.with("/etc/kubernetes/pki/etcd/healthcheck-client.crt", old.certificatePem());
        lab.reset().conclude();
        CertificateInfo used = CertificateInfo.parse(lab.accesses.getFirst().certPem());
        assertTrue(used.isValidAt(lab.waiter.now()));
        assertEquals("kube-etcd-healthcheck-client", used.commonName());
    }

    @Test
    void withoutAnyCredentialsEtcdIsNotAsked() {
        lab.files.deleteContents(Path.of("/etc/kubernetes/pki"));
        assertEquals(
                Set.of("/etc/kubernetes/pki/etcd/ca.crt"),
                Named.files(lab.refused().why()));
    }

    @Test
    void noAnswerIsNo() {
        Map<Path, String> before = lab.contents();
        PhaseFailure failure = assertThrows(
                PhaseFailure.class,
                () -> lab.workflow((area, question) -> false)
                        .run(lab.start(ResetLab.config(false, false)), ResetLab.WHOLE, lab.out));
        assertInstanceOf(UsageException.class, failure.getCause());
        assertEquals("preflight", failure.phase());
        assertEquals(before, lab.contents());
    }

    @Test
    void anOrdinaryUserMayNot() {
        lab.files.with("/proc/self/status", "Uid:\t1000\t1000\t1000\t1000\n");
        assertEquals("preflight", assertThrows(PhaseFailure.class, lab::reset).phase());
    }

    @Test
    void aSkippedRemovalKeepsTheDataAndSaysSo() {
        lab.workflow(Confirmation.GIVEN)
                .run(
                        lab.start(ResetLab.config(false, false)),
                        Selection.allBut(List.of("remove-etcd-member")),
                        lab.out)
                .conclude();
        assertTrue(lab.listed("cp-1"));
        assertTrue(lab.files.exists(ResetLab.DATA.resolve("member/wal/0.wal")));
        assertEquals(Set.of("/var/lib/etcd"), Named.files(lab.out.warnings().getLast()));
    }

    @Test
    void aDryRunLeavesDiskAndClusterUntouched() {
        Map<Path, String> before = lab.contents();
        lab.dryRun(ResetLab.config(false, false)).conclude();
        assertEquals(before, lab.contents());
        assertEquals(List.of(), lab.etcd.changes());
        assertTrue(lab.runtime.containers.get("etcd").running());
        assertEquals(Set.of("systemctl is-active kubelet"), Set.copyOf(lab.runner.commands()));
        assertTrue(
                lab.out.in("dryrun").stream()
                        .anyMatch(line -> line.startsWith("Would remove etcd member")),
                lab.out.text());
    }

    @Test
    void aRuntimeThatTheKubeletNamesIsNotLookedFor() {
        assertEquals(
                "unix:///run/c.sock", lab.start(ResetLab.config(false, false)).criSocket());
        lab.files.delete(Path.of("/var/lib/kubelet/instance-config.yaml"));
        lab.files.with(
                "/var/lib/kubelet/kubeadm-flags.env",
                "KUBELET_KUBEADM_ARGS=\"--container-runtime-endpoint=unix:///run/d.sock --x=y\"\n");
        assertEquals(
                "unix:///run/d.sock", lab.start(ResetLab.config(false, false)).criSocket());
        lab.files.delete(Path.of("/var/lib/kubelet/kubeadm-flags.env"));
        assertThrows(
                UsageException.class,
                () -> lab.start(ResetLab.config(false, false)),
                "every socket answers here");
        assertEquals(
                CriSockets.DEFAULT,
                lab.start(ResetLab.config(false, false), CriSockets::firstAnswering)
                        .criSocket());
    }

    @Test
    void theClustersConfigurationIsReadIfItAnswers() {
        lab.api = new MemoryKubeApi().with(ConfigurationMaps.kubeadmConfig("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                certificatesDir: /elsewhere
                etcd:
                  external: {endpoints: ["http://10.0.0.1:2379"]}
                """));
        lab.files.with("/etc/kubernetes/admin.conf", ResetLab.ADMIN_CONF);
        lab.files.delete(ResetLab.MANIFESTS.resolve("etcd.yaml"));
        ResetRun run = new ResetRunLoader(
                        lab.files,
                        new KubeClients(lab.files, access -> lab.api),
                        lab.runtime,
                        lab.waiter)
                .start(
                        ResetLab.config(false, false),
                        Path.of("/etc/kubernetes/admin.conf"),
                        CriSockets::detect,
                        lab.out);
        assertTrue(run.etcd().external());
        assertEquals(
                Path.of("/etc/kubernetes/pki"),
                run.paths().certificatesDir(),
                "a directory that only the cluster names is not emptied");
    }
}
