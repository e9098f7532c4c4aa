package io.kjadm.core.upgrade;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.CrashStates;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.OverlayFiles;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.upgrade.check.UpgradeLab;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Somebody has changed manifests by hand, and wants to keep that. */
class AdoptionTest {

    private static final Path PATCHES = Path.of("/etc/kubernetes/patches");
    private static final String LATER =
            "[upgrade/adopt] From now on give --patches=%s whenever this node is upgraded"
                    .formatted(PATCHES);
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
        return one.lab.init.files.list(PATCHES).stream()
                .filter(path -> !CrashStates.temporary(path))
                .toList();
    }

    private static void assertKept(UpgradingNode one) {
        assertEquals("v1.37.0", one.tag("kube-apiserver"));
        assertEquals("3.6.14-0", one.tag("etcd"));
        assertHasLine("- " + OWN_FLAG, one.manifest("kube-apiserver"));
        assertHasLine(OWN_CPU, one.manifest("etcd"));
        assertHasLine("- --initial-cluster-state=existing", one.manifest("etcd"));
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
    void whatIsKeptIsToldWithItsFileAndWhatToDoLater() {
        node.apply();

        String told = node.lab.out.text();
        for (Path patch : patches(node)) {
            assertTrue(told.contains(patch.toString()), told);
        }
        assertHasLine(
                "[upgrade/adopt] Kept in /etc/kubernetes/patches/kube-apiserver-adopted-20261120-100000+json.yaml: spec.containers[kube-apiserver].command[--audit-log-maxage]: (nothing) → 7",
                told);
        assertHasLine(LATER, told);
        assertEquals(
                FileMode.PRIVATE_DIRECTORY, node.lab.init.files.mode(PATCHES).orElseThrow());
    }

    @Test
    void withoutAChangeThatIsSaidAndNothingWritten() {
        UpgradingNode untouched = new UpgradingNode();
        untouched.adopts = true;

        untouched.apply();

        assertEquals(List.of(), patches(untouched));
        assertEquals(
                List.of("No manifest was changed by hand that is not in a patch already"),
                untouched.lab.out.in("upgrade/adopt"));
        assertFalse(untouched.lab.init.files.exists(PATCHES));
        assertEquals("v1.37.0", untouched.tag("kube-scheduler"));
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

    /** Killed when the patches were written: then as now they make the manifests what they are. */
    @Test
    void aRunThatGoesOnTellsTheDirectoryAgain() {
        node.adopt(node.lab.init.files);
        List<Path> first = patches(node);
        int before = node.lab.out.lines().size();

        node.adopt(node.lab.init.files);

        List<String> told =
                node.lab.out.lines().subList(before, node.lab.out.lines().size());
        assertEquals(first, patches(node));
        assertEquals(LATER, told.getLast());
    }

    @Test
    void whatIsChangedAgainLaterGetsPatchesOfItsOwn() {
        node.apply();
        List<Path> first = patches(node);
        node.edit("etcd", OWN_CPU, "cpu: 234m");
        node.lab.waiter.pause("", "", Duration.ofHours(1));

        node.apply();

        assertEquals(first.size() + 1, patches(node).size(), patches(node)::toString);
        assertTrue(patches(node).containsAll(first), patches(node)::toString);
        assertHasLine("cpu: 234m", node.manifest("etcd"));
    }

    /** A patch that the manifests do not have yet looks like one that somebody has undone. */
    @Test
    void aPatchThatIsNewIsNotUndone() {
        Path fresh = PATCHES.resolve("kube-scheduler0+strategic.yaml");
        Path both = PATCHES.resolve("kube-apiserver0+json.yaml");
        node.lab
                .init
                .files
                .with(fresh.toString(), "metadata: {annotations: {example.com/by: patch}}\n")
                .with(both.toString(), """
                        - {op: add, path: /spec/containers/0/command/-, value: --audit-log-maxsize=9}
                        """);

        node.apply();

        assertKept(node);
        assertHasLine("example.com/by: patch", node.manifest("kube-scheduler"));
        assertHasLine("- --audit-log-maxsize=9", node.manifest("kube-apiserver"));
        assertEquals(4, patches(node).size(), patches(node)::toString);
        String kept = "Kept in /etc/kubernetes/patches/";
        assertEquals(
                List.of(
                        kept + "etcd-adopted-20261120-100000+strategic.yaml:"
                                + " spec.containers[etcd].resources.requests.cpu: 100m → 123m",
                        kept + "kube-apiserver-adopted-20261120-100000+json.yaml:"
                                + " spec.containers[kube-apiserver].command[--audit-log-maxage]:"
                                + " (nothing) → 7",
                        "From now on give --patches=/etc/kubernetes/patches"
                                + " whenever this node is upgraded"),
                node.lab.out.in("upgrade/adopt"));
    }

    @Test
    void aDryRunShowsThePatchesAndWritesNothing() {
        List<Path> before = node.lab.init.files.files();
        OverlayFiles dry = new OverlayFiles(node.lab.init.files, node.lab.out);

        UpgradeRun run = node.adopt(dry);

        assertEquals(Optional.of(PATCHES), run.settings().patchesDirectory());
        assertEquals(2, dry.list(PATCHES).size());
        String told = node.lab.out.text();
        assertTrue(told.contains(dry.list(PATCHES).getFirst().toString()), told);
        assertTrue(told.contains(OWN_CPU), told);
        assertEquals(before, node.lab.init.files.files());
        assertFalse(node.lab.init.files.exists(PATCHES));
    }

    @Test
    void theFileOfSomebodyElseIsNotOverwritten() {
        OverlayFiles dry = new OverlayFiles(node.lab.init.files, node.lab.out);
        node.adopt(dry);
        Path taken = dry.list(PATCHES).getLast();
        node.lab.init.files.with(taken.toString(), "\n");

        HostException refusal =
                assertThrows(HostException.class, () -> node.adopt(node.lab.init.files));

        assertTrue(refusal.what().contains(taken.toString()), refusal::toString);
        assertEquals(List.of(taken), patches(node));
        assertEquals("\n", node.lab.init.files.text(taken.toString()));
    }

    @Test
    void whatIsNoDirectoryIsRefusedWithNothingChanged() {
        Map<String, String> before = node.manifests();
        node.lab.init.files.with(PATCHES.toString(), "a file");

        PhaseFailure failure = assertThrows(PhaseFailure.class, node::apply);

        assertInstanceOf(HostException.class, failure.getCause());
        assertTrue(failure.getCause().getMessage().contains(PATCHES.toString()));
        assertEquals(before, node.manifests());
        assertEquals("a file", node.lab.init.files.text(PATCHES.toString()));
    }

    /** Every later rendering with such a patch would be refused. */
    @Test
    void whatRefersToApiObjectsIsRefusedWithNothingChanged() {
        node.edit(
                "kube-scheduler",
                "  volumes:\n",
                "  volumes:\n  - {name: own, secret: {secretName: own}}\n");
        Map<String, String> before = node.manifests();

        PhaseFailure failure = assertThrows(PhaseFailure.class, node::apply);

        HostException refused = assertInstanceOf(HostException.class, failure.getCause());
        assertEquals(
                Set.of("/etc/kubernetes/manifests/kube-scheduler.yaml"),
                Named.files(refused.what()));
        assertTrue(refused.why().endsWith(" own"), refused.getMessage());
        assertEquals(before, node.manifests());
        assertFalse(node.lab.init.files.exists(PATCHES));
    }

    @Test
    void onAWorkerTheFlagIsIgnored() {
        node.lab.init.files.deleteContents(Path.of(UpgradeLab.MANIFESTS));
        node.selection = Selection.only("control-plane");

        node.apply();

        assertEquals(Set.of("--adopt-changes"), Named.flags(node.lab.out.text()));
        assertFalse(node.lab.init.files.exists(PATCHES));
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
        node.edit("kube-scheduler", "kube-scheduler:v1.36.2", "kube-scheduler:v1.36.7");
        node.edit("kube-scheduler", "registry.k8s.io/kube-scheduler", "example.com/scheduler");

        node.apply();

        assertEquals("v1.37.0", node.tag("kube-scheduler"));
        assertHasLine(
                "image: registry.k8s.io/kube-scheduler:v1.37.0", node.manifest("kube-scheduler"));
        assertEquals(
                List.of(
                        "the manifest of kube-scheduler was changed by hand where the upgrade changes it too, and will be as it is generated: spec.containers[kube-scheduler].image: registry.k8s.io/kube-scheduler:v1.36.7 → example.com/scheduler:v1.36.7; write a patch for it if it has to stay"),
                node.lab.out.warnings());
        assertKept(node);
    }

    @Test
    void aRollBackLeavesNoPatches() {
        Map<String, String> before = node.manifests();
        node.broken.add("registry.k8s.io/kube-scheduler:v1.37.0");

        assertThrows(PhaseFailure.class, node::apply);

        assertEquals(before, node.manifests());
        assertEquals(List.of(), patches(node));
    }

    @Test
    void whenEtcdIsRefusedNoPatchesStay() {
        Map<String, String> before = node.manifests();
        node.etcd.stop(node.etcd.id("cp-1"));

        assertThrows(PhaseFailure.class, node::apply);

        assertEquals(before, node.manifests());
        assertEquals(List.of(), patches(node));
    }

    /** Whatever the power leaves of a roll-back, the run that succeeds at last keeps everything. */
    @Tag("power-cut")
    @Test
    void thePowerMayGoBehindEveryChangeOfARollBack() {
        List<String> failures = new ArrayList<>();
        for (PowerCut.Socket socket : PowerCut.moments()) {
            UpgradingNode one = changed();
            one.adopts = true;
            one.broken.add("registry.k8s.io/kube-scheduler:v1.37.0");
            try {
                try {
                    one.cut(socket);
                } catch (PhaseFailure e) {
                    assertFalse(socket.wasCut(), e::toString);
                }
                one.broken.clear();
                try {
                    one.apply();
                } catch (PhaseFailure e) {
                    // it had given up before, and that is finished first
                    assertEquals(List.of(), patches(one), e::toString);
                    one.apply();
                }
                assertKept(one);
                assertEquals(2, patches(one).size(), patches(one)::toString);
            } catch (RuntimeException | AssertionError e) {
                failures.add("%s: %s".formatted(socket, e));
            }
        }
        assertEquals(List.of(), failures);
    }

    @Tag("power-cut")
    @Test
    void thePowerMayGoBehindEveryChange() {
        List<String> failures = new ArrayList<>();
        for (PowerCut.Socket socket : PowerCut.moments()) {
            UpgradingNode one = changed();
            one.adopts = true;
            one.cut(socket);
            try {
                one.apply();
                assertKept(one);
                assertEquals(2, patches(one).size(), patches(one)::toString);
            } catch (RuntimeException | AssertionError e) {
                failures.add("%s: %s".formatted(socket, e));
            }
        }
        assertEquals(List.of(), failures);
    }
}
