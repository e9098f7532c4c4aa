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
     * One that is installed, with the images of the next; all that is special about the nodes of a
     * sandbox is what their stand-ins tell.
     */
    public static KubeVersions of(String installed, String next) {
        return new KubeVersions(installed, List.of(next));
    }

    /** For the script that builds the image. */
    HostCommand on(HostCommand script) {
        return script.with("KJADM_KUBE_VERSION", installed)
                .with("KJADM_KUBE_ALSO", String.join(" ", images));
    }
}
