package io.kjadm.core.config;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The fields that the components' own types always write, even when nobody set them. They are in
 * the cluster's ConfigMaps, so they are written here too; the components read them as "not set".
 */
final class GoZeroValues {

    private static final String KUBELET = """
            authentication: {anonymous: {}, webhook: {cacheTTL: 0s}, x509: {}}
            authorization: {webhook: {cacheAuthorizedTTL: 0s, cacheUnauthorizedTTL: 0s}}
            containerRuntimeEndpoint: ""
            cpuManagerReconcilePeriod: 0s
            crashLoopBackOff: {}
            evictionPressureTransitionPeriod: 0s
            fileCheckFrequency: 0s
            httpCheckFrequency: 0s
            imageMaximumGCAge: 0s
            imageMinimumGCAge: 0s
            memorySwap: {}
            nodeStatusReportFrequency: 0s
            nodeStatusUpdateFrequency: 0s
            runtimeRequestTimeout: 0s
            shutdownGracePeriod: 0s
            shutdownGracePeriodCriticalPods: 0s
            streamingConnectionIdleTimeout: 0s
            syncFrequency: 0s
            volumeStatsAggPeriod: 0s
            """;

    private static final String LOGGING = """
            logging:
              flushFrequency: 0
              options: {json: {infoBufferSize: "0"}, text: {infoBufferSize: "0"}}
              verbosity: 0
            """;

    private static final String KUBE_PROXY = """
            bindAddress: ""
            bindAddressHardFail: false
            clientConnection:
              {acceptContentTypes: "", burst: 0, contentType: "", kubeconfig: "", qps: 0}
            clusterCIDR: ""
            configSyncPeriod: 0s
            conntrack:
              maxPerCore: null
              min: null
              tcpBeLiberal: false
              tcpCloseWaitTimeout: null
              tcpEstablishedTimeout: null
              udpStreamTimeout: 0s
              udpTimeout: 0s
            detectLocal: {bridgeInterface: "", interfaceNamePrefix: ""}
            detectLocalMode: ""
            enableProfiling: false
            healthzBindAddress: ""
            hostnameOverride: ""
            iptables:
              localhostNodePorts: null
              masqueradeAll: false
              masqueradeBit: null
              minSyncPeriod: 0s
              syncPeriod: 0s
            ipvs:
              excludeCIDRs: null
              minSyncPeriod: 0s
              scheduler: ""
              strictARP: false
              syncPeriod: 0s
              tcpFinTimeout: 0s
              tcpTimeout: 0s
              udpTimeout: 0s
            metricsBindAddress: ""
            mode: ""
            nftables:
              {masqueradeAll: false, masqueradeBit: null, minSyncPeriod: 0s, syncPeriod: 0s}
            nodePortAddresses: null
            oomScoreAdj: null
            portRange: ""
            showHiddenMetricsForVersion: ""
            winkernel:
              enableDSR: false
              forwardHealthCheckVip: false
              networkName: ""
              rootHnsEndpointName: ""
              sourceVip: ""
            """;

    private GoZeroValues() {}

    static Map<String, Object> kubelet(Map<String, Object> tree) {
        return complete(KUBELET + LOGGING, "kubelet.config.k8s.io/v1beta1", Document.KUBELET, tree);
    }

    static Map<String, Object> kubeProxy(Map<String, Object> tree) {
        return complete(
                KUBE_PROXY + LOGGING,
                "kubeproxy.config.k8s.io/v1alpha1",
                Document.KUBE_PROXY,
                tree);
    }

    private static Map<String, Object> complete(
            String zeroes, String apiVersion, String kind, Map<String, Object> tree) {
        Map<String, Object> all =
                YamlTrees.thaw(YamlTrees.map(new YamlReader().read(kind, zeroes)));
        overlay(all, tree);
        all.put("apiVersion", apiVersion);
        all.put("kind", kind);
        return all;
    }

    private static void overlay(Map<String, Object> below, Map<String, Object> above) {
        above.forEach((key, value) -> {
            if (value instanceof Map<?, ?> map && below.get(key) instanceof Map<?, ?> existing) {
                Map<String, Object> merged = new LinkedHashMap<>(YamlTrees.map(existing));
                overlay(merged, YamlTrees.map(map));
                below.put(key, merged);
            } else {
                below.put(key, value);
            }
        });
    }
}
