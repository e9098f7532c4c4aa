package io.kjadm.core.cri;

import io.kjadm.core.error.HostException;

/**
 * Pulls images one by one, whether or not they are there: a tag may mean something newer by now.
 */
public final class ImageFetcher {

    private static final int ATTEMPTS = 5;

    private final ContainerRuntime runtime;

    public ImageFetcher(ContainerRuntime runtime) {
        this.runtime = runtime;
    }

    /**
     * Pulls an image, up to five times and without a pause: a lost connection often works the next
     * time.
     *
     * @throws HostException as the last attempt does
     */
    public void fetch(String image) {
        HostException last = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                runtime.pull(image);
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
