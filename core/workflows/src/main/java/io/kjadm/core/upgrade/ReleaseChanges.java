package io.kjadm.core.upgrade;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a minor release of Kubernetes does not understand any more. The sources are its
 * {@code CHANGELOG}, the flags that its components register, and
 * {@code test/compatibility_lifecycle/reference/versioned_feature_list.yaml}.
 *
 * @param removedFlags by component, without dashes
 * @param deprecatedFlags likewise: still understood
 * @param api what the API server does not serve or know any more
 * @param changedValues by component: settings that mean something else now, as {@code name=value},
 *     with what they mean
 */
record ReleaseChanges(
        int minor,
        Map<String, Set<String>> removedFlags,
        Map<String, Set<String>> deprecatedFlags,
        Gates gates,
        Api api,
        Map<String, Map<String, String>> changedValues) {

    /**
     * Feature gates.
     *
     * @param locked that can have but one value since this release, with that value
     * @param deprecated that can still be chosen
     */
    record Gates(Set<String> removed, Map<String, Boolean> locked, Set<String> deprecated) {
        static final Gates UNCHANGED = new Gates(Set.of(), Map.of(), Set.of());
    }

    /**
     * What the API server lost.
     *
     * @param versions such as {@code storage.k8s.io/v1beta1}
     * @param admissionPlugins by name
     */
    record Api(Set<String> versions, Set<String> admissionPlugins) {
        static final Api UNCHANGED = new Api(Set.of(), Set.of());
    }

    /**
     * From the oldest minor whose clusters are read on; no component lost a flag in 1.36. Of minors
     * before it, what is still found in files of today.
     */
    static final List<ReleaseChanges> KNOWN = List.of(
            ofFlags(
                    24,
                    Map.of(
                            "kube-apiserver",
                            Set.of("insecure-bind-address", "insecure-port"),
                            "kubelet",
                            Set.of("cni-bin-dir", "cni-conf-dir", "network-plugin"))),
            ofFlags(27, Map.of("kubelet", Set.of("container-runtime"))),
            ofFlags(33, Map.of("kube-apiserver", Set.of("cloud-config", "cloud-provider"))),
            new ReleaseChanges(
                    35,
                    Map.of("kubelet", Set.of("pod-infra-container-image")),
                    Map.of(),
                    new Gates(
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
                    Api.UNCHANGED,
                    Map.of()),
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
                    new Gates(
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
                                    "WindowsHostNetwork")),
                    Api.UNCHANGED,
                    Map.of()),
            new ReleaseChanges(
                    37,
                    Map.of(
                            "kube-controller-manager",
                            Set.of("concurrent-service-syncs"),
                            "kubelet",
                            Set.of(
                                    "application-metrics-count-limit",
                                    "boot-id-file",
                                    "container-hints",
                                    "containerd",
                                    "containerd-namespace",
                                    "enable-load-reader",
                                    "event-storage-age-limit",
                                    "event-storage-event-limit",
                                    "global-housekeeping-interval",
                                    "log-cadvisor-usage",
                                    "machine-id-file",
                                    "storage-driver-buffer-duration",
                                    "storage-driver-db",
                                    "storage-driver-host",
                                    "storage-driver-password",
                                    "storage-driver-secure",
                                    "storage-driver-table",
                                    "storage-driver-user")),
                    Map.of(),
                    new Gates(
                            Set.of(
                                    "APIServerTracing",
                                    "AnonymousAuthConfigurableEndpoints",
                                    "AnyVolumeDataSource",
                                    "AuthorizeNodeWithSelectors",
                                    "AuthorizeWithSelectors",
                                    "BtreeWatchCache",
                                    "ConsistentListFromCache",
                                    "GangScheduling",
                                    "JobBackoffLimitPerIndex",
                                    "JobPodReplacementPolicy",
                                    "JobSuccessPolicy",
                                    "LogarithmicScaleDown",
                                    "OrderedNamespaceDeletion",
                                    "PodLifecycleSleepAction",
                                    "PodLifecycleSleepActionAllowZero",
                                    "PreventStaticPodAPIReferences",
                                    "RelaxedDNSSearchValidation",
                                    "ResilientWatchCacheInitialization",
                                    "RetryGenerateName",
                                    "SchedulerQueueingHints",
                                    "SidecarContainers",
                                    "StreamingCollectionEncodingToJSON",
                                    "StreamingCollectionEncodingToProtobuf",
                                    "StructuredAuthenticationConfiguration",
                                    "WorkloadAwarePreemption"),
                            locked(
                                    Set.of("DeclarativeValidationTakeover"),
                                    Set.of(
                                            "DRAExtendedResource",
                                            "DRAPrioritizedList",
                                            "DRAResourceClaimDeviceStatus",
                                            "DisableCPUQuotaWithExclusiveCPUs",
                                            "HPAConfigurableTolerance",
                                            "HostnameOverride",
                                            "InPlacePodVerticalScalingInitContainers",
                                            "NodeDeclaredFeatures",
                                            "PLEGOnDemandRelist",
                                            "PodReadyToStartContainersCondition",
                                            "RelaxedServiceNameValidation",
                                            "WatchCacheInitializationPostStartHook")),
                            Set.of()),
                    new Api(
                            Set.of(
                                    "certificates.k8s.io/v1alpha1",
                                    "networking.k8s.io/v1beta1",
                                    "scheduling.k8s.io/v1alpha2",
                                    "storage.k8s.io/v1beta1"),
                            Set.of("PodGroupWorkloadExists")),
                    Map.of(
                            "kubelet",
                            Map.of("eventRecordQPS=0", "events are recorded without a limit"))));

    /** Flags whose deprecation was withdrawn, with the first minor that says so. */
    private static final Map<String, Integer> DEPRECATED_NO_MORE =
            Map.of("enable-logs-handler", 37);

    private static ReleaseChanges ofFlags(int minor, Map<String, Set<String>> removed) {
        return new ReleaseChanges(
                minor, removed, Map.of(), Gates.UNCHANGED, Api.UNCHANGED, Map.of());
    }

    boolean removes(String component, String flag) {
        return removedFlags.getOrDefault(component, Set.of()).contains(flag);
    }

    /** @param target the minor that is asked about: a later one may have withdrawn it */
    boolean deprecates(String component, String flag, int target) {
        return deprecatedFlags.getOrDefault(component, Set.of()).contains(flag)
                && target < DEPRECATED_NO_MORE.getOrDefault(flag, Integer.MAX_VALUE);
    }

    /**
     * The removed API versions among the keys of {@code --runtime-config}.
     *
     * @param key such as {@code storage.k8s.io/v1beta1} or {@code
     *     storage.k8s.io/v1beta1/volumeattributesclasses}
     */
    Stream<String> removedApi(String key) {
        return api.versions().stream()
                .filter(version -> key.equals(version) || key.startsWith(version + "/"));
    }

    private static Map<String, Boolean> locked(Set<String> off, Set<String> on) {
        Map<String, Boolean> locked = new TreeMap<>();
        off.forEach(gate -> locked.put(gate, false));
        on.forEach(gate -> locked.put(gate, true));
        return locked;
    }
}
