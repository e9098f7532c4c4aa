package io.kjadm.core.preflight;

import io.kjadm.core.config.NodeRegistration;
import io.kjadm.core.value.ImagePullPolicy;

import java.util.List;

/**
 * Which images a node needs, and how it gets them.
 *
 * @param images     all of them, the pause image among them, in the order they are pulled
 * @param pauseImage the image this program recommends for pod sandboxes
 * @param serial     one after the other instead of all at once
 */
public record ImagePulls(
        List<String> images,
        String pauseImage,
        String criSocket,
        ImagePullPolicy policy,
        boolean serial) {

    public ImagePulls {
        images = List.copyOf(images);
    }

    /** The images, got as the node's registration says. */
    public static ImagePulls of(NodeRegistration node, List<String> images, String pauseImage) {
        return new ImagePulls(
                images,
                pauseImage,
                node.criSocket(),
                node.imagePullPolicy(),
                node.imagePullSerial());
    }
}
