package io.kjadm.core.upgrade.check;

import static io.kjadm.core.upgrade.check.UpgradeLab.MANIFESTS;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.upgrade.GeneratedManifests;
import io.kjadm.core.upgrade.InstalledNode;
import io.kjadm.core.upgrade.StoredConfiguration;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.core.value.Timeouts;
import io.kjadm.etcd.Named;
import io.kjadm.manifests.NameAndUrl;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The manifests that init wrote for v1.36.2, compared with those of other versions. */
class ManifestDiffTest {

    private final UpgradeLab lab = new UpgradeLab();
    private Optional<Path> patches = Optional.empty();

    private List<String> diffs(String version, int contextLines) {
        StoredConfiguration stored = lab.stored();
        return new GeneratedManifests(
                        lab.init.files,
                        lab.manifests(),
                        new GeneratedManifests.Input(
                                stored,
                                InstalledNode.look(lab.init.files, stored.cluster()),
                                patches,
                                Optional.of(List.of(new NameAndUrl(
                                        "cp-1", URI.create("https://192.0.2.10:2380")))),
                                Timeouts.DEFAULTS))
                .diffs(KubernetesVersion.of(version), contextLines);
    }

    @Test
    void theSameVersionMakesADifferenceOnlyToAnEtcdThatFoundedTheCluster() {
        List<String> diffs = diffs("v1.36.2", 0);
        assertEquals(1, diffs.size(), diffs.toString());
        assertTrue(
                diffs.getFirst()
                        .startsWith("--- %setcd.yaml\n+++ new manifest\n".formatted(MANIFESTS)),
                diffs.getFirst());
        assertHasLine("+    - --initial-cluster-state=existing", diffs.getFirst());
    }

    @Test
    void anotherVersionChangesTheImages() {
        List<String> diffs = diffs("v1.37.0", 0);
        assertEquals(4, diffs.size());
        assertEquals("""
                --- /etc/kubernetes/manifests/kube-scheduler.yaml
                +++ new manifest
                @@ -18,1 +18,1 @@
                -    image: registry.k8s.io/kube-scheduler:v1.36.2
                +    image: registry.k8s.io/kube-scheduler:v1.37.0
                """, diffs.getLast());
    }

    @Test
    void patchesAreApplied() {
        lab.init.files.with(
                "/patches/kube-scheduler.yaml", "metadata: {annotations: {example/a: b}}\n");
        patches = Optional.of(Path.of("/patches"));
        assertHasLine("+    example/a: b", diffs("v1.36.2", 0).getLast());
    }

    @Test
    void contextIsShownAsWished() {
        String narrow = diffs("v1.37.0", 0).getLast();
        String wide = diffs("v1.37.0", 3).getLast();
        assertTrue(wide.lines().count() > narrow.lines().count() + 3, wide);
    }

    @Test
    void aManifestThatIsMissingIsNamed() {
        lab.init.files.delete(Path.of(MANIFESTS + "kube-scheduler.yaml"));
        HostException refusal = assertThrows(HostException.class, () -> diffs("v1.37.0", 0));
        assertEquals(
                Set.of("/etc/kubernetes/manifests/kube-scheduler.yaml"),
                Named.files(refusal.what()));
    }
}
