package io.kjadm.core.value;

import java.util.Arrays;
import java.util.Optional;

/** When the preflight checks pull images. */
public enum ImagePullPolicy {
    ALWAYS("Always"),
    IF_NOT_PRESENT("IfNotPresent"),
    NEVER("Never");

    private final String text;

    ImagePullPolicy(String text) {
        this.text = text;
    }

    /** The word used in files. */
    public String text() {
        return text;
    }

    /** The policy written that way. */
    public static Optional<ImagePullPolicy> of(String text) {
        return Arrays.stream(values())
                .filter(policy -> policy.text.equals(text))
                .findFirst();
    }
}
