package io.kjadm.core.init;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.kjadm.core.config.LoadedInit;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.host.Owner;
import io.kjadm.core.host.SystemAccounts;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.Selection;
import io.kjadm.etcd.Named;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The node of a cluster whose static pods do not run as root. Numbers are given in the order of the
 * pods.
 */
class RootlessInitTest {

    private static final String CONFIG = InitLab.CP_1 + """
            encryptionAlgorithm: ECDSA-P256
            featureGates: {RootlessControlPlane: true}
            """;
    private static final Owner ETCD = new Owner(100, 100);
    private static final Owner API_SERVER = new Owner(101, 101);
    private static final Owner CONTROLLER_MANAGER = new Owner(102, 102);
    private static final Owner SCHEDULER = new Owner(103, 103);

    private final InitLab lab = new InitLab();
    private final LoadedInit loaded = InitLab.load(CONFIG);

    RootlessInitTest() {
        lab.files
                .with("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n")
                .with("/etc/group", "root:x:0:\n");
    }

    private InitRun manifests() {
        return lab.phases(lab.start(loaded, false), "certs", "kubeconfig", "etcd", "control-plane");
    }

    private void assertOwned(Owner owner, FileMode mode, String... names) {
        for (String name : names) {
            Path file = Path.of("/etc/kubernetes").resolve(name);
            assertEquals(owner, lab.files.owner(file), name);
            assertEquals(Optional.of(mode), lab.files.mode(file), name);
        }
    }

    @Test
    void eachPodOwnsWhatItReadsAndNothingElse() {
        lab.files.with("/var/lib/etcd/member/snap/db", "");
        manifests();
        assertOwned(ETCD, FileMode.OWNER_ONLY, "pki/etcd/server.key", "pki/etcd/peer.key");
        assertOwned(
                API_SERVER,
                FileMode.OWNER_ONLY,
                "pki/sa.pub",
                "pki/apiserver.key",
                "pki/apiserver-kubelet-client.key",
                "pki/front-proxy-client.key",
                "pki/apiserver-etcd-client.key");
        assertOwned(
                CONTROLLER_MANAGER, FileMode.OWNER_ONLY, "controller-manager.conf", "pki/ca.key");
        assertOwned(SCHEDULER, FileMode.OWNER_ONLY, "scheduler.conf");
        assertOwned(new Owner(0, 104), FileMode.GROUP_READABLE, "pki/sa.key");
        assertOwned(
                Owner.ROOT,
                FileMode.OWNER_ONLY,
                "admin.conf",
                "pki/etcd/ca.key",
                "pki/front-proxy-ca.key");
        assertEquals(ETCD, lab.files.owner(Path.of("/var/lib/etcd")));
        assertEquals(ETCD, lab.files.owner(Path.of("/var/lib/etcd/member/snap/db")));
    }

    @Test
    void theAccountsAreAddedOnce() {
        manifests();
        String users = lab.files.text("/etc/passwd");
        manifests();
        assertEquals(users, lab.files.text("/etc/passwd"));
        assertEquals(5, users.lines().count());
        assertEquals("""
                root:x:0:
                kubeadm-etcd:x:100:
                kubeadm-kas:x:101:
                kubeadm-kcm:x:102:
                kubeadm-ks:x:103:
                kubeadm-sa-key-readers:x:104:kubeadm-kas,kubeadm-kcm
                """, lab.files.text("/etc/group"));
    }

    @Test
    void aFileThatWasMadeAnewIsGivenAwayAgainThoughTheManifestIsAsItShouldBe() {
        InitRun run = manifests();
        lab.files.delete(Path.of("/etc/kubernetes/scheduler.conf"));
        lab.phases(run, "kubeconfig", "control-plane");
        assertOwned(SCHEDULER, FileMode.OWNER_ONLY, "scheduler.conf");
    }

    @Test
    void thePodsRunAsTheirUsers() {
        manifests();
        assertEquals(101, security("kube-apiserver").getRunAsUser());
        assertEquals(List.of(104L), security("kube-apiserver").getSupplementalGroups());
        assertEquals(100, security("etcd").getRunAsUser());
        assertEquals(List.of(), security("etcd").getSupplementalGroups());
    }

    private PodSecurityContext security(String pod) {
        return ManifestYaml.read(
                        lab.files.text("/etc/kubernetes/manifests/%s.yaml".formatted(pod)),
                        Pod.class)
                .getSpec()
                .getSecurityContext();
    }

    @Test
    void theKeyOfAnExternalAuthorityIsNotMissed() {
        InitRun run = lab.phases(lab.start(loaded, false), "certs", "kubeconfig");
        lab.files.delete(Path.of("/etc/kubernetes/pki/ca.key"));
        lab.phases(run, "control-plane");
        assertOwned(CONTROLLER_MANAGER, FileMode.OWNER_ONLY, "controller-manager.conf");
    }

    @Test
    void withoutItsFilesAPodIsNotStarted() {
        PhaseFailure refused = assertThrows(
                PhaseFailure.class, () -> lab.phases(lab.start(loaded, false), "control-plane"));
        assertEquals(
                Set.of("/etc/kubernetes/pki/sa.pub"),
                Named.files(refused.getCause().getMessage()),
                refused.getCause().getMessage());
        assertFalse(lab.files.exists(Path.of("/etc/kubernetes/manifests/kube-apiserver.yaml")));
    }

    @Test
    void withoutTheGateNobodyIsAdded() {
        LoadedInit ordinary =
                InitLab.load(CONFIG.replace("featureGates: {RootlessControlPlane: true}", ""));
        lab.phases(lab.start(ordinary, false), "certs", "kubeconfig", "etcd", "control-plane");
        assertEquals(1, lab.files.text("/etc/passwd").lines().count());
        assertOwned(Owner.ROOT, FileMode.OWNER_ONLY, "pki/sa.key", "scheduler.conf");
    }

    @Test
    void anotherProgramIsLetFinishWithTheAccounts() {
        InitRun run = lab.phases(lab.start(loaded, false), "certs", "kubeconfig");
        Claim useradd = lab.files.claim(SystemAccounts.LOCK).orElseThrow();
        lab.waiter.after(Duration.ofSeconds(2), () -> {
            lab.files.append(Path.of("/etc/passwd"), "theirs:x:100:100::/:/bin/false\n");
            useradd.close();
        });
        lab.phases(run, "etcd");
        assertEquals(
                List.of("101"),
                lab.files
                        .text("/etc/passwd")
                        .lines()
                        .map(line -> line.split(":"))
                        .filter(fields -> fields[0].equals("kubeadm-etcd"))
                        .map(fields -> fields[2])
                        .toList());
    }

    @Test
    void aLockThatIsNeverGivenBackIsNamed() {
        InitRun run = lab.phases(lab.start(loaded, false), "certs", "kubeconfig");
        assertTrue(lab.files.claim(SystemAccounts.LOCK).isPresent());
        PhaseFailure expired = assertThrows(PhaseFailure.class, () -> lab.phases(run, "etcd"));
        assertEquals(
                Set.of("/etc/.pwd.lock"),
                Named.files(expired.getCause().getMessage()),
                expired.getCause().getMessage());
        assertEquals(1, lab.files.text("/etc/passwd").lines().count());
    }

    @Test
    void aDryRunAddsNobodyAndGivesNothingAway() {
        Map<Path, String> before = lab.contents();
        lab.dryWorkflow()
                .run(
                        lab.start(loaded, false),
                        Selection.allBut(List.of(
                                "preflight",
                                "wait-control-plane",
                                "upload-config",
                                "upload-certs",
                                "mark-control-plane",
                                "bootstrap-token",
                                "kubelet-finalize",
                                "addon",
                                "show-join-command")),
                        lab.out);
        assertEquals(before, lab.contents());
        assertHasLine("kubeadm-etcd:x:100:100::/nonexistent:/bin/false", lab.out.text());
        assertHasLine(
                "[dryrun] Would change the owner of \"/etc/kubernetes/pki/sa.key\" to 0:104 and its mode to rw-r-----",
                lab.out.text());
    }
}
