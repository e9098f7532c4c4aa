package io.kjadm.manifests;

/** The namespace of what a cluster runs on. */
public final class KubeSystem {

    /** Its name. */
    public static final String NAMESPACE = "kube-system";

    private KubeSystem() {}
}
