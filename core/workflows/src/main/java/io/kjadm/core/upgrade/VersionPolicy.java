package io.kjadm.core.upgrade;

import static io.kjadm.core.upgrade.UpgradeRule.CLUSTER_VERSION;
import static io.kjadm.core.upgrade.UpgradeRule.DOWNGRADE_SKIPS_MINOR;
import static io.kjadm.core.upgrade.UpgradeRule.KUBELETS_TOO_OLD;
import static io.kjadm.core.upgrade.UpgradeRule.KUBELETS_UNKNOWN;
import static io.kjadm.core.upgrade.UpgradeRule.PROGRAM_MINOR_TOO_OLD;
import static io.kjadm.core.upgrade.UpgradeRule.PROGRAM_PATCH_TOO_OLD;
import static io.kjadm.core.upgrade.UpgradeRule.PROGRAM_TOO_NEW;
import static io.kjadm.core.upgrade.UpgradeRule.TARGET_TOO_OLD;
import static io.kjadm.core.upgrade.UpgradeRule.UNSTABLE_TARGET;
import static io.kjadm.core.upgrade.UpgradeRule.UPGRADE_SKIPS_MINOR;
import static io.kjadm.etcd.Severity.MANDATORY;
import static io.kjadm.etcd.Severity.SKIPPABLE;

import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.etcd.Severity;
import io.kjadm.manifests.KubernetesReleases;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * From which version to which a cluster may go: kubeadm's policy
 * ({@code cmd/kubeadm/app/phases/upgrade/policy.go}). With {@code --force} what is skippable is only
 * told.
 */
public final class VersionPolicy {

    private final Facts facts;
    private final KubernetesVersion target;
    private final KubernetesVersion own;
    private final List<UpgradeFinding> findings = new ArrayList<>();

    /**
     * What is known of the versions.
     *
     * @param target what to upgrade to
     * @param cluster what the API server reports; empty if it could not be asked
     * @param releases what this program knows, by which its own version is told
     * @param kubelets what each node reports of its kubelet, by the node's name; empty if the nodes
     *     could not be asked
     * @param allowed which pre-releases may be the target
     */
    public record Facts(
            KubernetesVersion target,
            Optional<KubernetesVersion> cluster,
            KubernetesReleases releases,
            Optional<Map<String, String>> kubelets,
            PreReleases allowed) {

        public Facts {
            kubelets = kubelets.map(TreeMap::new);
        }
    }

    /** The pre-releases that may be installed. */
    public enum PreReleases {
        NONE,
        RELEASE_CANDIDATES,
        ALL;

        /** What the two flags say together. */
        public static PreReleases of(boolean experimental, boolean releaseCandidate) {
            return experimental ? ALL : releaseCandidate ? RELEASE_CANDIDATES : NONE;
        }

        private boolean include(KubernetesVersion version) {
            return this == ALL
                    || this == RELEASE_CANDIDATES && version.preRelease().startsWith("rc");
        }
    }

    private VersionPolicy(Facts facts) {
        this.facts = facts;
        this.target = facts.target();
        this.own = KubernetesVersion.of(facts.releases().newest().newestRelease());
    }

    /** Everything that stands in the way; empty if the cluster may go there. */
    public static List<UpgradeFinding> findings(Facts facts) {
        VersionPolicy policy = new VersionPolicy(facts);
        policy.judge();
        return List.copyOf(policy.findings);
    }

    private void judge() {
        if (facts.cluster().isEmpty()) {
            add(
                    CLUSTER_VERSION,
                    MANDATORY,
                    "the version of the cluster is not known",
                    "its API server did not report it",
                    "check that the API server runs, then try again");
            return;
        }
        oldestTarget();
        distance(facts.cluster().get());
        program();
        preRelease();
        facts.kubelets().ifPresentOrElse(this::kubelets, this::kubeletsUnknown);
    }

    private void oldestTarget() {
        KubernetesVersion oldest = KubernetesVersion.of(facts.releases().oldestControlPlane());
        if (target.compareTo(oldest) < 0) {
            add(
                    TARGET_TOO_OLD,
                    MANDATORY,
                    "%s is too old a version to upgrade to".formatted(target),
                    "the oldest that this program deploys is " + oldest,
                    "choose a newer version, or use an older kjadm");
        }
    }

    private void distance(KubernetesVersion cluster) {
        int minors = target.minor() - cluster.minor();
        if (minors > 1) {
            add(
                    UPGRADE_SKIPS_MINOR,
                    ofReleases(),
                    "%s is too high a version to upgrade to".formatted(target),
                    "the cluster has %s, and an upgrade goes one minor at a time"
                            .formatted(cluster),
                    "upgrade to v%d.%d first".formatted(cluster.major(), cluster.minor() + 1));
        } else if (minors < -1) {
            add(
                    DOWNGRADE_SKIPS_MINOR,
                    ofReleases(),
                    "%s is too low a version to downgrade to".formatted(target),
                    "the cluster has %s, and a downgrade goes one minor at a time"
                            .formatted(cluster),
                    "downgrade to v%d.%d first".formatted(cluster.major(), cluster.minor() - 1));
        }
    }

    private void program() {
        if (target.minor() > own.minor()) {
            add(
                    PROGRAM_MINOR_TOO_OLD,
                    ofReleases(),
                    "%s is of a newer minor than this program knows".formatted(target),
                    "it knows up to " + own.minorText(),
                    "install a kjadm for %s first".formatted(target.minorText()));
        } else if (own.compareTo(target) < 0) {
            add(
                    PROGRAM_PATCH_TOO_OLD,
                    SKIPPABLE,
                    "%s is newer than what this program was made for".formatted(target),
                    "that is " + own,
                    "install a newer kjadm first, or give --force");
        }
        if (own.minor() > target.minor()) {
            add(
                    PROGRAM_TOO_NEW,
                    SKIPPABLE,
                    "this program is made to upgrade to " + own.minorText(),
                    "%s is of an older minor".formatted(target),
                    "use a kjadm for %s, or --force".formatted(target.minorText()));
        }
    }

    private void preRelease() {
        if (target.isPreRelease() && !facts.allowed().include(target)) {
            add(
                    UNSTABLE_TARGET,
                    SKIPPABLE,
                    "%s is not a release".formatted(target),
                    "pre-releases are installed only if that was asked for",
                    target.preRelease().startsWith("rc")
                            ? "give --allow-release-candidate-upgrades, or choose a release"
                            : "give --allow-experimental-upgrades, or choose a release");
        }
    }

    private void kubelets(Map<String, String> versions) {
        String unread = named(versions, text -> KubernetesVersion.parse(text).isEmpty());
        if (!unread.isEmpty()) {
            add(
                    KUBELETS_UNKNOWN,
                    SKIPPABLE,
                    "the version of some kubelets is not known",
                    "they report an invalid version: " + unread,
                    "see what these nodes run");
        }
        String old = named(
                versions,
                text -> KubernetesVersion.parse(text)
                        .filter(kubelet ->
                                kubelet.minor() + KubernetesReleases.KUBELET_SKEW < target.minor())
                        .isPresent());
        if (!old.isEmpty()) {
            add(
                    KUBELETS_TOO_OLD,
                    SKIPPABLE,
                    "some kubelets are too old for " + target,
                    "a kubelet may be %d minors older than its API server; these are older: %s"
                            .formatted(KubernetesReleases.KUBELET_SKEW, old),
                    "upgrade these nodes' kubelets first");
        }
    }

    private void kubeletsUnknown() {
        add(
                KUBELETS_UNKNOWN,
                SKIPPABLE,
                "the versions of the kubelets are not known",
                "the nodes could not be listed",
                "check that the API server answers, then try again");
    }

    private static String named(Map<String, String> versions, Predicate<String> which) {
        return versions.entrySet().stream()
                .filter(node -> which.test(node.getValue()))
                .map(node -> node.getKey() + " " + node.getValue())
                .collect(Collectors.joining(", "));
    }

    /** What is impossible among releases may be tried with a pre-release. */
    private Severity ofReleases() {
        return target.isPreRelease() ? SKIPPABLE : MANDATORY;
    }

    private void add(UpgradeRule rule, Severity severity, String what, String why, String next) {
        findings.add(new UpgradeFinding(rule, severity, what, why, next));
    }
}
