package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.EtcdRule.VOTERS;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Every voter is healthy, or enough are and both the operator and etcd agree to that; and what the
 * join makes of the quorum.
 */
final class VoterRules {

    /** Above it every write waits for too many. */
    private static final int MANY_VOTERS = 7;

    private VoterRules() {}

    static List<EtcdFinding> findings(Candidate candidate, ClusterFacts facts) {
        EtcdHealth health = facts.health();
        List<EtcdFinding> findings = new ArrayList<>();
        Optional<Member> own = candidate.own(health.members()).filter(Member::voter);
        if (own.isEmpty()) {
            arithmetic(candidate, health.quorum(), findings);
        }
        // this node's own voter is silent while its join has not gone on
        List<Member> unhealthy = health.voters().stream()
                .filter(voter ->
                        !health.healthy(voter) && own.filter(voter::equals).isEmpty())
                .toList();
        if (unhealthy.isEmpty()) {
            return findings;
        }
        String who = unhealthy.stream()
                .map(member -> member.describe() + ": " + health.problem(member))
                .collect(Collectors.joining("; "));
        if (!health.hasQuorum()) {
            findings.add(EtcdFinding.error(
                    VOTERS,
                    "etcd has no quorum: %s (%s); ".formatted(health.quorumText(), who)
                            + "nothing can be changed before enough of them are back"));
            return findings;
        }
        findings.add(degraded(candidate, health, who));
        return findings;
    }

    /** What the step means for the quorum: how many voters may fail before and after it. */
    private static void arithmetic(Candidate candidate, Quorum before, List<EtcdFinding> findings) {
        Quorum after = before.plusOne();
        findings.add(EtcdFinding.note(
                VOTERS,
                "etcd now: %s; with %s: %s"
                        .formatted(describe(before), candidate.name(), describe(after))));
        if (after.voters() == 2) {
            findings.add(EtcdFinding.warning(
                    VOTERS, "with two voters the loss of either stops etcd; join a third soon"));
        } else if (after.voters() == 4) {
            findings.add(EtcdFinding.warning(
                    VOTERS, "four voters tolerate the loss of one, like three; join a fifth soon"));
        } else if (after.voters() > MANY_VOTERS) {
            findings.add(EtcdFinding.warning(
                    VOTERS,
                    "%d voters are many: every write waits for %d of them"
                            .formatted(after.voters(), after.size())));
        }
    }

    private static String describe(Quorum quorum) {
        return "%d voter%s, %d must agree, %d may fail"
                .formatted(
                        quorum.voters(),
                        quorum.voters() == 1 ? "" : "s",
                        quorum.size(),
                        quorum.tolerated());
    }

    private static EtcdFinding degraded(Candidate candidate, EtcdHealth health, String who) {
        String unhealthy = "not every etcd voter is healthy (%s)".formatted(who);
        int needed = health.quorum().plusOne().size();
        String refusal = etcdRefusal(candidate, health, needed);
        String cure = "bring the member back, or remove it for good (kjadm etcd member remove)";
        if (!refusal.isEmpty()) {
            return EtcdFinding.error(VOTERS, "%s, and %s; %s".formatted(unhealthy, refusal, cure));
        }
        String count = "%d of %d voters are healthy, and etcd requires %d"
                .formatted(health.healthyVoters(), health.quorum().voters(), needed);
        return candidate.granted().allowDegraded()
                ? EtcdFinding.warning(
                        VOTERS, "%s; --allow-degraded: %s".formatted(unhealthy, count))
                : EtcdFinding.error(
                        VOTERS,
                        "%s, and a join should not begin then; %s. To join anyway give --allow-degraded: %s"
                                .formatted(unhealthy, cure, count));
    }

    /** Why etcd would not add the member; empty if it would. */
    private static String etcdRefusal(Candidate candidate, EtcdHealth health, int needed) {
        if (!candidate.learner()) {
            return "without EtcdLearnerMode the new member counts for the quorum before it runs, so every voter must be";
        }
        if (!health.addsWithSilentVoter()) {
            return "etcd before 3.5.30, 3.6.11 and 3.7.0 adds a member only while every voter is connected, with"
                    + " --allow-degraded or without (here: " + health.versionsByMember() + ")";
        }
        return health.healthyVoters() >= needed
                ? ""
                : ("etcd adds a member only while %d voters are connected, %d are, with"
                                + " --allow-degraded or without")
                        .formatted(needed, health.healthyVoters());
    }
}
