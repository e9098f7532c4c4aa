package io.kjadm.core.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.preflight.machine.GoodHost;
import io.kjadm.etcd.CommonReason;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * An upgrade gives the control plane its version, and then does not end: its machine goes, or an
 * addon is not accepted. Months later the next version is wanted.
 */
class UpgradeAfterUnfinishedTest {

    private static final String NEXT = "v1.37.1";
    private static final String NEXT_SCHEDULER = "registry.k8s.io/kube-scheduler:" + NEXT;

    private final UpgradingNode node = new UpgradingNode();
    private final MemoryFiles files = node.lab.init.files;

    /** Whoever went back to the version before would lose all that was served since. */
    @Test
    void aRollBackLeadsToWhatRanUntilThen() {
        node.renews = true;
        node.applyAndDie();
        Map<String, String> served = node.manifests();
        Map<Path, Integer> certificates = certificates();
        laterBroken();

        assertEquals(Optional.of(CommonReason.ROLLED_BACK), failure().reason());

        assertEquals(served, node.manifests());
        assertEquals(4, node.runningTags().size(), "something does not run");
        assertEquals(certificates, certificates(), "those from before are expired by now");
        assertFalse(files.exists(Path.of(UpgradingNode.JOURNAL)));
    }

    @Test
    void whatItHadReplacedIsKeptAsThatOfAnUpgradeThatHasEnded() {
        node.applyAndDie();
        node.target = NEXT;
        node.apply();
        assertEquals(NEXT, node.runningTags().get("kube-scheduler"));
        assertTrue(
                files.files().stream()
                        .filter(path -> path.toString().contains("/kjadm-upgraded-"))
                        .filter(path -> path.toString().endsWith("kube-apiserver.yaml"))
                        .anyMatch(path -> files.text(path.toString())
                                .contains("kube-apiserver:" + UpgradingNode.FROM)),
                "the manifest of before is lost");
    }

    /** The scheduler of the version between is healthy until the kubelet has stopped it. */
    @Test
    void aComponentOfTheVersionBetweenIsNotTakenForTheNewOne() {
        interruptAt("kube-scheduler");
        laterBroken();
        assertEquals(Optional.of(CommonReason.ROLLED_BACK), failure().reason());
        assertEquals(UpgradingNode.FROM, node.runningTags().get("kube-scheduler"));
    }

    /** The other nodes, and this one's kubelet, may be of the new version by then. */
    @Test
    void whatHasServedIsNotRolledBackWhereTheDirectoryOfPatchesIsMistyped() {
        node.applyAndDie();
        assertNothingIsChangedWithoutPatches();
    }

    @Test
    void norIsWhatWasExchangedWhenTheUpgradeWasInterrupted() {
        interruptAt("kube-scheduler");
        assertNothingIsChangedWithoutPatches();
    }

    private void assertNothingIsChangedWithoutPatches() {
        Map<String, String> before = node.manifests();
        node.patches = Optional.of(Path.of("/etc/kubernetes/mistyped"));

        assertEquals(Optional.empty(), failure().reason());

        assertEquals(before, node.manifests());
        node.patches = Optional.empty();
        node.apply();
        assertEquals(UpgradingNode.TO, node.runningTags().get("kube-scheduler"));
    }

    /** A roll-back would lead to a node that is of neither version. */
    @Test
    void aPhaseAloneDoesNotEndWhatWasInterrupted() {
        interruptAt("kube-scheduler");
        Selection whole = node.selection;
        node.selection = Selection.only("kubelet-config");
        node.apply();
        assertTrue(files.exists(Path.of(UpgradingNode.JOURNAL)));

        node.selection = whole;
        node.broken.add("registry.k8s.io/kube-scheduler:" + UpgradingNode.TO);
        assertEquals(Optional.of(CommonReason.ROLLED_BACK), failure().reason());

        node.manifests()
                .forEach((component, text) ->
                        assertFalse(text.contains(UpgradingNode.TO), component + " stays"));
    }

    /** The kubelet has removed images that nobody used, and the registry does not respond. */
    @Test
    void aRollBackIsFinishedWithoutTheImagesOfTheNewVersion() {
        interruptAt("kube-scheduler");
        NodeChanges.begin(
                        files,
                        KubernetesPaths.standard(),
                        UpgradingNode.FROM,
                        UpgradingNode.TO,
                        node.lab.waiter.now())
                .giveUp();
        files.with(new GoodHost().files);
        node.lab.init.runner.answering("kubelet --version", "Kubernetes v1.36.1\n");
        String proxy = "registry.k8s.io/kube-proxy:" + UpgradingNode.TO;
        node.lab.init.runtime.refusals.put(proxy, Integer.MAX_VALUE);
        node.selection = Selection.allBut(List.of());

        failure();

        assertEquals(UpgradingNode.FROM, node.runningTags().get("kube-apiserver"));
        assertFalse(files.exists(Path.of(UpgradingNode.JOURNAL)));
    }

    /** Months after a kill certificates may have been renewed, and those from before are expired. */
    @Test
    void aRenewalThatIsBegunAgainPutsBackWhatItFinds() {
        node.renews = true;
        String scheduler = "registry.k8s.io/kube-scheduler:" + UpgradingNode.TO;
        interruptWhen(() -> node.told().contains("Restarting kube-controller-manager")
                && !node.broken.add(scheduler)
                && node.told().contains("Restarting kube-scheduler"));
        certificates()
                .keySet()
                .forEach(path -> files.with(
                        path.toString(), files.text(path.toString()).replaceAll("\\s+$", "\n\n")));
        Map<Path, Integer> found = certificates();

        failure();

        assertEquals(found, certificates());
    }

    @Test
    void whoPutsAComponentBackKeepsTheCertificates() {
        String former = node.manifest("kube-scheduler");
        node.renews = true;
        node.applyAndDie();
        Map<Path, Integer> found = certificates();
        node.edit("kube-scheduler", node.manifest("kube-scheduler"), former);
        node.broken.add("registry.k8s.io/kube-scheduler:" + UpgradingNode.TO);

        failure();

        assertEquals(UpgradingNode.FROM, node.tag("kube-apiserver"));
        assertEquals(found, certificates());
    }

    /** A run that is asked to stop leaves it to the next one to resume. */
    private void interruptAt(String component) {
        node.broken.add("registry.k8s.io/%s:%s".formatted(component, UpgradingNode.TO));
        interruptWhen(() -> node.tag(component).equals(UpgradingNode.TO));
        node.broken.clear();
    }

    private void interruptWhen(BooleanSupplier time) {
        boolean[] running = {true};
        node.lab.waiter.eachTime(() -> {
            if (running[0] && time.getAsBoolean()) {
                Thread.currentThread().interrupt();
            }
        });
        assertThrows(PhaseFailure.class, node::apply);
        running[0] = false;
        assertTrue(Thread.interrupted());
    }

    private void laterBroken() {
        node.lab.waiter.pause("", "", Duration.ofDays(90));
        node.lab.waiter.pause("", "", Duration.ofSeconds(1));
        node.target = NEXT;
        node.broken.add(NEXT_SCHEDULER);
    }

    private KjadmException failure() {
        return assertInstanceOf(
                KjadmException.class,
                assertThrows(PhaseFailure.class, node::apply).getCause());
    }

    private Map<Path, Integer> certificates() {
        return files.files().stream()
                .filter(path -> path.startsWith("/etc/kubernetes/pki")
                        || path.toString().matches("/etc/kubernetes/[a-z-]+\\.conf"))
                .collect(Collectors.toMap(
                        path -> path, path -> files.text(path.toString()).hashCode()));
    }
}
