package io.kjadm.core.config;

import java.util.Optional;

/**
 * A taint of the node.
 *
 * @param value may be empty
 * @param timeAdded the text of the timestamp, if it was given
 */
public record Taint(String key, String value, String effect, Optional<String> timeAdded) {

    /** What keeps ordinary workloads off control-plane nodes. */
    public static final Taint CONTROL_PLANE =
            new Taint("node-role.kubernetes.io/control-plane", "", "NoSchedule", Optional.empty());
}
