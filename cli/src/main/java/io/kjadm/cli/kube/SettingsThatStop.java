package io.kjadm.cli.kube;

import io.kjadm.core.config.LoadedInit;
import io.kjadm.core.upgrade.ComponentSettings;
import io.kjadm.core.upgrade.RemovedSettings;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.etcd.Severity;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.SchedulerPod;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Warns of flags and feature gates with which a component of the configured version ends at once,
 * before anything is written. The list may be wrong for an image of the operator's own, so it is a
 * warning only.
 */
final class SettingsThatStop {

    private static final String CONTROL_PLANE = "control-plane";

    private SettingsThatStop() {}

    /**
     * Warns of those that concern a run.
     *
     * @param phase the name of the only phase of {@code init} that is run, if it is one
     */
    static void warn(LoadedInit loaded, Optional<String> phase, Consumer<String> warnings) {
        Map<String, List<Argument>> settings = new LinkedHashMap<>(ComponentSettings.of(
                loaded.cluster(),
                loaded.kubelet(),
                Optional.of(loaded.kubeProxy()),
                loaded.init().nodeRegistration().kubeletExtraArgs()));
        phase.ifPresent(name -> settings.keySet().retainAll(componentsOf(name)));
        KubernetesVersion.parse(loaded.cluster().kubernetesVersion())
                .map(version -> RemovedSettings.findings(version, settings))
                .orElse(List.of())
                .stream()
                .filter(finding -> finding.severity() == Severity.SKIPPABLE)
                .forEach(finding -> warnings.accept(finding.problem().facts()));
    }

    private static List<String> componentsOf(String phase) {
        return switch (phase) {
            case CONTROL_PLANE, CONTROL_PLANE + "/all" ->
                List.of(ApiServerPod.NAME, ControllerManagerPod.NAME, SchedulerPod.NAME);
            case CONTROL_PLANE + "/apiserver" -> List.of(ApiServerPod.NAME);
            case CONTROL_PLANE + "/controller-manager" -> List.of(ControllerManagerPod.NAME);
            case CONTROL_PLANE + "/scheduler" -> List.of(SchedulerPod.NAME);
            case "kubelet-start" -> List.of(ComponentSettings.KUBELET);
            default -> List.of();
        };
    }
}
