package io.kjadm.core.upgrade;

import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Severity;

import java.util.Objects;

/** One thing that stands in the way of an upgrade, or that the operator should know before it. */
public record UpgradeFinding(UpgradeRule rule, Severity severity, Problem problem) {

    public UpgradeFinding {
        Objects.requireNonNull(rule, "rule");
        Objects.requireNonNull(severity, "severity");
        Objects.requireNonNull(problem, "problem");
    }
}
