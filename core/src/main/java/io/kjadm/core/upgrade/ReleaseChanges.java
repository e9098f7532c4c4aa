package io.kjadm.core.upgrade;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a minor release of Kubernetes does not understand any more. The sources are its
 * {@code CHANGELOG}, the flags that its components register, and
 * {@code test/compatibility_lifecycle/reference/versioned_feature_list.yaml}.
 *
 * @param removedFlags by component, without dashes
 * @param deprecatedFlags likewise: still understood
 * @param lockedGates that can have but one value since this release, with that value
 * @param deprecatedGates that can still be chosen
 */
record ReleaseChanges(
        int minor,
        Map<String, Set<String>> removedFlags,
        Map<String, Set<String>> deprecatedFlags,
        Set<String> removedGates,
        Map<String, Boolean> lockedGates,
        Set<String> deprecatedGates) {

    /** From the oldest minor that is deployed on; no component lost a flag in 1.36. */
    static final List<ReleaseChanges> KNOWN = List.of(
            new ReleaseChanges(
                    35,
                    Map.of("kubelet", Set.of("pod-infra-container-image")),
                    Map.of(),
                    Set.of(
                            "ComponentSLIs",
                            "StrictCostEnforcementForVAP",
                            "StrictCostEnforcementForWebhooks",
                            "UserNamespacesPodSecurityStandards"),
                    locked(
                            Set.of("AllowOverwriteTerminationGracePeriodSeconds"),
                            Set.of(
                                    "AggregatedDiscoveryRemoveBetaType",
                                    "DisableAllocatorDualWrite",
                                    "DynamicResourceAllocation",
                                    "ExecProbeTimeout",
                                    "ImageMaximumGCAge",
                                    "InPlacePodVerticalScaling",
                                    "JobManagedBy",
                                    "PodObservedGenerationTracking",
                                    "PreferSameTrafficDistribution",
                                    "SupplementalGroupsPolicy",
                                    "SystemdWatchdog")),
                    Set.of()),
            new ReleaseChanges(
                    36,
                    Map.of(),
                    Map.of(
                            "kube-apiserver",
                            Set.of(
                                    "admission-control",
                                    "apiserver-count",
                                    "audit-webhook-batch-initial-backoff",
                                    "default-watch-cache-size",
                                    "enable-logs-handler",
                                    "kubelet-port",
                                    "kubelet-read-only-port")),
                    Set.of(
                            "CSIMigrationPortworx",
                            "HonorPVReclaimPolicy",
                            "InPlacePodVerticalScalingAllocatedStatus",
                            "InTreePluginPortworxUnregister",
                            "MemoryManager",
                            "ServiceTrafficDistribution",
                            "StructuredAuthorizationConfiguration",
                            "TopologyAwareHints",
                            "WatchFromStorageWithoutResourceVersion"),
                    locked(
                            Set.of("GitRepoVolumeDriver", "SeparateCacheWatchRPC"),
                            Set.of(
                                    "CSIServiceAccountTokenSecrets",
                                    "DRAAdminAccess",
                                    "DeclarativeValidation",
                                    "DisableNodeKubeProxyVersion",
                                    "ExternalServiceAccountTokenSigner",
                                    "ImageVolume",
                                    "KubeletFineGrainedAuthz",
                                    "KubeletPSI",
                                    "KubeletPodResourcesDynamicResources",
                                    "KubeletPodResourcesGet",
                                    "MutableCSINodeAllocatableCount",
                                    "NodeLogQuery",
                                    "ProcMountType",
                                    "SELinuxChangePolicy",
                                    "SELinuxMountReadWriteOncePod",
                                    "TopologyManagerPolicyOptions",
                                    "UserNamespacesSupport",
                                    "VolumeAttributesClass")),
                    Set.of(
                            "AllowDNSOnlyNodeCSR",
                            "AllowInsecureKubeletCertificateSigningRequests",
                            "ChangeContainerStatusOnKubeletRestart",
                            "DeclarativeValidationTakeover",
                            "DisableCPUQuotaWithExclusiveCPUs",
                            "KMSv1",
                            "KubeletPodResourcesListUseActivePods",
                            "KubeletRegistrationGetOnExistsOnly",
                            "ServiceCIDRStatusFieldWiping",
                            "StorageNamespaceIndex",
                            "WindowsHostNetwork")));

    boolean removes(String component, String flag) {
        return removedFlags.getOrDefault(component, Set.of()).contains(flag);
    }

    boolean deprecates(String component, String flag) {
        return deprecatedFlags.getOrDefault(component, Set.of()).contains(flag);
    }

    private static Map<String, Boolean> locked(Set<String> off, Set<String> on) {
        Map<String, Boolean> locked = new TreeMap<>();
        off.forEach(gate -> locked.put(gate, false));
        on.forEach(gate -> locked.put(gate, true));
        return locked;
    }
}
