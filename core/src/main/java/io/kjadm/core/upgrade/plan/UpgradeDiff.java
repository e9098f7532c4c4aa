package io.kjadm.core.upgrade.plan;

import io.kjadm.core.error.HostException;
import io.kjadm.core.upgrade.GeneratedManifests;
import io.kjadm.core.upgrade.UnifiedDiff;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.manifests.PatchTarget;

import java.util.List;

/** How the manifests on this node's disk differ from those of a version. */
public final class UpgradeDiff {

    private static final String NEW = "new manifest";

    private final GeneratedManifests manifests;

    public UpgradeDiff(GeneratedManifests manifests) {
        this.manifests = manifests;
    }

    /**
     * The difference of each manifest that has one, in the format of {@code diff -u}.
     *
     * @param contextLines how many unchanged lines are shown before and after a change
     * @throws HostException if a manifest is missing
     */
    public List<String> diffs(KubernetesVersion version, int contextLines) {
        return manifests.targets().stream()
                .map(target -> UnifiedDiff.of(
                        manifests.path(target).toString(),
                        onDisk(target),
                        NEW,
                        manifests.of(target, version),
                        contextLines))
                .filter(diff -> !diff.isEmpty())
                .toList();
    }

    private String onDisk(PatchTarget target) {
        return manifests
                .onDisk(target)
                .orElseThrow(() -> new HostException(
                        "there is no %s".formatted(manifests.path(target)),
                        "this node has no static pod of that name",
                        "run this on a control-plane node whose pods run"));
    }
}
