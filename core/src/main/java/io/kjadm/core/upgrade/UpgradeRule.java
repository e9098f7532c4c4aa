package io.kjadm.core.upgrade;

/** The subjects of findings before an upgrade. */
public enum UpgradeRule {
    /** The version of the cluster's API server is known. */
    CLUSTER_VERSION("ClusterVersion"),
    /** This program deploys the target. */
    TARGET_TOO_OLD("TargetTooOld"),
    /** An upgrade goes one minor at a time. */
    UPGRADE_SKIPS_MINOR("UpgradeSkipsMinor"),
    /** So does a downgrade. */
    DOWNGRADE_SKIPS_MINOR("DowngradeSkipsMinor"),
    /** The target is of no newer minor than this program. */
    PROGRAM_MINOR_TOO_OLD("ProgramMinorTooOld"),
    /** The target is no newer patch release than this program. */
    PROGRAM_PATCH_TOO_OLD("ProgramPatchTooOld"),
    /** The target is of this program's own minor. */
    PROGRAM_TOO_NEW("ProgramTooNew"),
    /** The target is a release, or a pre-release that was asked for. */
    UNSTABLE_TARGET("UnstableTarget"),
    /** The target serves all kubelets there are. */
    KUBELETS_TOO_OLD("KubeletsTooOld"),
    /** The versions of the kubelets are known. */
    KUBELETS_UNKNOWN("KubeletsUnknown"),
    /** The target still has all flags that are configured. */
    REMOVED_FLAG("RemovedFlag"),
    /** No flag is configured that will be removed. */
    DEPRECATED_FLAG("DeprecatedFlag"),
    /** The target still has all feature gates that are configured. */
    REMOVED_GATE("RemovedFeatureGate"),
    /** No gate is configured to what the target does not let it be. */
    LOCKED_GATE("LockedFeatureGate"),
    /** No gate is configured that will be removed. */
    DEPRECATED_GATE("DeprecatedFeatureGate"),
    /** It is known what becomes of every plugin in the Corefile: kubeadm's check of that name. */
    COREDNS_UNSUPPORTED_PLUGINS("CoreDNSUnsupportedPlugins"),
    /** The Corefile can be made one that the target's CoreDNS understands: likewise. */
    COREDNS_MIGRATION("CoreDNSMigration");

    private final String checkName;

    UpgradeRule(String checkName) {
        this.checkName = checkName;
    }

    /** The name in lists, and the one under which operators skip what can be skipped. */
    public String checkName() {
        return checkName;
    }
}
