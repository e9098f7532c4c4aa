package io.kjadm.core.config;

/**
 * A path of the host mounted into a control-plane pod.
 *
 * @param pathType a core/v1 HostPathType, or empty
 */
public record HostPathMount(
        String name, String hostPath, String mountPath, boolean readOnly, String pathType) {}
