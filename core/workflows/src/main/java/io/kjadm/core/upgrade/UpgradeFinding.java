package io.kjadm.core.upgrade;

import io.kjadm.etcd.CheckName;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Severity;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding;

import java.util.Collection;
import java.util.Objects;

/** One thing that stands in the way of an upgrade, or that the operator should know before it. */
public record UpgradeFinding(CheckName rule, Severity severity, Problem problem) {

    /** Stands for every check in the list of ignored ones. */
    private static final String ALL = "all";

    public UpgradeFinding {
        Objects.requireNonNull(rule, "rule");
        Objects.requireNonNull(severity, "severity");
        Objects.requireNonNull(problem, "problem");
    }

    public UpgradeFinding(CheckName rule, Severity severity, String what, String why, String next) {
        this(rule, severity, new Problem(what, why, next));
    }

    /** The same of etcd's own upgrade. */
    public static UpgradeFinding of(EtcdUpgradeFinding finding) {
        return new UpgradeFinding(finding.rule(), finding.severity(), finding.problem());
    }

    /**
     * Whether the upgrade must not begin.
     *
     * @param force   whether the operator goes on in spite of everything that may be skipped
     * @param ignored names of the checks whose findings the operator goes on in spite of, in any
     *                case; {@code all} for every check
     */
    public boolean stops(boolean force, Collection<String> ignored) {
        boolean named = ignored.stream()
                .anyMatch(name ->
                        name.equalsIgnoreCase(ALL) || name.equalsIgnoreCase(rule.checkName()));
        return severity.stops(force || named);
    }
}
