package io.kjadm.e2e.lab;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A suite that runs on nodes. It is skipped, with the reason, where no container engine is to be
 * had.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("lab")
@ExtendWith(LabCondition.class)
public @interface NeedsLab {
    /** Whether the suite needs a real kubeadm program beside kjadm. */
    boolean kubeadm() default false;

    /** Whether the suite runs in the sandbox even where real components are at hand. */
    boolean sandbox() default false;
}
