package io.kjadm.core.config;

import static io.kjadm.core.config.Schema.Scalar.ANY;
import static io.kjadm.core.config.Schema.Scalar.BOOL;
import static io.kjadm.core.config.Schema.Scalar.DURATION;
import static io.kjadm.core.config.Schema.Scalar.INT;
import static io.kjadm.core.config.Schema.Scalar.NUMBER;
import static io.kjadm.core.config.Schema.Scalar.STRING;
import static io.kjadm.core.config.Schema.fields;
import static io.kjadm.core.config.Schema.list;
import static io.kjadm.core.config.Schema.map;

/** The fields of the kubelet's and kube-proxy's configuration, as of Kubernetes 1.37. */
final class ComponentSchemas {

    static final Schema.Fields KUBELET = fields(STRING, """
            staticPodPath podLogsDir staticPodURL address tlsCertFile tlsPrivateKeyFile
            tlsMinVersion imagePullCredentialsVerificationPolicy healthzBindAddress
            clusterDomain kubeletCgroups systemCgroups cgroupRoot cgroupDriver
            cpuManagerPolicy memoryManagerPolicy topologyManagerPolicy
            topologyManagerScope hairpinMode podCIDR resolvConf contentType
            containerLogMaxSize configMapAndSecretChangeDetectionStrategy
            reservedSystemCPUs showHiddenMetricsForVersion systemReservedCgroup
            kubeReservedCgroup volumePluginDir providerID memoryReservationPolicy
            containerRuntimeEndpoint imageServiceEndpoint
            """)
            .and(BOOL, """
            enableServer rotateCertificates serverTLSBootstrap enableDebuggingHandlers
            enableContentionProfiling cgroupsPerQOS singleProcessOOMKill runOnce
            cpuCFSQuota serializeImagePulls mergeDefaultEvictionSettings
            enableControllerAttachDetach protectKernelDefaults makeIPTablesUtilChains
            failSwapOn kernelMemcgNotification enableSystemLogHandler enableSystemLogQuery
            enableProfilingHandler enableDebugFlagsHandler seccompDefault registerNode
            localStorageCapacityIsolation failCgroupV1
            """)
            .and(INT, """
            port readOnlyPort registryPullQPS registryBurst eventRecordQPS eventBurst
            healthzPort oomScoreAdj nodeLeaseDurationSeconds imageGCHighThresholdPercent
            imageGCLowThresholdPercent maxPods nodeStatusMaxImages kubeAPIQPS kubeAPIBurst
            maxParallelImagePulls evictionMaxPodGracePeriod podsPerCore
            iptablesMasqueradeBit iptablesDropBit containerLogMaxFiles
            containerLogMaxWorkers
            """)
            .and(NUMBER, "podPidsLimit maxOpenFiles memoryThrottlingFactor")
            .and(DURATION, """
            syncFrequency fileCheckFrequency httpCheckFrequency
            streamingConnectionIdleTimeout nodeStatusUpdateFrequency
            nodeStatusReportFrequency imageMinimumGCAge imageMaximumGCAge
            volumeStatsAggPeriod cpuManagerReconcilePeriod runtimeRequestTimeout
            cpuCFSQuotaPeriod evictionPressureTransitionPeriod containerLogMonitorInterval
            shutdownGracePeriod shutdownGracePeriodCriticalPods
            """)
            .and(list(STRING), """
            tlsCipherSuites preloadedImagesVerificationAllowlist clusterDNS
            enforceNodeAllocatable allowedUnsafeSysctls
            """)
            .and(map(STRING), """
            cpuManagerPolicyOptions topologyManagerPolicyOptions qosReserved evictionHard
            evictionSoft evictionSoftGracePeriod evictionMinimumReclaim systemReserved
            kubeReserved defaultPodSysctls
            """)
            .and(map(list(STRING)), "staticPodURLHeader")
            .and(list(INT), "tlsCurvePreferences")
            .and(map(BOOL), "featureGates")
            .and(authentication(), "authentication")
            .and(authorization(), "authorization")
            .and(fields(STRING, "swapBehavior"), "memorySwap")
            .and(fields(DURATION, "maxContainerRestartPeriod"), "crashLoopBackOff")
            .and(fields(NUMBER, "idsPerPod"), "userNamespaces")
            .and(
                    list(fields(INT, "priority").and(NUMBER, "shutdownGracePeriodSeconds")),
                    "shutdownGracePeriodByPodPriority")
            .and(list(fields(INT, "numaNode").and(map(ANY), "limits")), "reservedMemory")
            .and(list(map(ANY)), "registerWithTaints")
            .and(map(ANY), "logging tracing");

    static final Schema.Fields KUBE_PROXY = fields(STRING, """
            hostnameOverride bindAddress healthzBindAddress metricsBindAddress
            showHiddenMetricsForVersion mode detectLocalMode clusterCIDR portRange
            """)
            .and(BOOL, "bindAddressHardFail enableProfiling windowsRunAsService")
            .and(INT, "oomScoreAdj")
            .and(DURATION, "configSyncPeriod")
            .and(list(STRING), "nodePortAddresses")
            .and(map(BOOL), "featureGates")
            .and(map(ANY), "logging")
            .and(
                    fields(STRING, "kubeconfig acceptContentTypes contentType")
                            .and(NUMBER, "qps")
                            .and(INT, "burst"),
                    "clientConnection")
            .and(rules().and(BOOL, "localhostNodePorts"), "iptables")
            .and(rules(), "nftables")
            .and(
                    fields(DURATION, "syncPeriod minSyncPeriod tcpTimeout tcpFinTimeout udpTimeout")
                            .and(STRING, "scheduler")
                            .and(list(STRING), "excludeCIDRs")
                            .and(BOOL, "strictARP"),
                    "ipvs")
            .and(conntrack(), "conntrack")
            .and(fields(STRING, "bridgeInterface interfaceNamePrefix"), "detectLocal")
            .and(
                    fields(STRING, "networkName sourceVip rootHnsEndpointName")
                            .and(BOOL, "enableDSR forwardHealthCheckVip"),
                    "winkernel");

    private ComponentSchemas() {}

    private static Schema.Fields authentication() {
        return fields(fields(STRING, "clientCAFile"), "x509")
                .and(fields(BOOL, "enabled").and(DURATION, "cacheTTL"), "webhook")
                .and(fields(BOOL, "enabled"), "anonymous");
    }

    private static Schema.Fields authorization() {
        return fields(STRING, "mode")
                .and(fields(DURATION, "cacheAuthorizedTTL cacheUnauthorizedTTL"), "webhook");
    }

    private static Schema.Fields rules() {
        return fields(INT, "masqueradeBit")
                .and(BOOL, "masqueradeAll")
                .and(DURATION, "syncPeriod minSyncPeriod");
    }

    private static Schema.Fields conntrack() {
        return fields(INT, "maxPerCore min").and(BOOL, "tcpBeLiberal").and(DURATION, """
                tcpEstablishedTimeout tcpCloseWaitTimeout udpTimeout udpStreamTimeout
                """);
    }
}
