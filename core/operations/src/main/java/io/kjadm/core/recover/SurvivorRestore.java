package io.kjadm.core.recover;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.restore.RestoreReason;
import io.kjadm.core.restore.RestoreSource;
import io.kjadm.etcd.recover.Diagnosis;
import io.kjadm.etcd.recover.MemberFacts;
import io.kjadm.etcd.recover.MemberFacts.Progress;
import io.kjadm.etcd.recover.NodeEvidence.OwnMember;
import io.kjadm.etcd.recover.RecoveryFacts;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Whether this node's member may begin a new cluster with its data, and what is restored then. The
 * old cluster can never have a quorum again; no survivor that is known holds more; nothing that is
 * committed is left behind unseen.
 */
public final class SurvivorRestore {

    private final boolean acceptLoss;
    private final String command;
    private final Reporter out;

    /** Without evidence of other nodes. */
    public SurvivorRestore(boolean acceptLoss, Reporter out) {
        this(acceptLoss, "kjadm etcd recover --apply", out);
    }

    /**
     * @param acceptLoss whether the operator takes another survivor than the one with the most
     * @param command    by which it is begun and resumed, without the members that are given up
     */
    public SurvivorRestore(boolean acceptLoss, String command, Reporter out) {
        this.acceptLoss = acceptLoss;
        this.command = command;
        this.out = out;
    }

    /**
     * What an earlier run has begun to restore on this node.
     *
     * @param unfinished as the journal calls it
     * @return empty if that is no survivor's database
     */
    public Optional<RestoreSource> begun(String unfinished, Path dataDir) {
        return SurvivorDatabase.member(unfinished)
                .map(member ->
                        new SurvivorDatabase(member, dataDir, acceptLoss, command, List.of(), out));
    }

    /**
     * The database of this node's member.
     *
     * @param dataDir of this node's etcd
     * @throws ClusterException if that must not be
     */
    public RestoreSource source(RecoveryReport report, Path dataDir) {
        if (!(report.diagnosis() instanceof Diagnosis.QuorumLostForGood lost)) {
            throw new ClusterException(
                    "there is nothing to apply",
                    "only where the quorum is lost for good a survivor may start a new cluster; here it is %s"
                            .formatted(Diagnoses.name(report.diagnosis())),
                    "follow the plan above");
        }
        MemberFacts own = own(report, lost);
        List<String> description = new ArrayList<>();
        description.add("The data of %s are kept: %s"
                .formatted(own.label(), Diagnoses.progress(own.progress().orElseThrow())));
        description.add("Lost is " + RecoveryPlans.loses(own, own.progress().orElseThrow()));
        description.add("Gone for good: "
                + RecoveryPlans.labels(report.facts().lost())
                + ". If they are not, they form a second cluster");
        refuse(lossOf(report.facts(), lost, own), description);
        return new SurvivorDatabase(own.label(), dataDir, acceptLoss, command, description, out);
    }

    private MemberFacts own(RecoveryReport report, Diagnosis.QuorumLostForGood lost) {
        return report.evidence().getFirst().own().flatMap(OwnMember::dataOf).stream()
                .flatMap(id -> lost.survivors().stream()
                        .filter(survivor -> survivor.member().id().equals(id)))
                .findFirst()
                .orElseThrow(() -> new ClusterException(
                        RestoreReason.NO_DATA_HERE,
                        "this node has no member whose data could be used",
                        lost.survivors().isEmpty()
                                ? "no survivor is known"
                                : "survivors are " + RecoveryPlans.labels(lost.survivors()),
                        "follow the plan above"));
    }

    /** Why it may lose more than must be. */
    private static List<String> lossOf(
            RecoveryFacts facts, Diagnosis.QuorumLostForGood lost, MemberFacts own) {
        List<String> reasons = new ArrayList<>();
        Progress progress = own.progress().orElseThrow();
        if (!lost.holdsTheMost(own)) {
            MemberFacts best = lost.survivors().getFirst();
            Progress most = best.progress().orElseThrow();
            reasons.add("%s holds more: %s; %s has %s"
                    .formatted(
                            best.label(),
                            Diagnoses.progress(most),
                            own.label(),
                            Diagnoses.progress(progress)));
        }
        for (MemberFacts given : facts.lost()) {
            given.progress()
                    .filter(seen -> seen.isMoreThan(progress))
                    .ifPresent(seen -> reasons.add("%s, which is given up, held more: %s; %s has %s"
                            .formatted(
                                    given.label(),
                                    Diagnoses.progress(seen),
                                    own.label(),
                                    Diagnoses.progress(progress))));
        }
        if (!lost.unseen().isEmpty()) {
            reasons.add("it is not known what %s holds, which may come back"
                    .formatted(RecoveryPlans.labels(lost.unseen())));
        }
        if (!own.answers() && progress.gap().committed() > 0) {
            reasons.add(
                    "its database lacks %d entries that are committed, which etcd applies when it runs"
                            .formatted(progress.gap().committed()));
        }
        return reasons;
    }

    private void refuse(List<String> reasons, List<String> description) {
        if (!reasons.isEmpty() && !acceptLoss) {
            throw new ClusterException(
                    RestoreReason.LOSES_DATA,
                    "a new cluster with this member's data may lose more than it must",
                    String.join("; ", reasons),
                    "follow the plan above; --accept-loss overrides this check");
        }
        reasons.forEach(reason -> description.add("Accepted: " + reason));
    }
}
