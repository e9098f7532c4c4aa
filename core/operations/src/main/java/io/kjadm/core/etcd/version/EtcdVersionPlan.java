package io.kjadm.core.etcd.version;

import io.kjadm.core.error.ClusterException;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule;
import io.kjadm.etcd.upgrade.EtcdUpgradePath;
import io.kjadm.etcd.upgrade.MemberTurnRules;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a change of etcd's version would be: the gates, and the members in their order.
 *
 * @param image    that the members get
 * @param findings what the gates say that are not passed
 */
public record EtcdVersionPlan(
        EtcdOrder order,
        EtcdUpgradePath.Facts facts,
        String image,
        List<EtcdUpgradeFinding> findings) {

    public EtcdVersionPlan {
        findings = List.copyOf(findings);
    }

    /** The command that is run on each node. */
    static String command(EtcdOrder order) {
        return "kjadm etcd %s %s".formatted(order.direction().command(), order.target());
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("The members of etcd (%s) would get %s"
                .formatted(facts.cluster().health().versionsByMember(), image));
        lines.add("");
        lines.add("CHECK                  RESULT");
        for (Rule rule : Rule.values()) {
            List<EtcdUpgradeFinding> told =
                    findings.stream().filter(finding -> finding.rule() == rule).toList();
            if (told.isEmpty() && isAsked(rule)) {
                lines.add(line(rule, "passed", ""));
            }
            told.forEach(finding ->
                    lines.add(line(rule, verdict(finding), finding.problem().facts())));
        }
        lines.add("");
        List<Member> pending = MemberTurnRules.pending(facts);
        if (pending.isEmpty()) {
            lines.add("Every member runs it already");
        } else {
            lines.add("One after the other, the leader last:");
            pending.forEach(
                    member -> lines.add("  %-20s %s".formatted(member.label(), command(order))));
        }
        return lines;
    }

    /** Each way has rules of its own. */
    private boolean isAsked(Rule rule) {
        return switch (rule) {
            case DOWNGRADE_TARGET, DOWNGRADE_ENABLED, STORAGE_VERSION ->
                order.direction() == EtcdOrder.Direction.DOWNGRADE;
            case VERSIONS_APART,
                    MIXED_VERSIONS,
                    MINOR_SKIPPED,
                    PATCH_FIRST,
                    BINARY_DOWNGRADE,
                    V2_CONTENT -> order.direction() == EtcdOrder.Direction.UPGRADE;
            case VOTERS,
                    QUORUM_MARGIN,
                    LEADER,
                    LEARNERS,
                    ALARMS,
                    LAG,
                    QUOTA,
                    MEMBER_LISTS,
                    DOWNGRADE_PENDING,
                    TWO_VOTERS,
                    LEADER_LAST,
                    HASHES,
                    REMOVED_FLAG,
                    FORCE_NEW_CLUSTER,
                    KNOWN_DEFECTS -> true;
        };
    }

    private static String line(Rule rule, String verdict, String why) {
        return "%-22s %-9s%s".formatted(rule.checkName(), verdict, why).stripTrailing();
    }

    private String verdict(EtcdUpgradeFinding finding) {
        return switch (finding.severity()) {
            case WARNING -> "warning";
            case SKIPPABLE -> order.skipped().contains(finding.rule()) ? "skipped" : "failed";
            case MANDATORY -> "failed";
        };
    }

    /** @throws ClusterException if a gate stops it */
    void requireGo() {
        List<EtcdUpgradeFinding> stops =
                findings.stream().filter(order::isStoppedBy).toList();
        if (!stops.isEmpty()) {
            throw new ClusterException(
                    stops.getFirst().rule(),
                    "etcd cannot get version %s now".formatted(order.target()),
                    "refused by "
                            + stops.stream()
                                    .map(finding -> finding.rule().checkName())
                                    .distinct()
                                    .collect(Collectors.joining(", ")),
                    stops.stream()
                            .map(finding -> finding.problem().next())
                            .filter(next -> !next.isBlank())
                            .findFirst()
                            .orElse("see 'kjadm etcd status'"));
        }
    }
}
