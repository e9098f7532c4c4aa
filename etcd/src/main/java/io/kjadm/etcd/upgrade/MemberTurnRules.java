package io.kjadm.etcd.upgrade;

import static io.kjadm.etcd.Severity.MANDATORY;
import static io.kjadm.etcd.Severity.SKIPPABLE;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.HASHES;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.LEADER_LAST;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.QUOTA;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.REMOVED_FLAG;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.TWO_VOTERS;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Severity;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What is asked where etcd's version is changed for its own sake, beside the rules of the version:
 * members take their turns, the leader's comes last, and all hold the same before and after.
 */
public final class MemberTurnRules {

    private MemberTurnRules() {}

    /** The findings of the version's rules as they weigh here: who has time mends the quota first. */
    public static List<EtcdUpgradeFinding> weighed(List<EtcdUpgradeFinding> findings) {
        return findings.stream()
                .map(finding -> finding.rule() == QUOTA
                        ? new EtcdUpgradeFinding(QUOTA, SKIPPABLE, finding.problem())
                        : finding)
                .toList();
    }

    /** Whether it is that member's turn now. */
    public static List<EtcdUpgradeFinding> turn(EtcdUpgradePath.Facts facts) {
        List<EtcdUpgradeFinding> findings = new ArrayList<>();
        if (facts.health().quorum().voters() == 2) {
            findings.add(new EtcdUpgradeFinding(
                    TWO_VOTERS,
                    SKIPPABLE,
                    new Problem(
                            "etcd has two voters, and neither can be spared",
                            "etcd accepts no writes while one restarts, nor after that if it does not come back",
                            "join a third member, or accept the interruption with --yes")));
        }
        leaderLast(facts).ifPresent(findings::add);
        return findings;
    }

    private static Optional<EtcdUpgradeFinding> leaderLast(EtcdUpgradePath.Facts facts) {
        EtcdHealth health = facts.health();
        String waiting = pending(facts).stream()
                .filter(member -> facts.own().filter(member.id()::equals).isEmpty())
                .map(Member::label)
                .collect(Collectors.joining(", "));
        return health.leader()
                .filter(leader -> facts.own().filter(leader.id()::equals).isPresent())
                .filter(leader -> !waiting.isEmpty())
                .map(leader -> new EtcdUpgradeFinding(
                        LEADER_LAST,
                        SKIPPABLE,
                        new Problem(
                                "this node's member %s is the leader, which is changed last"
                                        .formatted(leader.label()),
                                "each transfer of leadership may fail a write, so only one is made",
                                "run the command on %s first".formatted(waiting))));
    }

    /** The members that do not run the target, the leader last. */
    public static List<Member> pending(EtcdUpgradePath.Facts facts) {
        return facts.health()
                .leaderLast(member -> facts.health()
                        .status(member.id())
                        .filter(status -> status.version().equals(facts.target()))
                        .isEmpty());
    }

    /**
     * Whether all hold the same, as far as it could be compared.
     *
     * @param hashes of the members that told one, of one revision
     */
    public static Optional<EtcdUpgradeFinding> hashes(
            EtcdHealth health, Map<MemberId, KvHash> hashes) {
        List<Member> asked = health.members().stream()
                .filter(member -> hashes.containsKey(member.id()))
                .toList();
        for (Member one : asked) {
            for (Member other : asked) {
                KvHash here = hashes.get(one.id());
                KvHash there = hashes.get(other.id());
                if (here.comparable(there) && here.hash() != there.hash()) {
                    return Optional.of(differing(health, one, other, here.revision()));
                }
            }
        }
        boolean whole = health.voters().stream().allMatch(asked::contains)
                && hashes.values().stream()
                                .map(KvHash::compactRevision)
                                .distinct()
                                .count()
                        <= 1;
        return whole
                ? Optional.empty()
                : Optional.of(new EtcdUpgradeFinding(
                        HASHES,
                        SKIPPABLE,
                        new Problem(
                                "it could not be checked whether all members hold the same data",
                                "they were compacted to different revisions, or one did not answer",
                                "run the same command again")));
    }

    /** Releases of etcd have counted differently, so two versions prove less. */
    private static EtcdUpgradeFinding differing(
            EtcdHealth health, Member one, Member other, long revision) {
        boolean alike = health.status(one.id())
                .map(status -> status.version())
                .equals(health.status(other.id()).map(status -> status.version()));
        Severity severity = alike ? MANDATORY : SKIPPABLE;
        return new EtcdUpgradeFinding(
                HASHES,
                severity,
                new Problem(
                        "the members %s and %s hold different data at revision %d"
                                .formatted(one.label(), other.label(), revision),
                        "one of them is corrupt, and which one is not known",
                        "compare 'etcdctl endpoint hashkv' of all, and replace the one that differs"));
    }

    /** What the member would lose of what it was started with. */
    public static Optional<EtcdUpgradeFinding> flags(EtcdFlags flags, EtcdUpgradePath.Facts facts) {
        return flags.dropped().isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new EtcdUpgradeFinding(
                                REMOVED_FLAG,
                                SKIPPABLE,
                                new Problem(
                                        "etcd %s does not know %s"
                                                .formatted(
                                                        facts.target(),
                                                        String.join(", ", flags.dropped())),
                                        "it would exit at once",
                                        "remove them from the manifest and from etcd.local.extraArgs, or skip this check: they are dropped then")));
    }
}
