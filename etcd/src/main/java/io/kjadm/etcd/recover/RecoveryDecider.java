package io.kjadm.etcd.recover;

import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.recover.MemberFacts.Loss;
import io.kjadm.etcd.recover.MemberFacts.Progress;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Tells what is wrong. The rule that everything rests on: a survivor may begin a new cluster only
 * when the old one can never have a quorum again. Of V voters of whom q are a quorum, V - q + 1 have
 * to be gone for good for that, each named by the operator: if fewer were, the others could still
 * come back and go on beside the new cluster. What was seen of disks supports that, and does not
 * take its place: a disk may be mounted late.
 */
public final class RecoveryDecider {

    private static final String CORRUPT = "CORRUPT";
    private static final String NO_SPACE = "NOSPACE";

    private RecoveryDecider() {}

    public static Diagnosis decide(RecoveryFacts facts) {
        if (facts.clusters().size() > 1) {
            return new Diagnosis.Split(facts.clusters(), facts.led());
        }
        if (facts.members().isEmpty()) {
            return new Diagnosis.Unknown();
        }
        if (facts.hasQuorum()) {
            return withQuorum(facts);
        }
        List<MemberFacts> following =
                facts.members().stream().filter(MemberFacts::led).toList();
        return following.isEmpty()
                ? withoutQuorum(facts)
                : new Diagnosis.QuorumOutOfReach(
                        following,
                        facts.voters().stream()
                                .filter(Predicate.not(MemberFacts::answers))
                                .toList());
    }

    private static Diagnosis withQuorum(RecoveryFacts facts) {
        Map<String, String> against = against(facts);
        if (!against.isEmpty()) {
            return corrupt(facts, against);
        }
        List<MemberFacts> missing =
                facts.members().stream().filter(Predicate.not(MemberFacts::led)).toList();
        if (!missing.isEmpty()) {
            return new Diagnosis.MemberLost(missing);
        }
        return facts.alarms().stream().anyMatch(alarm -> alarm.kind().equals(NO_SPACE))
                ? new Diagnosis.OutOfSpace()
                : new Diagnosis.Healthy();
    }

    private static Diagnosis corrupt(RecoveryFacts facts, Map<String, String> against) {
        List<MemberFacts> good = facts.voters().stream()
                .filter(voter -> voter.led() && !against.containsKey(voter.label()))
                .toList();
        boolean decided = good.size() >= facts.quorum().size();
        return new Diagnosis.Corrupt(
                decided
                        ? facts.members().stream()
                                .filter(member -> against.containsKey(member.label()))
                                .toList()
                        : List.of(),
                decided ? good : List.of(),
                against);
    }

    /** What speaks against the data of members, by their label. */
    private static Map<String, String> against(RecoveryFacts facts) {
        Map<String, String> against = new LinkedHashMap<>();
        for (MemberFacts member : facts.members()) {
            if (facts.alarms().stream()
                    .anyMatch(alarm -> alarm.kind().equals(CORRUPT)
                            && alarm.memberId().equals(member.member().id()))) {
                against.put(member.label(), "etcd raises the alarm CORRUPT for it");
            }
            member.damage().ifPresent(why -> against.putIfAbsent(member.label(), why));
        }
        differing(facts)
                .forEach(member -> against.putIfAbsent(
                        member.label(),
                        member.hash()
                                .map(hash -> "its keys add up to %08x at revision %d"
                                        .formatted(hash.hash(), hash.revision()))
                                .orElseThrow()));
        return against;
    }

    /**
     * Who holds something else than most voters at the same revision; everybody, if no sum is that
     * of a quorum.
     */
    private static List<MemberFacts> differing(RecoveryFacts facts) {
        List<MemberFacts> summed = facts.members().stream()
                .filter(member -> member.hash().isPresent())
                .toList();
        List<MemberFacts> comparable = summed.stream()
                .filter(member -> summed.stream().anyMatch(other -> differ(member, other)))
                .toList();
        Map<KvHash, List<MemberFacts>> groups = summed.stream()
                .filter(member -> member.member().voter())
                .collect(Collectors.groupingBy(member -> member.hash().orElseThrow()));
        return groups.entrySet().stream()
                .filter(group -> group.getValue().size() >= facts.quorum().size())
                .map(Map.Entry::getKey)
                .findFirst()
                .map(right -> comparable.stream()
                        .filter(member -> !member.hash().orElseThrow().equals(right))
                        .toList())
                .orElse(comparable);
    }

    private static boolean differ(MemberFacts one, MemberFacts other) {
        KvHash left = one.hash().orElseThrow();
        KvHash right = other.hash().orElseThrow();
        return left.comparable(right) && left.hash() != right.hash();
    }

    private static Diagnosis withoutQuorum(RecoveryFacts facts) {
        if (facts.voters().stream().noneMatch(voter -> voter.loss() == Loss.NONE)) {
            return new Diagnosis.AllLost();
        }
        List<MemberFacts> left = facts.voters().stream()
                .filter(voter -> voter.loss() != Loss.DECLARED)
                .toList();
        int lost = facts.quorum().voters() - left.size();
        if (lost < facts.fence()) {
            int answering = (int) left.stream().filter(MemberFacts::answers).count();
            return new Diagnosis.QuorumLostForNow(
                    left.stream().filter(voter -> !voter.answers()).toList(),
                    Math.max(0, facts.quorum().size() - answering),
                    facts.fence() - lost);
        }
        return forGood(facts, left);
    }

    private static Diagnosis forGood(RecoveryFacts facts, List<MemberFacts> left) {
        List<MemberFacts> survivors = new ArrayList<>();
        List<MemberFacts> unseen = new ArrayList<>();
        List<MemberFacts> damaged = new ArrayList<>();
        for (MemberFacts voter : left) {
            List<MemberFacts> kind = voter.damage().isPresent()
                    ? damaged
                    : voter.progress().isPresent() ? survivors : unseen;
            (voter.seenNow() ? kind : unseen).add(voter);
        }
        survivors.sort(Comparator.comparing(
                (MemberFacts voter) -> voter.progress().orElseThrow(), Progress.ORDER.reversed()));
        return survivors.isEmpty() && unseen.isEmpty()
                ? new Diagnosis.Corrupt(List.of(), List.of(), against(facts))
                : new Diagnosis.QuorumLostForGood(survivors, unseen, damaged);
    }
}
