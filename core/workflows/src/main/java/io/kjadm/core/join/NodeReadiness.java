package io.kjadm.core.join;

import io.kjadm.core.config.KubeletConfig;
import io.kjadm.core.config.NodeRegistration;
import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.Services;
import io.kjadm.core.machine.HealthProbe;
import io.kjadm.core.value.ImagePullPolicy;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.join.StartProblem;

import java.net.URI;
import java.util.Optional;

/**
 * Whether a static pod of etcd would start on this node: a kubelet that lives and an image that is
 * there. Preflight has seen to both, perhaps long ago; a member that is added and cannot start
 * keeps every other join waiting (F15, F16 of docs/failure-catalogue.md).
 *
 * @param kubelet as it is configured
 * @param image   of etcd
 */
record NodeReadiness(
        KubeletConfig kubelet,
        String image,
        NodeRegistration node,
        HealthProbe probe,
        Services services,
        RuntimeConnector runtimes) {

    /** What is in the way, if anything; fetches the image if it has gone. */
    Optional<StartProblem> startProblem() {
        return kubeletFault().or(this::imageFault);
    }

    private Optional<StartProblem> kubeletFault() {
        boolean stopped = services.available() && !services.isActive("kubelet");
        boolean silentByChoice = kubelet.healthzPort() == 0;
        if (silentByChoice && !stopped) {
            return Optional.empty();
        }
        String answer = silentByChoice ? "its service is not active" : probe.ask(health());
        if (answer.isEmpty()) {
            return Optional.empty();
        }
        // one that was started just now takes a moment to be healthy
        return Optional.of(new StartProblem(
                new Problem(
                        stopped
                                ? "the kubelet of this node does not run"
                                : "the kubelet of this node is not healthy",
                        answer,
                        "see 'systemctl status kubelet' and 'journalctl -xeu kubelet': it has to start etcd"),
                !stopped));
    }

    private URI health() {
        return HealthProbe.url(
                "http", kubelet.healthzBindAddress(), kubelet.healthzPort(), "/healthz");
    }

    private Optional<StartProblem> imageFault() {
        ContainerRuntime runtime;
        try {
            runtime = runtimes.connect(node.criSocket());
            if (runtime.hasImage(image)) {
                return Optional.empty();
            }
        } catch (HostException e) {
            return Optional.of(new StartProblem(
                    new Problem(
                            "the container runtime of this node does not answer",
                            e.getMessage(),
                            "find out why; without it no pod starts on this node"),
                    true));
        }
        if (node.imagePullPolicy() == ImagePullPolicy.NEVER) {
            return missing("imagePullPolicy is Never");
        }
        try {
            runtime.pull(image);
            return Optional.empty();
        } catch (HostException e) {
            return missing(e.why());
        }
    }

    private Optional<StartProblem> missing(String why) {
        return Optional.of(new StartProblem(
                new Problem(
                        "etcd's image %s is not on this node".formatted(image),
                        why,
                        "load it, or find out with 'crictl pull %s' why it cannot be pulled"
                                .formatted(image)),
                false));
    }
}
