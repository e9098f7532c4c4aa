package io.kjadm.core.config;

import java.util.Optional;

/** The cluster DNS addon; a tag that is set stays across upgrades. */
public record Dns(Optional<String> imageRepository, Optional<String> imageTag, boolean disabled) {

    public static final Dns DEFAULTS = new Dns(Optional.empty(), Optional.empty(), false);

    public Dns withDisabled(boolean off) {
        return new Dns(imageRepository, imageTag, off);
    }
}
