package io.kjadm.core.upgrade;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.KubeProxyConfig;
import io.kjadm.core.config.KubeletConfig;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.KubeProxyAddon;
import io.kjadm.manifests.SchedulerPod;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What an operator configured for each component, as {@link RemovedSettings} judges it. */
public final class ComponentSettings {

    /** The name of the kubelet beside those of the control plane. */
    public static final String KUBELET = "kubelet";

    private static final String GATES = "feature-gates";

    private ComponentSettings() {}

    /**
     * By component: arguments, the gates of a configuration file as argument {@code feature-gates},
     * and the numbers of the kubelet's file by their names.
     *
     * @param kubeletArguments of this node's kubelet
     */
    public static Map<String, List<Argument>> of(
            ClusterConfiguration cluster,
            KubeletConfig kubelet,
            Optional<KubeProxyConfig> kubeProxy,
            List<Argument> kubeletArguments) {
        Map<String, List<Argument>> settings = new LinkedHashMap<>();
        settings.put(ApiServerPod.NAME, cluster.apiServer().component().extraArgs());
        settings.put(ControllerManagerPod.NAME, cluster.controllerManager().extraArgs());
        settings.put(SchedulerPod.NAME, cluster.scheduler().extraArgs());
        List<Argument> ofKubelet = new ArrayList<>(kubeletArguments);
        ofKubelet.addAll(gates(kubelet.tree()));
        kubelet.tree().forEach((field, value) -> {
            if (value instanceof Number number) {
                ofKubelet.add(new Argument(field, number.toString()));
            }
        });
        settings.put(KUBELET, ofKubelet);
        settings.put(
                KubeProxyAddon.NAME,
                kubeProxy
                        .map(KubeProxyConfig::tree)
                        .map(ComponentSettings::gates)
                        .orElse(List.of()));
        return settings;
    }

    private static List<Argument> gates(Map<String, Object> document) {
        return document.get("featureGates") instanceof Map<?, ?> gates
                ? gates.entrySet().stream()
                        .map(gate -> new Argument(GATES, gate.getKey() + "=" + gate.getValue()))
                        .toList()
                : List.of();
    }
}
