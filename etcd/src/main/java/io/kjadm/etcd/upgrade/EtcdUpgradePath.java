package io.kjadm.etcd.upgrade;

import static io.kjadm.etcd.Severity.MANDATORY;
import static io.kjadm.etcd.Severity.SKIPPABLE;
import static io.kjadm.etcd.Severity.WARNING;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.ALARMS;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.DOWNGRADE_PENDING;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.LAG;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.LEADER;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.LEARNERS;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.MEMBER_LISTS;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.QUORUM_MARGIN;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.QUOTA;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.VOTERS;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.Severity;
import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.check.EtcdFinding;
import io.kjadm.etcd.check.JoinChecklist;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Whether a member may get another version of etcd now: the cluster must be able to do without it
 * for a moment, and the version must be one that etcd's own rules allow
 * ({@code https://etcd.io/docs/v3.6/upgrades/upgrade_3_6/}). Asked again before each member.
 */
public final class EtcdUpgradePath {

    private EtcdUpgradePath() {}

    /**
     * What the decision is made of.
     *
     * @param cluster as it was seen, all members asked at the same time
     * @param target the version that the member gets
     * @param own the member that gets it; empty if it is to be told for all members
     * @param v2Content what was found in the data directories that were looked into
     */
    public record Facts(
            ClusterFacts cluster,
            EtcdVersion target,
            Optional<MemberId> own,
            Map<MemberId, V2Content> v2Content) {

        public Facts {
            v2Content = Map.copyOf(v2Content);
        }

        EtcdHealth health() {
            return cluster.health();
        }

        /** Those that get the target's version, as far as they told theirs. */
        List<Member> changing() {
            return health().members().stream()
                    .filter(member -> own.isEmpty() || own.get().equals(member.id()))
                    .filter(member -> health().status(member.id()).isPresent())
                    .toList();
        }

        EtcdVersion version(Member member) {
            return health().status(member.id()).orElseThrow().version();
        }

        /**
         * Only major and minor count. Before 3.6 no status tells it; the leader makes it the lowest
         * minor of all members.
         */
        Optional<EtcdVersion> clusterVersion() {
            return health().storageVersion()
                    .or(() -> health().versions().stream().findFirst());
        }
    }

    /** Everything that stands in the way, the cluster's condition first. */
    public static List<EtcdUpgradeFinding> findings(Facts facts) {
        List<EtcdUpgradeFinding> findings = new ArrayList<>(condition(facts.cluster()));
        facts.health()
                .downgradeUnderWay()
                .map(problem -> new EtcdUpgradeFinding(
                        DOWNGRADE_PENDING,
                        MANDATORY,
                        new Problem(
                                problem.what(),
                                "until it has ended no member may get another version than its target",
                                problem.next())))
                .ifPresent(findings::add);
        findings.addAll(VersionSteps.findings(facts));
        findings.addAll(V2ContentRule.findings(facts));
        findings.addAll(KnownDefectsRule.findings(facts));
        return List.copyOf(findings);
    }

    /** What stands in the way whatever the version is. */
    static List<EtcdUpgradeFinding> condition(ClusterFacts cluster) {
        List<EtcdUpgradeFinding> findings = new ArrayList<>();
        voters(cluster.health()).ifPresent(findings::add);
        margin(cluster.health()).ifPresent(findings::add);
        learners(cluster.health()).ifPresent(findings::add);
        JoinChecklist.healthFindings(cluster).stream()
                .map(EtcdUpgradePath::ofCluster)
                .forEach(findings::add);
        return findings;
    }

    private static Optional<EtcdUpgradeFinding> voters(EtcdHealth health) {
        if (health.unhealthyMembers().isEmpty()) {
            return Optional.empty();
        }
        long left = Math.max(0, health.healthyVoters() - 1);
        return Optional.of(new EtcdUpgradeFinding(
                VOTERS,
                MANDATORY,
                new Problem(
                        "not every etcd voter is healthy: " + health.unhealthyMembers(),
                        "the restart of another one leaves %d of %d, and %d must agree"
                                .formatted(
                                        left,
                                        health.quorum().voters(),
                                        health.quorum().size()),
                        "bring it back, or remove it for good (kjadm etcd member remove)")));
    }

    private static Optional<EtcdUpgradeFinding> margin(EtcdHealth health) {
        Quorum quorum = health.quorum();
        if (quorum.tolerated() > 0 || quorum.voters() == 0) {
            return Optional.empty();
        }
        return Optional.of(new EtcdUpgradeFinding(
                QUORUM_MARGIN,
                WARNING,
                new Problem(
                        "etcd, and the API with it, takes no writes while a member restarts",
                        quorum.voters() == 1
                                ? "there is one voter"
                                : "there are two voters, and both must agree",
                        "with three control-plane nodes an upgrade is not noticed")));
    }

    private static Optional<EtcdUpgradeFinding> learners(EtcdHealth health) {
        if (health.learners().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new EtcdUpgradeFinding(
                LEARNERS,
                MANDATORY,
                new Problem(
                        "a member is joining etcd: "
                                + health.learners().stream()
                                        .map(Member::describe)
                                        .collect(Collectors.joining("; ")),
                        "members and versions are not changed at the same time",
                        "wait until its join has ended, or remove it (kjadm etcd member remove)")));
    }

    /** What the checks before a join say of the cluster itself. */
    private static EtcdUpgradeFinding ofCluster(EtcdFinding finding) {
        EtcdUpgradeFinding.Rule rule = switch (finding.rule()) {
            case LEADER -> LEADER;
            case ALARMS -> ALARMS;
            case LAG -> LAG;
            case QUOTA -> QUOTA;
            case LISTS -> MEMBER_LISTS;
            default -> throw new IllegalStateException(finding.toString());
        };
        return new EtcdUpgradeFinding(rule, severity(finding), new Problem(finding.text(), "", ""));
    }

    private static Severity severity(EtcdFinding finding) {
        return switch (finding.level()) {
            case NOTE, WARNING -> WARNING;
            case ERROR -> finding.rule().protectsCluster() ? MANDATORY : SKIPPABLE;
        };
    }
}
