package io.kjadm.e2e.sandbox;

import io.kjadm.e2e.sandbox.cri.v1.Container;
import io.kjadm.e2e.sandbox.cri.v1.ContainerState;
import io.kjadm.e2e.sandbox.cri.v1.PodSandbox;
import io.kjadm.e2e.sandbox.cri.v1.PodSandboxState;

import java.util.List;

/**
 * All that the container runtime has, asked for at once: as the kubelet does, once a second for all
 * pods.
 */
record RuntimeState(List<PodSandbox> sandboxes, List<Container> containers) {
    /** Of a runtime that does not answer. */
    static final RuntimeState UNKNOWN = new RuntimeState(List.of(), List.of());

    /** Whether this pod runs whole, and none of another manifest beside it. */
    boolean shows(StaticPod pod) {
        var own = sandboxes.stream()
                .filter(one -> pod.podName().equals(one.getLabelsMap().get(StaticPod.POD_NAME)))
                .toList();
        return own.stream().allMatch(one -> one.getMetadata().getUid().equals(pod.uid()))
                && own.stream().anyMatch(one -> one.getState() == PodSandboxState.SANDBOX_READY)
                && pod.containers().stream()
                        .allMatch(one -> runs(pod, one.path("name").asText()));
    }

    private boolean runs(StaticPod pod, String container) {
        return containers.stream()
                .anyMatch(one -> one.getState() == ContainerState.CONTAINER_RUNNING
                        && one.getMetadata().getName().equals(container)
                        && pod.uid().equals(one.getLabelsMap().get(StaticPod.POD_UID)));
    }
}
