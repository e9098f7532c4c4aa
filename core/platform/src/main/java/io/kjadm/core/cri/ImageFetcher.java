package io.kjadm.core.cri;

import io.kjadm.core.error.HostException;
import io.kjadm.core.value.ImagePullPolicy;

/**
 * Pulls images one by one.
 *
 * @param policy {@code ALWAYS} pulls those that are there too: a tag may mean something newer by
 *         now; {@code NEVER} is for the caller to heed
 */
public record ImageFetcher(ContainerRuntime runtime, ImagePullPolicy policy) {

    private static final int ATTEMPTS = 5;

    /**
     * Pulls an image, up to five times and without a pause: a registry's redirect or a lost
     * connection often works the next time.
     *
     * @throws HostException if the last attempt fails too
     */
    public void fetch(String image) {
        HostException last = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                if (policy != ImagePullPolicy.IF_NOT_PRESENT || !runtime.hasImage(image)) {
                    runtime.pull(image);
                }
                return;
            } catch (HostException e) {
                last = e;
            }
        }
        throw new HostException(
                "failed to pull image " + image,
                last.why(),
                "check that the container runtime runs and that the registry has the image; imageRepository names another one",
                last);
    }
}
