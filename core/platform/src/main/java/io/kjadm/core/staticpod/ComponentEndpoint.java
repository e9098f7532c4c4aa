package io.kjadm.core.staticpod;

import io.kjadm.core.machine.HealthProbe;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.SchedulerPod;

import java.net.URI;
import java.util.Optional;

/** Where a control-plane component of this node serves, as its manifest says: patches may move it. */
public final class ComponentEndpoint {

    private static final String LOOPBACK = "127.0.0.1";
    private static final int API_SERVER_PORT = 6443;

    private ComponentEndpoint() {}

    /** Where an API server serves a path. */
    public static URI apiServer(StaticPodText pod, String path) {
        return url(
                Optional.of(pod),
                pod.flag("advertise-address").orElse(LOOPBACK),
                API_SERVER_PORT,
                path);
    }

    /**
     * Where the controller manager or the scheduler reports its health.
     *
     * @param pod its manifest; without one, the defaults count
     */
    public static URI health(String component, Optional<StaticPodText> pod) {
        String address = pod.flatMap(text -> text.flag("bind-address")).orElse(LOOPBACK);
        return switch (component) {
            case ControllerManagerPod.NAME ->
                url(pod, address, ControllerManagerPod.PORT, "/healthz");
            case SchedulerPod.NAME -> url(pod, address, SchedulerPod.PORT, "/livez");
            default -> throw new IllegalArgumentException(component);
        };
    }

    private static URI url(
            Optional<StaticPodText> pod, String address, int usualPort, String path) {
        return HealthProbe.url(
                "https",
                address,
                pod.flatMap(text -> text.flag("secure-port"))
                        .map(Integer::parseInt)
                        .orElse(usualPort),
                path);
    }
}
