package io.kjadm.core.recover;

import io.kjadm.etcd.recover.Diagnosis;
import io.kjadm.etcd.recover.MemberFacts;
import io.kjadm.etcd.recover.MemberFacts.Loss;
import io.kjadm.etcd.recover.MemberFacts.Progress;
import io.kjadm.etcd.recover.RecoveryFacts;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What can safely be done about what is wrong; there is no other way than those told here. */
final class RecoveryPlans {

    private static final String NOTHING = "nothing";
    private static final String COLLECT =
            "on %s: kjadm etcd recover --collect > NODE.json; bring the file here and add --evidence NODE.json";
    private static final String ASK_AGAIN = "ask again: kjadm etcd recover";

    private final RecoveryFacts facts;
    private final RecoveryWords words;

    private RecoveryPlans(RecoveryFacts facts, RecoveryWords words) {
        this.facts = facts;
        this.words = words;
    }

    /** The plans for a diagnosis; the first one is to be preferred. */
    public static List<RecoveryPlan> of(
            RecoveryFacts facts, Diagnosis diagnosis, RecoveryWords words) {
        RecoveryPlans plans = new RecoveryPlans(facts, words);
        return switch (diagnosis) {
            case Diagnosis.Healthy _ -> List.of();
            case Diagnosis.OutOfSpace _ -> List.of(plans.outOfSpace());
            case Diagnosis.MemberLost lost -> plans.memberLost(lost);
            case Diagnosis.QuorumOutOfReach out -> List.of(plans.outOfReach(out));
            case Diagnosis.QuorumLostForNow lost -> plans.quorumLostForNow(lost);
            case Diagnosis.QuorumLostForGood lost -> plans.quorumLostForGood(lost);
            case Diagnosis.AllLost _ -> List.of(plans.restoreSnapshot());
            case Diagnosis.Corrupt corrupt -> plans.corrupt(corrupt);
            case Diagnosis.Split split -> List.of(plans.split(split));
            case Diagnosis.Unknown _ -> List.of(plans.unknown());
        };
    }

    static String labels(List<MemberFacts> members) {
        return members.stream().map(MemberFacts::label).collect(Collectors.joining(", "));
    }

    private RecoveryPlan outOfSpace() {
        return new RecoveryPlan(
                "Free space, then disarm the alarm",
                List.of(
                        "kjadm etcd alarm disarm compacts, defragments and disarms, one member after the other",
                        words.largestKeys()),
                NOTHING);
    }

    private List<RecoveryPlan> memberLost(Diagnosis.MemberLost lost) {
        List<RecoveryPlan> plans = new ArrayList<>();
        List<MemberFacts> mayReturn = lost.missing().stream()
                .filter(member -> member.loss() == Loss.NONE)
                .toList();
        if (!mayReturn.isEmpty()) {
            plans.add(new RecoveryPlan(
                    "Bring back %s: its data may be whole".formatted(labels(mayReturn)),
                    List.of(words.log(labels(mayReturn)), words.certificates(), ASK_AGAIN),
                    NOTHING));
        }
        List<String> steps = new ArrayList<>(words.replace(lost.missing()));
        steps.add("kjadm etcd status has to be all healthy before the next one");
        plans.add(new RecoveryPlan(
                "Replace %s; the cluster keeps serving".formatted(labels(lost.missing())),
                steps,
                "nothing: the others have all data"));
        return plans;
    }

    private RecoveryPlan outOfReach(Diagnosis.QuorumOutOfReach out) {
        return new RecoveryPlan(
                "Connect this node to %s: a quorum serves".formatted(labels(out.silent())),
                List.of(
                        "port 2379 of the other members has to be open to this node, and this node's client certificate has to be signed by a CA that they trust",
                        "see the cluster on one of them: kjadm etcd status",
                        ASK_AGAIN),
                NOTHING);
    }

    private List<RecoveryPlan> quorumLostForNow(Diagnosis.QuorumLostForNow lost) {
        List<RecoveryPlan> plans = new ArrayList<>();
        if (lost.needed() == 0) {
            plans.add(new RecoveryPlan(
                    "Connect the members to each other: enough of them respond, but follow no leader",
                    List.of(
                            "between the nodes port 2380 has to be open both ways, and the clocks right",
                            words.log("each node"),
                            words.certificates(),
                            ASK_AGAIN),
                    NOTHING));
            return plans;
        }
        plans.add(new RecoveryPlan(
                "Bring back %d of %s: with that many the cluster recovers by itself"
                        .formatted(lost.needed(), labels(lost.mayReturn())),
                List.of(
                        "start their machines; do not change or restart those that run",
                        words.log(labels(lost.mayReturn())),
                        words.certificates(),
                        ASK_AGAIN),
                NOTHING));
        plans.add(new RecoveryPlan(
                "Only if %d more of %s can never come back: continue with a survivor"
                        .formatted(lost.more(), labels(lost.mayReturn())),
                List.of(
                        COLLECT.formatted("every %s that still runs".formatted(words.machine())),
                        "name each lost member: kjadm etcd recover --declare-lost NAME. A lost member that comes back later and finds a quorum forms a second cluster: make sure that it stays off",
                        "this changes nothing: it shows what would be done"),
                "what only the lost members had"));
        return plans;
    }

    private List<RecoveryPlan> quorumLostForGood(Diagnosis.QuorumLostForGood lost) {
        List<RecoveryPlan> plans = new ArrayList<>();
        if (!lost.unseen().isEmpty()) {
            plans.add(new RecoveryPlan(
                    "First see what %s holds: it may be more".formatted(labels(lost.unseen())),
                    List.of(
                            COLLECT.formatted(labels(lost.unseen())),
                            "or, if it is gone for good, add" + declareLost(lost.unseen())),
                    NOTHING));
        }
        if (lost.survivors().isEmpty()) {
            return plans;
        }
        MemberFacts best = lost.survivors().getFirst();
        Progress progress = best.progress().orElseThrow();
        List<String> steps = new ArrayList<>();
        if (!best.answers() && progress.gap().committed() > 0) {
            steps.add(
                    "on %s run etcd for a minute first: it applies %d entries of its log that its database lacks, even without a quorum"
                            .formatted(best.label(), progress.gap().committed()));
        }
        steps.addAll(words.stopUsers());
        if (lost.survivors().size() > 1) {
            steps.addAll(words.stop(
                    labels(lost.survivors().subList(1, lost.survivors().size()))));
        }
        steps.add(
                "on %s: kjadm etcd recover%s --apply".formatted(best.label(), flagsWithout(best)));
        steps.add(words.joinAnew(best.member().clientUrls()));
        plans.add(new RecoveryPlan(
                "Start a new cluster with the data of %s, which holds the most"
                        .formatted(best.label()),
                steps,
                loses(best, progress)));
        return plans;
    }

    /** The other survivors are given up as well. */
    private String flagsWithout(MemberFacts best) {
        return declareLost(
                facts.voters().stream().filter(voter -> !voter.equals(best)).toList());
    }

    private static String declareLost(List<MemberFacts> members) {
        return members.stream()
                .map(member -> " --declare-lost " + member.label())
                .collect(Collectors.joining());
    }

    /** What a restore of a survivor keeps and loses. */
    static String loses(MemberFacts survivor, Progress progress) {
        String kept = "what is committed up to entry %d is kept%s"
                .formatted(
                        progress.kept(),
                        progress.revision().stream()
                                .mapToObj(revision -> " (revision %d)".formatted(revision))
                                .findFirst()
                                .orElse(""));
        return progress.gap().open() == 0
                ? "what only the lost members had; all that %s has is kept: %s"
                        .formatted(survivor.label(), kept)
                : "what only the lost members had, and the last %d entries in the log of %s, which it does not know to be committed; %s"
                        .formatted(progress.gap().open(), survivor.label(), kept);
    }

    private RecoveryPlan restoreSnapshot() {
        List<String> steps = new ArrayList<>();
        steps.add(
                "kjadm etcd snapshot list --store STORE; kjadm etcd snapshot verify NAME --store STORE");
        steps.addAll(words.stopUsers());
        steps.add("on one %s: kjadm etcd snapshot restore NAME --store STORE"
                .formatted(words.machine()));
        steps.add(words.joinAnew(List.of()));
        return new RecoveryPlan(
                "Restore the last good snapshot: no member has data any more",
                steps,
                "what was written since the snapshot");
    }

    private List<RecoveryPlan> corrupt(Diagnosis.Corrupt corrupt) {
        if (!corrupt.bad().isEmpty()) {
            List<String> steps = new ArrayList<>();
            steps.add("take a snapshot of a good one first: kjadm etcd snapshot save");
            steps.addAll(words.replaceCopy(corrupt.bad()));
            steps.add("kjadm etcd recover has to be healthy before the next one");
            return List.of(new RecoveryPlan(
                    "Replace the copy of %s; %s agree"
                            .formatted(labels(corrupt.bad()), labels(corrupt.good())),
                    steps,
                    "nothing: a quorum has the same data"));
        }
        return List.of(new RecoveryPlan(
                "Decide whose data are right; no quorum agrees",
                List.of(
                        "stop nothing and remove nothing yet. Keep a copy of what each member has: kjadm etcd snapshot save --endpoints URL, for every one that serves",
                        "compare what they hold with what is known to be right; see their logs for disk errors (%s)"
                                .formatted(words.diskErrors()),
                        "restore the one that is right, or an earlier snapshot: kjadm etcd snapshot restore NAME"),
                "what is not in the copy that is chosen"));
    }

    private RecoveryPlan split(Diagnosis.Split split) {
        List<String> steps = new ArrayList<>();
        split.clusters()
                .forEach((id, who) -> steps.add("cluster %s: %s%s"
                        .formatted(
                                id,
                                String.join(", ", who),
                                split.led().contains(id) ? ", has a leader" : ", has no leader")));
        if (split.led().size() == 1) {
            String id = split.led().iterator().next();
            steps.add("cluster %s is the one that serves. On the nodes of the others: %s"
                    .formatted(id, words.leaveOther()));
            return new RecoveryPlan(
                    "Remove the members of the other clusters; clusters can never be merged",
                    steps,
                    "what was written to the other clusters alone; it is kept aside");
        }
        steps.add(
                "clients may have written to each. Stop the API servers of all but one, keep a snapshot of each (kjadm etcd snapshot save --endpoints URL), and decide which one to keep");
        return new RecoveryPlan(
                "Decide which cluster to keep; clusters can never be merged",
                steps,
                "what was written to the others alone");
    }

    private RecoveryPlan unknown() {
        return new RecoveryPlan(
                "Find a member or its disk",
                List.of(
                        COLLECT.formatted("every " + words.machine()),
                        "or name client URLs of members with --endpoints"),
                NOTHING);
    }
}
