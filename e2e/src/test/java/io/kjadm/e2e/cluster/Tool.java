package io.kjadm.e2e.cluster;

/** The program that makes nodes: ours, or the one it has to get along with. */
public enum Tool {
    KJADM,
    KUBEADM;

    public String command() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
