package io.kjadm.core.recover;

import java.util.List;

/**
 * A way out that is safe, for the operator to follow.
 *
 * @param title what it comes to
 * @param steps one after the other
 * @param loses what it costs
 */
public record RecoveryPlan(String title, List<String> steps, String loses) {
    public RecoveryPlan {
        steps = List.copyOf(steps);
    }
}
