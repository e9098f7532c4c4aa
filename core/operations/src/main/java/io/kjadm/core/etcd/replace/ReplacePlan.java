package io.kjadm.core.etcd.replace;

import io.kjadm.etcd.Problem;

/** How a member is replaced, decided before anything is touched. */
public sealed interface ReplacePlan {

    /**
     * In that order.
     *
     * @param allowDegraded whether the old one is a voter that does not serve while the new one
     *                      comes in
     * @param why           for the operator
     */
    record Ordered(ReplaceOrder order, boolean allowDegraded, String why) implements ReplacePlan {}

    /** Not at all, or not now. */
    record Refused(Problem problem) implements ReplacePlan {}
}
