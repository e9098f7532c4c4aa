package io.kjadm.core.config;

import static io.kjadm.core.config.Schema.Scalar.ANY;
import static io.kjadm.core.config.Schema.Scalar.BOOL;
import static io.kjadm.core.config.Schema.Scalar.DURATION;
import static io.kjadm.core.config.Schema.Scalar.INT;
import static io.kjadm.core.config.Schema.Scalar.NUMBER;
import static io.kjadm.core.config.Schema.Scalar.STRING;
import static io.kjadm.core.config.Schema.list;
import static io.kjadm.core.config.Schema.map;
import static io.kjadm.core.config.Schema.object;

import java.util.LinkedHashMap;
import java.util.Map;

/** The fields of the kubelet's and kube-proxy's configuration, as of Kubernetes 1.37. */
final class ComponentSchemas {

    private static final String KUBELET_SWITCHES = """
            enableServer rotateCertificates serverTLSBootstrap enableDebuggingHandlers
            enableContentionProfiling cgroupsPerQOS singleProcessOOMKill runOnce
            cpuCFSQuota serializeImagePulls mergeDefaultEvictionSettings
            enableControllerAttachDetach protectKernelDefaults makeIPTablesUtilChains
            failSwapOn kernelMemcgNotification enableSystemLogHandler enableSystemLogQuery
            enableProfilingHandler enableDebugFlagsHandler seccompDefault registerNode
            localStorageCapacityIsolation failCgroupV1
            """;

    private static final String KUBELET_TEXTS = """
            staticPodPath podLogsDir staticPodURL address tlsCertFile tlsPrivateKeyFile
            tlsMinVersion imagePullCredentialsVerificationPolicy healthzBindAddress
            clusterDomain kubeletCgroups systemCgroups cgroupRoot cgroupDriver
            cpuManagerPolicy memoryManagerPolicy topologyManagerPolicy
            topologyManagerScope hairpinMode podCIDR resolvConf contentType
            containerLogMaxSize configMapAndSecretChangeDetectionStrategy
            reservedSystemCPUs showHiddenMetricsForVersion systemReservedCgroup
            kubeReservedCgroup volumePluginDir providerID memoryReservationPolicy
            containerRuntimeEndpoint imageServiceEndpoint
            """;

    private static final String KUBELET_DURATIONS = """
            syncFrequency fileCheckFrequency httpCheckFrequency
            streamingConnectionIdleTimeout nodeStatusUpdateFrequency
            nodeStatusReportFrequency imageMinimumGCAge imageMaximumGCAge
            volumeStatsAggPeriod cpuManagerReconcilePeriod runtimeRequestTimeout
            cpuCFSQuotaPeriod evictionPressureTransitionPeriod containerLogMonitorInterval
            shutdownGracePeriod shutdownGracePeriodCriticalPods
            """;

    private static final String KUBELET_NUMBERS = """
            port readOnlyPort registryPullQPS registryBurst eventRecordQPS eventBurst
            healthzPort oomScoreAdj nodeLeaseDurationSeconds imageGCHighThresholdPercent
            imageGCLowThresholdPercent maxPods nodeStatusMaxImages kubeAPIQPS kubeAPIBurst
            maxParallelImagePulls evictionMaxPodGracePeriod podsPerCore
            iptablesMasqueradeBit iptablesDropBit containerLogMaxFiles
            containerLogMaxWorkers
            """;

    private static final String KUBELET_LISTS = """
            tlsCipherSuites preloadedImagesVerificationAllowlist clusterDNS
            enforceNodeAllocatable allowedUnsafeSysctls
            """;

    private static final String KUBELET_MAPS = """
            cpuManagerPolicyOptions topologyManagerPolicyOptions qosReserved evictionHard
            evictionSoft evictionSoftGracePeriod evictionMinimumReclaim systemReserved
            kubeReserved defaultPodSysctls
            """;

    private static final String KUBELET_LONG_NUMBERS = """
            podPidsLimit maxOpenFiles memoryThrottlingFactor
            """;

    static final Schema.Fields KUBELET = kubelet();

    static final Schema.Fields KUBE_PROXY = object(
            "featureGates",
            map(BOOL),
            "hostnameOverride",
            STRING,
            "bindAddress",
            STRING,
            "healthzBindAddress",
            STRING,
            "metricsBindAddress",
            STRING,
            "bindAddressHardFail",
            BOOL,
            "enableProfiling",
            BOOL,
            "showHiddenMetricsForVersion",
            STRING,
            "mode",
            STRING,
            "detectLocalMode",
            STRING,
            "clusterCIDR",
            STRING,
            "nodePortAddresses",
            list(STRING),
            "oomScoreAdj",
            INT,
            "configSyncPeriod",
            DURATION,
            "portRange",
            STRING,
            "windowsRunAsService",
            BOOL,
            "logging",
            map(ANY),
            "clientConnection",
            object(
                    "kubeconfig",
                    STRING,
                    "acceptContentTypes",
                    STRING,
                    "contentType",
                    STRING,
                    "qps",
                    NUMBER,
                    "burst",
                    INT),
            "iptables",
            object(
                    "masqueradeBit",
                    INT,
                    "masqueradeAll",
                    BOOL,
                    "localhostNodePorts",
                    BOOL,
                    "syncPeriod",
                    DURATION,
                    "minSyncPeriod",
                    DURATION),
            "ipvs",
            object(
                    "syncPeriod",
                    DURATION,
                    "minSyncPeriod",
                    DURATION,
                    "scheduler",
                    STRING,
                    "excludeCIDRs",
                    list(STRING),
                    "strictARP",
                    BOOL,
                    "tcpTimeout",
                    DURATION,
                    "tcpFinTimeout",
                    DURATION,
                    "udpTimeout",
                    DURATION),
            "nftables",
            object(
                    "masqueradeBit",
                    INT,
                    "masqueradeAll",
                    BOOL,
                    "syncPeriod",
                    DURATION,
                    "minSyncPeriod",
                    DURATION),
            "conntrack",
            object(
                    "maxPerCore",
                    INT,
                    "min",
                    INT,
                    "tcpEstablishedTimeout",
                    DURATION,
                    "tcpCloseWaitTimeout",
                    DURATION,
                    "tcpBeLiberal",
                    BOOL,
                    "udpTimeout",
                    DURATION,
                    "udpStreamTimeout",
                    DURATION),
            "detectLocal",
            object("bridgeInterface", STRING, "interfaceNamePrefix", STRING),
            "winkernel",
            object(
                    "networkName",
                    STRING,
                    "sourceVip",
                    STRING,
                    "enableDSR",
                    BOOL,
                    "rootHnsEndpointName",
                    STRING,
                    "forwardHealthCheckVip",
                    BOOL));

    private ComponentSchemas() {}

    private static Schema.Fields kubelet() {
        Map<String, Schema> fields = new LinkedHashMap<>();
        all(fields, KUBELET_TEXTS, STRING);
        all(fields, KUBELET_SWITCHES, BOOL);
        all(fields, KUBELET_NUMBERS, INT);
        all(fields, KUBELET_LONG_NUMBERS, NUMBER);
        all(fields, KUBELET_DURATIONS, DURATION);
        all(fields, KUBELET_LISTS, list(STRING));
        all(fields, KUBELET_MAPS, map(STRING));
        return new Schema.Fields(fields)
                .with(
                        "staticPodURLHeader",
                        map(list(STRING)),
                        "tlsCurvePreferences",
                        list(INT),
                        "featureGates",
                        map(BOOL),
                        "authentication",
                        object(
                                "x509", object("clientCAFile", STRING),
                                "webhook", object("enabled", BOOL, "cacheTTL", DURATION),
                                "anonymous", object("enabled", BOOL)),
                        "authorization",
                        object(
                                "mode",
                                STRING,
                                "webhook",
                                object(
                                        "cacheAuthorizedTTL",
                                        DURATION,
                                        "cacheUnauthorizedTTL",
                                        DURATION)),
                        "memorySwap",
                        object("swapBehavior", STRING),
                        "crashLoopBackOff",
                        object("maxContainerRestartPeriod", DURATION),
                        "userNamespaces",
                        object("idsPerPod", NUMBER),
                        "shutdownGracePeriodByPodPriority",
                        list(object("priority", INT, "shutdownGracePeriodSeconds", NUMBER)),
                        "reservedMemory",
                        list(object("numaNode", INT, "limits", map(ANY))),
                        "registerWithTaints",
                        list(map(ANY)),
                        "logging",
                        map(ANY),
                        "tracing",
                        map(ANY));
    }

    private static void all(Map<String, Schema> fields, String names, Schema schema) {
        for (String name : names.strip().split("\\s+")) {
            fields.put(name, schema);
        }
    }
}
