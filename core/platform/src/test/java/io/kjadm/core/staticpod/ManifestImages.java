package io.kjadm.core.staticpod;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Images of static pods, each text parsed once: kubelets of tests look at them all the time. */
public final class ManifestImages {

    private static final Map<String, Optional<String>> IMAGES = new ConcurrentHashMap<>();

    private ManifestImages() {}

    /** The image that a manifest names, if it names one. */
    public static Optional<String> of(String manifest) {
        return IMAGES.computeIfAbsent(
                manifest, text -> StaticPodText.parse(text).flatMap(StaticPodText::image));
    }
}
