package io.kjadm.core.etcd.version;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.AddedFlags;
import io.kjadm.core.etcd.AnsweringUrl;
import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.etcd.check.V2ContentReader;
import io.kjadm.core.etcd.version.EtcdMemberExchange.Seen;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Severity;
import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.upgrade.EtcdDowngradePath;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule;
import io.kjadm.etcd.upgrade.EtcdUpgradePath;
import io.kjadm.etcd.upgrade.MemberTurnRules;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Asks etcd what its gates are made of, and tells what they say to an order. */
record EtcdGates(
        Machine machine, EtcdCheckup checkup, EtcdInstallation installation, Reporter out) {

    private static final String AREA = "etcd";
    private static final int LOOKS = 4;
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

    /**
     * The facts about a version.
     *
     * @param own the member that gets it; empty for all
     */
    EtcdUpgradePath.Facts facts(EtcdVersion target, Seen seen, boolean own) {
        try {
            ClusterFacts cluster = checkup.look(installation.access());
            return new EtcdUpgradePath.Facts(
                    cluster,
                    target,
                    Optional.of(seen.own().id()).filter(_ -> own),
                    new V2ContentReader(machine.files())
                            .before(
                                    target,
                                    cluster.health(),
                                    seen.own(),
                                    installation.host().state().dataDir()));
        } catch (EtcdCallException e) {
            throw new ClusterException(
                    "etcd does not answer",
                    e.getMessage(),
                    "see 'kjadm etcd status', bring etcd back, then run the same command again",
                    e);
        }
    }

    /** All that can be told without reading what the members hold. */
    List<EtcdUpgradeFinding> findings(EtcdOrder order, EtcdUpgradePath.Facts facts) {
        List<EtcdUpgradeFinding> findings = new ArrayList<>(MemberTurnRules.weighed(
                switch (order.direction()) {
                    case UPGRADE -> EtcdUpgradePath.findings(facts);
                    case DOWNGRADE -> EtcdDowngradePath.ofMember(facts);
                }));
        findings.addAll(MemberTurnRules.turn(facts));
        MemberTurnRules.flags(installation.flags(order.target()), facts).ifPresent(findings::add);
        startsAlone(installation.host().state().added(), facts.cluster().health())
                .ifPresent(findings::add);
        return findings;
    }

    /** Whether the restart of the member would remove all others. */
    static Optional<EtcdUpgradeFinding> startsAlone(AddedFlags added, EtcdHealth health) {
        return added.startProblem()
                .filter(_ -> health.members().size() > 1)
                .map(problem -> new EtcdUpgradeFinding(
                        Rule.FORCE_NEW_CLUSTER, Severity.MANDATORY, problem));
    }

    /** Whether all members hold the same; compaction goes on meanwhile, so it is asked again. */
    Optional<EtcdUpgradeFinding> hashes(EtcdCluster cluster, EtcdHealth health) {
        return out.during(AREA, "Comparing the hashes of the members", () -> {
            Optional<EtcdUpgradeFinding> finding = Optional.empty();
            for (int look = 0; look < LOOKS; look++) {
                if (look > 0) {
                    machine.observer()
                            .pause(AREA, "the members could not be compared", BETWEEN_LOOKS);
                }
                finding = MemberTurnRules.hashes(health, hashesOf(cluster, health));
                if (finding.isEmpty()) {
                    break;
                }
            }
            return finding;
        });
    }

    private static Map<MemberId, KvHash> hashesOf(EtcdCluster cluster, EtcdHealth health) {
        Map<MemberId, KvHash> hashes = new HashMap<>();
        long revision = 0;
        for (Member member : health.voters()) {
            try {
                KvHash hash = cluster.hashKv(AnsweringUrl.of(cluster, member, List.of()), revision);
                hashes.put(member.id(), hash);
                revision = hash.revision();
            } catch (EtcdCallException | ClusterException e) {
                // a member that has not got so far yet is asked again; one that is silent is told
            }
        }
        return hashes;
    }

    /**
     * Tells what is skipped or to be known.
     *
     * @throws ClusterException with all that stops it, nothing being changed
     */
    static void require(EtcdOrder order, List<EtcdUpgradeFinding> findings, Reporter out) {
        List<EtcdUpgradeFinding> stops =
                findings.stream().filter(order::isStoppedBy).toList();
        findings.stream()
                .filter(finding -> !stops.contains(finding))
                .forEach(finding -> out.warn(named(finding)));
        if (!stops.isEmpty()) {
            throw new ClusterException(
                    stops.getFirst().rule(),
                    "etcd cannot get version %s now".formatted(order.target()),
                    stops.stream().map(EtcdGates::named).collect(Collectors.joining("; ")),
                    next(stops.getFirst()));
        }
    }

    private static String named(EtcdUpgradeFinding finding) {
        return "%s: %s".formatted(finding.rule().checkName(), finding.problem().facts());
    }

    private static String next(EtcdUpgradeFinding finding) {
        Problem problem = finding.problem();
        return problem.next().isBlank() ? "see 'kjadm etcd status'" : problem.next();
    }
}
