package io.kjadm.e2e.cluster;

import io.kjadm.e2e.lab.Node;

/** The program that makes nodes: ours, or the one it has to get along with. */
public enum Tool {
    KJADM,
    KUBEADM;

    public String command() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** Makes {@code kubeadm} on a node kjadm, before any kubeadm that the node has. */
    public static void linkAsKubeadm(Node node) {
        node.shell("ln -sf /opt/kjadm/bin/kjadm /usr/local/sbin/kubeadm"
                + " && test \"$(command -v kubeadm)\" = /usr/local/sbin/kubeadm");
    }
}
