package io.kjadm.core.etcd.replace;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.check.Candidate;
import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.check.EtcdFinding;
import io.kjadm.etcd.check.EtcdFinding.Level;
import io.kjadm.etcd.check.JoinChecklist;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The checks of a join that ask the cluster only, for a member on a machine that is not known here. */
final class NewMemberFindings {

    private static final String AREA = "etcd";

    private NewMemberFindings() {}

    /**
     * Tells what is found.
     *
     * @param told which of the notes and warnings are of interest
     * @throws ClusterException if something is against the member; its reason is the first rule
     *     that is broken
     */
    static void require(
            NewMember wanted,
            ClusterFacts cluster,
            boolean allowDegraded,
            Predicate<EtcdFinding> told,
            Reporter out) {
        // whoever looks after the machine was told to take the cluster's
        Optional<EtcdVersion> version = cluster.health().versions().stream().findFirst();
        List<EtcdFinding> findings = JoinChecklist.clusterFindings(
                new Candidate(
                        wanted,
                        version,
                        true,
                        new RejoinOptions(
                                false, false, false, allowDegraded, false, Optional.empty())),
                cluster);
        findings.stream().filter(told).forEach(finding -> tell(finding, out));
        List<EtcdFinding> errors = findings.stream()
                .filter(finding -> finding.level() == Level.ERROR)
                .toList();
        if (!errors.isEmpty()) {
            throw new ClusterException(
                    errors.getFirst().rule(),
                    "no etcd member is added",
                    errors.stream().map(EtcdFinding::text).collect(Collectors.joining("; ")),
                    "fix the cause, then run the command again");
        }
    }

    private static void tell(EtcdFinding finding, Reporter out) {
        switch (finding.level()) {
            case NOTE -> out.step(AREA, finding.text());
            case WARNING -> out.warn(finding.text());
            case ERROR -> {}
        }
    }
}
