package io.kjadm.core.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.join.PowerCut;
import io.kjadm.core.phase.PhaseFailure;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Somebody has changed manifests by hand, and wants to keep that. */
class AdoptionTest {

    private static final Path PATCHES = Path.of("/etc/kubernetes/patches");
    private static final String OWN_FLAG = "--audit-log-maxage=7";
    private static final String OWN_CPU = "cpu: 123m";

    private final UpgradingNode node = changed();

    private static UpgradingNode changed() {
        UpgradingNode node = new UpgradingNode();
        node.edit(
                "kube-apiserver",
                "    - kube-apiserver\n",
                "    - kube-apiserver\n    - " + OWN_FLAG + "\n");
        node.edit("etcd", "cpu: 100m", OWN_CPU);
        return node;
    }

    @BeforeEach
    void wanted() {
        node.adopts = true;
    }

    private static List<Path> patches(UpgradingNode one) {
        return one.lab.init.files.list(PATCHES);
    }

    private static void assertKept(UpgradingNode one) {
        assertEquals("v1.36.2", one.tag("kube-apiserver"));
        assertEquals("3.6.14-0", one.tag("etcd"));
        assertTrue(one.manifest("kube-apiserver").contains(OWN_FLAG));
        assertTrue(one.manifest("etcd").contains(OWN_CPU));
        assertTrue(one.manifest("etcd").contains("--initial-cluster-state=existing"));
    }

    @Test
    void itIsKeptAsPatchesThatOnlyRootMayRead() {
        node.apply();

        assertKept(node);
        assertEquals(2, patches(node).size(), patches(node)::toString);
        patches(node)
                .forEach(patch -> assertEquals(
                        FileMode.OWNER_ONLY, node.lab.init.files.mode(patch).orElseThrow()));
    }

    @Test
    void aSecondRunFindsNothingMore() {
        node.apply();
        List<Path> first = patches(node);
        Map<String, String> manifests = node.manifests();

        node.apply();

        assertEquals(first, patches(node));
        assertEquals(manifests, node.manifests());
    }

    @Test
    void withoutTheFlagItIsLost() {
        node.adopts = false;

        node.apply();

        assertFalse(node.manifest("kube-apiserver").contains(OWN_FLAG));
        assertFalse(node.lab.init.files.exists(PATCHES));
    }

    @Test
    void whatTheUpgradeChangesItselfIsToldAndLost() {
        node.edit("kube-scheduler", "kube-scheduler:v1.35.6", "kube-scheduler:v1.35.7");
        node.edit("kube-scheduler", "registry.k8s.io/kube-scheduler", "example.com/scheduler");

        node.apply();

        assertEquals("v1.36.2", node.tag("kube-scheduler"));
        assertTrue(node.manifest("kube-scheduler").contains("registry.k8s.io/kube-scheduler"));
        assertTrue(
                node.lab.out.warnings().toString().contains("example.com/scheduler"),
                node.lab.out.warnings()::toString);
        assertKept(node);
    }

    @Test
    void aRollBackLeavesNoPatches() {
        Map<String, String> before = node.manifests();
        node.broken.add("registry.k8s.io/kube-scheduler:v1.36.2");

        assertThrows(PhaseFailure.class, node::apply);

        assertEquals(before, node.manifests());
        assertEquals(List.of(), patches(node));
    }

    @Test
    void thePowerMayGoBehindEveryChange() {
        List<String> failures = new ArrayList<>();
        boolean cut = true;
        for (int step = 1; cut; step++) {
            UpgradingNode one = changed();
            one.adopts = true;
            cut = one.cut(new PowerCut.Socket(step));
            try {
                one.apply();
                assertKept(one);
                assertEquals(2, patches(one).size(), patches(one)::toString);
            } catch (RuntimeException | AssertionError e) {
                failures.add("step %d: %s".formatted(step, e));
            }
        }
        assertEquals(List.of(), failures);
    }
}
