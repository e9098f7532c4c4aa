package io.kjadm.etcd;

/** How much a {@link Problem} weighs that was found before anything was changed. */
public enum Severity {
    /** The operator should know it. */
    WARNING,
    /** Stops, unless the operator says that it shall not. */
    SKIPPABLE,
    /** Stops, whatever the operator says: others would pay for it, or it cannot work. */
    MANDATORY;

    /** Whether it stops one who would skip what can be skipped, or one who would not. */
    public boolean stops(boolean skipping) {
        return this == MANDATORY || this == SKIPPABLE && !skipping;
    }
}
