package io.kjadm.core.node;

import io.kjadm.core.config.KubeletConfig;
import io.kjadm.core.host.Services;

/**
 * Which resolver file a node's pods get. With systemd-resolved, {@code /etc/resolv.conf} names a
 * stub on the loopback interface that pods cannot reach. It is this node's setting alone: kubeadm
 * lets the first node's slip into the cluster-wide configuration.
 */
public final class ResolvConf {

    private static final String RESOLVED = "/run/systemd/resolve/resolv.conf";

    private ResolvConf() {}

    /** The configuration with this node's resolver file, unless one was chosen. */
    public static KubeletConfig applied(KubeletConfig kubelet, Services services) {
        return kubelet.resolvConf().isEmpty()
                        && services.available()
                        && services.isActive("systemd-resolved")
                ? kubelet.with(RESOLVED, "resolvConf")
                : kubelet;
    }
}
