package io.kjadm.core.upgrade;

import io.kjadm.core.etcd.version.ComponentJudge;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.machine.HealthProbe;
import io.kjadm.core.staticpod.ComponentEndpoint;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.SchedulerPod;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether the components of this node work, by their own health endpoints.
 *
 * @param local a client of this node's own API server
 */
record ComponentJudges(
        HostFiles files, InstalledNode node, HealthProbe probe, Supplier<KubeApi> local) {

    private static final Pattern VERSION = Pattern.compile("\"gitVersion\"\\s*:\\s*\"([^\"]+)\"");

    /**
     * Of one component.
     *
     * @param version that an API server must tell; empty for any
     */
    ComponentJudge of(String component, Optional<KubernetesVersion> version) {
        return switch (component) {
            case ApiServerPod.NAME -> () -> apiServer(version);
            default ->
                () -> probe.ask(ComponentEndpoint.health(
                        component, StaticPodText.of(files, node.paths(), component)));
        };
    }

    /** Of all, the API server first, which the others need; it may tell any version. */
    Map<String, ComponentJudge> ofAll() {
        Map<String, ComponentJudge> all = new LinkedHashMap<>();
        List.of(ApiServerPod.NAME, ControllerManagerPod.NAME, SchedulerPod.NAME)
                .forEach(component -> all.put(component, of(component, Optional.empty())));
        return all;
    }

    private String apiServer(Optional<KubernetesVersion> wanted) {
        try {
            KubeApi api = local.get();
            api.raw("/readyz");
            Matcher told = VERSION.matcher(api.raw("/version"));
            return wanted.filter(version -> told.find()
                            && KubernetesVersion.parse(told.group(1))
                                    .filter(version::equals)
                                    .isEmpty())
                    .map(version ->
                            "it reports version %s, not %s".formatted(told.group(1), version))
                    .orElse("");
        } catch (KubeApiException e) {
            return e.getMessage();
        }
    }
}
