package io.kjadm.core.recover;

import io.kjadm.etcd.recover.Diagnosis;
import io.kjadm.etcd.recover.MemberFacts;
import io.kjadm.etcd.recover.MemberFacts.Progress;
import io.kjadm.etcd.recover.RecoveryFacts;

import java.util.Map;
import java.util.stream.Collectors;

/** What a diagnosis is called, and a sentence that tells it. */
public final class Diagnoses {

    private Diagnoses() {}

    /** The name of its case, as objects have it. */
    public static String name(Diagnosis diagnosis) {
        return diagnosis.getClass().getSimpleName();
    }

    /** What is wrong, in a sentence. */
    public static String sentence(RecoveryFacts facts, Diagnosis diagnosis) {
        int voters = facts.quorum().voters();
        int quorum = facts.quorum().size();
        return switch (diagnosis) {
            case Diagnosis.Healthy _ ->
                "etcd is healthy: all %d voters follow the leader".formatted(voters);
            case Diagnosis.OutOfSpace _ ->
                "etcd has a quorum but refuses writes: a database has reached its quota (alarm NOSPACE)";
            case Diagnosis.MemberLost lost ->
                "etcd serves with a quorum, without " + RecoveryPlans.labels(lost.missing());
            case Diagnosis.QuorumOutOfReach out ->
                "a quorum serves that this node does not reach: %s knows a leader, and %s do not respond here"
                        .formatted(
                                RecoveryPlans.labels(out.following()),
                                RecoveryPlans.labels(out.silent()));
            case Diagnosis.QuorumLostForNow lost ->
                "there is no quorum: %d of %d voters answer, %d have to follow one leader; %s"
                        .formatted(
                                facts.voters().stream()
                                        .filter(MemberFacts::answers)
                                        .count(),
                                voters,
                                quorum,
                                lost.mayReturn().isEmpty()
                                        ? "none of them is gone"
                                        : "%s may come back"
                                                .formatted(RecoveryPlans.labels(lost.mayReturn())));
            case Diagnosis.QuorumLostForGood lost ->
                "the quorum is lost for good: %s are gone, of %d voters, %d of whom were needed; %s"
                        .formatted(
                                RecoveryPlans.labels(facts.lost()),
                                voters,
                                quorum,
                                lost.survivors().isEmpty()
                                        ? "what the others hold is not known"
                                        : "%s has the most of what is left"
                                                .formatted(lost.survivors()
                                                        .getFirst()
                                                        .label()));
            case Diagnosis.AllLost _ ->
                "all data are lost: %s are gone".formatted(RecoveryPlans.labels(facts.lost()));
            case Diagnosis.Corrupt corrupt ->
                "members hold damaged or different data: "
                        + corrupt.why().entrySet().stream()
                                .map(entry -> entry.getKey() + ": " + entry.getValue())
                                .collect(Collectors.joining("; "));
            case Diagnosis.Split split ->
                "there are members of %d clusters: %s"
                        .formatted(
                                split.clusters().size(),
                                split.clusters().entrySet().stream()
                                        .sorted(Map.Entry.comparingByKey())
                                        .map(entry -> "%s in %s"
                                                .formatted(
                                                        String.join(", ", entry.getValue()),
                                                        entry.getKey()))
                                        .collect(Collectors.joining("; ")));
            case Diagnosis.Unknown _ ->
                "no member answers, and no disk that was looked at has any data or manifest of one";
        };
    }

    /** "entry 812044, revision 700123". */
    public static String progress(Progress progress) {
        return "entry %d%s"
                .formatted(
                        progress.kept(),
                        progress.revision().stream()
                                .mapToObj(revision -> ", revision %d".formatted(revision))
                                .findFirst()
                                .orElse(""));
    }
}
