package io.kjadm.core.recover;

import io.kjadm.core.error.ClusterException;
import io.kjadm.etcd.recover.Diagnosis;
import io.kjadm.etcd.recover.DiskEvidence;
import io.kjadm.etcd.recover.MemberFacts;
import io.kjadm.etcd.recover.NodeEvidence;
import io.kjadm.etcd.recover.RecoveryDecider;
import io.kjadm.etcd.recover.RecoveryFacts;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What is wrong, what speaks for that, and what can be done.
 *
 * @param evidence of every node, this one first
 * @param notes    what else the operator has to know, a sentence each
 */
public record RecoveryReport(
        List<NodeEvidence> evidence,
        RecoveryFacts facts,
        Diagnosis diagnosis,
        List<String> notes,
        List<RecoveryPlan> plans) {

    public RecoveryReport {
        evidence = List.copyOf(evidence);
        notes = List.copyOf(notes);
        plans = List.copyOf(plans);
    }

    /**
     * Decides.
     *
     * @param own    what this run has seen, if it has looked
     * @param others evidence that was collected before
     * @param now    when this run has looked
     * @param lost  members that the operator says are gone for good
     * @param words in which plans are told
     * @throws ClusterException if there is no such member, or one of them answers
     */
    public static RecoveryReport of(
            Optional<NodeEvidence> own,
            List<NodeEvidence> others,
            Instant now,
            Collection<String> lost,
            RecoveryWords words) {
        RecoveryFacts facts = RecoveryFacts.of(own, others, now, lost);
        List<NodeEvidence> evidence =
                Stream.concat(own.stream(), others.stream()).toList();
        requireKnown(facts);
        Diagnosis diagnosis = RecoveryDecider.decide(facts);
        return new RecoveryReport(
                evidence,
                facts,
                diagnosis,
                notes(evidence, facts),
                RecoveryPlans.of(facts, diagnosis, words));
    }

    private static void requireKnown(RecoveryFacts facts) {
        if (!facts.unknown().isEmpty()) {
            throw new ClusterException(
                    "no member is called " + String.join(", ", facts.unknown()),
                    "the members are %s"
                            .formatted(
                                    facts.members().isEmpty()
                                            ? "not known"
                                            : RecoveryPlans.labels(facts.members())),
                    "name lost members as etcd does; 'kjadm etcd recover' shows them");
        }
        List<MemberFacts> alive = facts.aliveThoughDeclared();
        if (!alive.isEmpty()) {
            throw new ClusterException(
                    "%s is not lost: it answers".formatted(RecoveryPlans.labels(alive)),
                    "a member that responds may have a quorum with others, and would form a second cluster",
                    "look again without --declare-lost for it");
        }
    }

    private static List<String> notes(List<NodeEvidence> evidence, RecoveryFacts facts) {
        List<String> notes = new ArrayList<>(facts.ignored());
        if (!facts.listed() && !facts.members().isEmpty()) {
            notes.add(
                    "No member and no database lists the members; these are from manifests, which may be out of date: collect evidence on every machine that has one");
        }
        for (MemberFacts member : facts.members()) {
            member.disk().ifPresent(seen -> {
                if (seen.evidence() instanceof DiskEvidence.Empty empty) {
                    empty.doubt()
                            .ifPresent(doubt -> notes.add(
                                    "%s has no data in %s on node %s, which proves nothing: %s"
                                            .formatted(
                                                    member.label(),
                                                    empty.dataDir(),
                                                    seen.node(),
                                                    doubt)));
                }
                if (!seen.current()) {
                    notes.add(
                            "The evidence of node %s about the disk of %s is old (%s) and proves nothing; collect it again"
                                    .formatted(seen.node(), member.label(), seen.taken()));
                }
                if (member.declared() && seen.evidence() instanceof DiskEvidence.Held) {
                    notes.add(
                            "%s is declared lost, but there were data on its disk when node %s was looked at (%s)"
                                    .formatted(member.label(), seen.node(), seen.taken()));
                }
                if (seen.evidence() instanceof DiskEvidence.Unreadable(String dir, String why)) {
                    notes.add("The data of %s in %s on node %s cannot be judged: %s"
                            .formatted(member.label(), dir, seen.node(), why));
                }
            });
            member.unread()
                    .ifPresent(why -> notes.add(
                            "The database of %s was not read: %s".formatted(member.label(), why)));
            member.damage().ifPresent(why -> notes.add("%s: %s".formatted(member.label(), why)));
        }
        evidence.forEach(node -> node.silent()
                .forEach(silent ->
                        notes.add("No answer to node %s from %s".formatted(node.node(), silent))));
        return notes;
    }

    /** Whether nothing has to be done. */
    public boolean healthy() {
        return diagnosis instanceof Diagnosis.Healthy;
    }
}
