package io.kjadm.core.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.KjadmException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.staticpod.ManifestImages;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The upgrade of a node is interrupted, and somebody else changes its manifests before the next run. */
class OvertakenUpgradeTest {

    private static final String SERVER = "/etc/kubernetes/manifests/kube-apiserver.yaml";

    private static final String BROKEN = "registry.k8s.io/kube-controller-manager:v1.37.0";

    private final UpgradingNode node = new UpgradingNode();

    /** A run that is asked to stop leaves it to the next one to resume. */
    OvertakenUpgradeTest() {
        boolean[] running = {true};
        node.broken.add(BROKEN);
        node.lab.waiter.eachTime(() -> {
            if (running[0] && node.tag("kube-controller-manager").equals(UpgradingNode.TO)) {
                Thread.currentThread().interrupt();
            }
        });
        assertThrows(PhaseFailure.class, node::apply);
        running[0] = false;
        assertTrue(Thread.interrupted());
        node.broken.clear();
        assertTrue(node.lab.init.files.exists(Path.of(UpgradingNode.JOURNAL)));
    }

    /** As where kubeadm has finished it; the component that fails is one that it did not get to. */
    @Test
    void aRollBackLeadsToWhatTheRunHasFound() {
        node.edit("kube-apiserver", "kube-apiserver:v1.37.0", "kube-apiserver:v1.36.9");
        Map<String, String> found = node.manifests();
        node.broken.add("registry.k8s.io/kube-scheduler:v1.37.0");

        KjadmException failure = assertInstanceOf(
                KjadmException.class,
                assertThrows(PhaseFailure.class, node::apply).getCause());

        assertEquals(Optional.of(CommonReason.ROLLED_BACK), failure.reason());
        assertEquals(found, node.manifests());
        assertEquals(4, node.runningTags().size(), "something does not run");
        assertTrue(
                node.lab.out.warnings().stream()
                        .anyMatch(line -> Named.files(line).contains(SERVER)),
                node.lab.out.warnings()::toString);
        MemoryFiles files = node.lab.init.files;
        assertFalse(files.exists(Path.of(UpgradingNode.JOURNAL)));
        assertTrue(
                files.files().stream()
                        .filter(path ->
                                path.toString().startsWith("/etc/kubernetes/tmp/kjadm-interrupted"))
                        .filter(path -> path.toString().endsWith("kube-apiserver.yaml"))
                        .map(path -> ManifestImages.of(files.text(path.toString())))
                        .anyMatch(Optional.of(
                                "registry.k8s.io/kube-apiserver:" + UpgradingNode.FROM)::equals),
                "the manifest of before is lost");
    }

    @Test
    void theNextRunUpgradesWhatSomebodyElseHasChanged() {
        node.edit("kube-apiserver", "kube-apiserver:v1.37.0", "kube-apiserver:v1.36.9");
        node.apply();
        assertUpgraded();
    }

    @Test
    void aComponentThatWasPutBackIsUpgradedAgain() {
        String former = new UpgradingNode().manifest("kube-apiserver");
        node.edit("kube-apiserver", node.manifest("kube-apiserver"), former);
        node.apply();
        assertUpgraded();
    }

    private void assertUpgraded() {
        assertEquals(4, node.runningTags().size(), "something does not run");
        assertEquals(UpgradingNode.TO, node.tag("kube-apiserver"));
        assertEquals(UpgradingNode.TO, node.tag("kube-scheduler"));
        assertFalse(node.lab.init.files.exists(Path.of(UpgradingNode.JOURNAL)));
    }
}
