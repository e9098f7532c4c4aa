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
public final class RecoveryPlans {

    private static final String NOTHING = "nothing";
    private static final String LOG =
            "on %s, see why etcd does not serve: crictl ps -a --name etcd, then crictl logs ID of the newest; journalctl -u kubelet -e if there is none";
    private static final String CERTIFICATES =
            "if it speaks of certificates: kjadm certs check-expiration, kjadm certs renew all";
    private static final String COLLECT =
            "on %s: kjadm etcd recover --collect > NODE.json; bring the file here and add --evidence NODE.json";
    private static final String ASK_AGAIN = "ask again: kjadm etcd recover";

    private final RecoveryFacts facts;

    private RecoveryPlans(RecoveryFacts facts) {
        this.facts = facts;
    }

    /** The plans for a diagnosis; the first one is to be preferred. */
    public static List<RecoveryPlan> of(RecoveryFacts facts, Diagnosis diagnosis) {
        RecoveryPlans plans = new RecoveryPlans(facts);
        return switch (diagnosis) {
            case Diagnosis.Healthy _ -> List.of();
            case Diagnosis.OutOfSpace _ -> List.of(outOfSpace());
            case Diagnosis.MemberLost lost -> plans.memberLost(lost);
            case Diagnosis.QuorumLostForNow lost -> plans.quorumLostForNow(lost);
            case Diagnosis.QuorumLostForGood lost -> plans.quorumLostForGood(lost);
            case Diagnosis.AllLost _ -> List.of(restoreSnapshot());
            case Diagnosis.Corrupt corrupt -> plans.corrupt(corrupt);
            case Diagnosis.Split split -> List.of(split(split));
            case Diagnosis.Unknown _ -> List.of(unknown());
        };
    }

    static String labels(List<MemberFacts> members) {
        return members.stream().map(MemberFacts::label).collect(Collectors.joining(", "));
    }

    private static RecoveryPlan outOfSpace() {
        return new RecoveryPlan(
                "Free space, then let etcd write again",
                List.of(
                        "kjadm etcd alarm disarm compacts, defragments and disarms, one member after the other",
                        "find what fills it: kubectl get --raw /metrics | grep apiserver_storage_objects"),
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
                    List.of(LOG.formatted(labels(mayReturn)), CERTIFICATES, ASK_AGAIN),
                    NOTHING));
        }
        plans.add(new RecoveryPlan(
                "Replace %s; the cluster serves meanwhile".formatted(labels(lost.missing())),
                List.of(
                        "one node after the other. If its machine is there: kjadm reset --force on it, which removes its member too",
                        "if the machine is gone: kjadm etcd member remove %s here"
                                .formatted(lost.missing().getFirst().label()),
                        forget(labels(lost.missing())),
                        join(),
                        "kjadm etcd status has to be all healthy before the next one"),
                "nothing: the others have all data"));
        return plans;
    }

    private static String forget(String nodes) {
        return "here: kubectl delete node NAME, for " + nodes;
    }

    private static String join() {
        return "here: kjadm init phase upload-certs --upload-certs, then kjadm token create --print-join-command --certificate-key KEY with the key it has printed; what that prints is run on the node that joins";
    }

    private List<RecoveryPlan> quorumLostForNow(Diagnosis.QuorumLostForNow lost) {
        List<RecoveryPlan> plans = new ArrayList<>();
        if (lost.needed() == 0) {
            plans.add(new RecoveryPlan(
                    "Let the members reach each other: enough of them answer, and follow no leader",
                    List.of(
                            "between the nodes port 2380 has to be open both ways, and the clocks right",
                            LOG.formatted("each node"),
                            CERTIFICATES,
                            ASK_AGAIN),
                    NOTHING));
            return plans;
        }
        plans.add(new RecoveryPlan(
                "Bring back %d of %s: with as many the cluster goes on by itself"
                        .formatted(lost.needed(), labels(lost.mayReturn())),
                List.of(
                        "start their machines; nothing is to be done on those that run, and nothing restarted there",
                        LOG.formatted(labels(lost.mayReturn())),
                        CERTIFICATES,
                        ASK_AGAIN),
                NOTHING));
        plans.add(new RecoveryPlan(
                "Only if %d more of %s can never come back: go on with a survivor"
                        .formatted(lost.more(), labels(lost.mayReturn())),
                List.of(
                        COLLECT.formatted("every control-plane node that still runs"),
                        "name those that are gone, each one: kjadm etcd recover --declare-lost NAME. One that comes back later all the same goes on beside the new cluster if it finds a quorum: shut it off for good",
                        "nothing is changed by that: it shows what would be done"),
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
                            "or, if it is gone for good: --declare-lost " + labels(lost.unseen())),
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
                    "on %s let etcd run for a minute first: it applies %d entries of its log that its database has not got, without a quorum too"
                            .formatted(best.label(), progress.gap().committed()));
        }
        if (lost.survivors().size() > 1) {
            List<MemberFacts> others =
                    lost.survivors().subList(1, lost.survivors().size());
            steps.add(
                    "stop the control plane of %s: systemctl stop kubelet; pkill -x etcd; pkill -x kube-apiserver"
                            .formatted(labels(others)));
        }
        steps.add("on %s: kjadm etcd recover%s --apply".formatted(best.label(), declaredFlags()));
        steps.add("on each other node, one after the other: kjadm reset --force; " + forget("it")
                + "; then " + join());
        plans.add(new RecoveryPlan(
                "Begin a new cluster with the data of %s, which holds the most"
                        .formatted(best.label()),
                steps,
                loses(best, progress)));
        return plans;
    }

    private String declaredFlags() {
        return facts.lost().stream()
                .filter(member -> member.loss() == Loss.DECLARED)
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

    private static RecoveryPlan restoreSnapshot() {
        return new RecoveryPlan(
                "Restore the last good snapshot: no member has data any more",
                List.of(
                        "kjadm etcd snapshot list --store STORE; kjadm etcd snapshot verify NAME --store STORE",
                        "on one control-plane node: kjadm etcd snapshot restore NAME --store STORE",
                        "on each other node, one after the other: kjadm reset --force; "
                                + forget("it") + "; then " + join()),
                "what was written since the snapshot");
    }

    private List<RecoveryPlan> corrupt(Diagnosis.Corrupt corrupt) {
        if (!corrupt.bad().isEmpty()) {
            return List.of(new RecoveryPlan(
                    "Replace the copy of %s; %s agree"
                            .formatted(labels(corrupt.bad()), labels(corrupt.good())),
                    List.of(
                            "take a snapshot of a good one first: kjadm etcd snapshot save",
                            "one node after the other, on %s: kjadm reset --force, which keeps the data aside"
                                    .formatted(labels(corrupt.bad())),
                            forget(labels(corrupt.bad())),
                            join(),
                            "kjadm etcd recover has to be healthy before the next one"),
                    "nothing: a quorum has the same data"));
        }
        return List.of(new RecoveryPlan(
                "Decide whose data are right; no quorum agrees",
                List.of(
                        "stop nothing and remove nothing yet. Keep a copy of what each member has: kjadm etcd snapshot save --endpoints URL, for every one that serves",
                        "compare what they hold with what is known to be right; see their logs for disk errors (dmesg, crictl logs)",
                        "restore the one that is right, or an earlier snapshot: kjadm etcd snapshot restore NAME"),
                "what is not in the copy that is chosen"));
    }

    private static RecoveryPlan split(Diagnosis.Split split) {
        List<String> steps = new ArrayList<>();
        split.clusters()
                .forEach((id, who) -> steps.add("cluster %s: %s%s"
                        .formatted(
                                id,
                                String.join(", ", who),
                                split.led().contains(id) ? ", has a leader" : ", has no leader")));
        if (split.led().size() == 1) {
            String id = split.led().iterator().next();
            steps.add(
                    "cluster %s is the one that serves. On the nodes of the others: kjadm reset --force, which keeps their data aside, then join them anew: %s"
                            .formatted(id, join()));
            return new RecoveryPlan(
                    "Take the members of other clusters out; they can never be joined",
                    steps,
                    "what was written to the other clusters alone; it is kept aside");
        }
        steps.add(
                "clients may have written to each. Stop the API servers of all but one, keep a snapshot of each (kjadm etcd snapshot save --endpoints URL), and decide which one goes on");
        return new RecoveryPlan(
                "Decide which cluster goes on; they can never be joined",
                steps,
                "what was written to the others alone");
    }

    private static RecoveryPlan unknown() {
        return new RecoveryPlan(
                "Find a member or its disk",
                List.of(
                        COLLECT.formatted("every control-plane node"),
                        "or name client URLs of members with --endpoints"),
                NOTHING);
    }
}
