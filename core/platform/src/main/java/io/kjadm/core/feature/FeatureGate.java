package io.kjadm.core.feature;

import java.util.Arrays;
import java.util.Optional;

/**
 * A named, staged switch. The first one is ours: kubeadm made learners the only way and dropped
 * the gate, kjadm keeps it as KEP-3614 introduced it. The other is kubeadm's.
 *
 * @see RemovedGate
 */
public enum FeatureGate {

    /** Adds etcd members as learners and promotes them once they have caught up (KEP-3614). */
    ETCD_LEARNER_MODE("EtcdLearnerMode", Stage.BETA, true),

    /** Runs the static pods as users of their own. Alpha and deprecated at once. */
    ROOTLESS_CONTROL_PLANE("RootlessControlPlane", Stage.ALPHA, false);

    /** How far a gate has come. */
    public enum Stage {
        ALPHA,
        BETA
    }

    private final String key;
    private final Stage stage;
    private final boolean byDefault;

    FeatureGate(String key, Stage stage, boolean byDefault) {
        this.key = key;
        this.stage = stage;
        this.byDefault = byDefault;
    }

    /** The name as it is written in flags and files. */
    public String key() {
        return key;
    }

    /** Whether the gate is on when nobody chose. */
    public boolean enabledByDefault() {
        return byDefault;
    }

    /** {@code Name=true|false (STAGE - default=…)}. */
    public String help() {
        return "%s=true|false (%s - default=%s)".formatted(key, stage, byDefault);
    }

    /** The gate with that name, which is case-sensitive. */
    public static Optional<FeatureGate> named(String key) {
        return Arrays.stream(values()).filter(gate -> gate.key.equals(key)).findFirst();
    }
}
