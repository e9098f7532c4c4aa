package io.kjadm.core.upgrade;

import io.kjadm.etcd.CheckName;

/** The subjects of findings before an upgrade; etcd's own are {@code EtcdUpgradeFinding.Rule}. */
public enum UpgradeRule implements CheckName {
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
    /** No API version is switched on that the target does not serve any more. */
    REMOVED_API("RemovedApi"),
    /** No setting means something else with the target. */
    CHANGED_SETTING("ChangedSetting"),
    /** It is known what becomes of every plugin in the Corefile: kubeadm's check of that name. */
    COREDNS_UNSUPPORTED_PLUGINS("CoreDNSUnsupportedPlugins"),
    /** The Corefile can be made one that the target's CoreDNS understands: likewise. */
    COREDNS_MIGRATION("CoreDNSMigration"),
    /** Every API server is ready. */
    API_SERVERS("APIServersReady"),
    /** The controller manager that leads renews its Lease. */
    CONTROLLER_MANAGER_LEASE("ControllerManagerLease"),
    /** So does the scheduler. */
    SCHEDULER_LEASE("SchedulerLease"),
    /** All control-plane nodes are ready: kubeadm's check of that name. */
    CONTROL_PLANE_NODES_READY("ControlPlaneNodesReady"),
    /** So are the others. */
    NODES_READY("NodesReady"),
    /** The static pods of this node have their manifests: kubeadm's check of that name. */
    STATIC_POD_MANIFEST("StaticPodManifest"),
    /** No patch makes them refer to API objects, which the kubelet refuses. */
    STATIC_POD_REFERENCES("StaticPodReferences"),
    /** Nothing was changed by hand in them. */
    HAND_MADE_CHANGES("HandMadeChanges"),
    /** This node's certificates are valid, and stay so for a while. */
    CERTIFICATE_EXPIRATION("CertificateExpiration"),
    /** There is room for a copy of etcd's database. */
    FREE_SPACE("FreeSpace"),
    /** The target's images are on this node. */
    IMAGES("Images"),
    /** The members of etcd can be asked. */
    ETCD("Etcd"),
    /** The image of etcd tells which version it is. */
    ETCD_VERSION("EtcdVersion");

    private final String checkName;

    UpgradeRule(String checkName) {
        this.checkName = checkName;
    }

    @Override
    public String checkName() {
        return checkName;
    }
}
