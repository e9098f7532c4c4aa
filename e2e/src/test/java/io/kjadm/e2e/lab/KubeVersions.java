package io.kjadm.e2e.lab;

import java.util.List;

/**
 * The versions of Kubernetes that nodes have.
 *
 * @param installed whose kubelet runs, and whose programs are on the path
 * @param images further versions whose images the nodes have, too
 */
public record KubeVersions(String installed, List<String> images) {
    public KubeVersions {
        images = List.copyOf(images);
    }

    /** The one under test. */
    public static KubeVersions standard() {
        return new KubeVersions(Components.kubernetesVersion(), List.of());
    }

    /**
     * The minor before the one under test, with the images of the latter; all that is special about
     * the nodes of a sandbox is what their stand-ins tell.
     */
    public static KubeVersions before(String version) {
        return new KubeVersions(version, List.of(Components.kubernetesVersion()));
    }

    /** For the script that builds the image. */
    HostCommand on(HostCommand script) {
        return script.with("KJADM_KUBE_VERSION", installed)
                .with("KJADM_KUBE_ALSO", String.join(" ", images));
    }
}
