package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.EtcdRule.DISK;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The whole list of checks before a join, all findings at once. */
public final class JoinChecklist {

    private JoinChecklist() {}

    /** Every finding, the cluster's first, then this node's. */
    public static List<EtcdFinding> findings(CheckFacts facts) {
        Candidate candidate = facts.candidate();
        ClusterFacts cluster = facts.cluster();
        List<EtcdFinding> findings = new ArrayList<>(clusterFindings(candidate, cluster));
        findings.addAll(DataDirRules.findings(candidate, cluster, facts.data().found()));
        findings.addAll(CertificateRules.findings(facts.certificate(), facts.now()));
        findings.addAll(PeerRules.findings(candidate, cluster, facts.contacts()));
        findings.addAll(clocks(facts));
        findings.addAll(space(facts));
        return List.copyOf(findings);
    }

    /**
     * The cluster's findings alone, for a member on a machine of which nothing is known here.
     */
    public static List<EtcdFinding> clusterFindings(Candidate candidate, ClusterFacts cluster) {
        List<EtcdFinding> findings = new ArrayList<>();
        findings.addAll(VoterRules.findings(candidate, cluster));
        if (cluster.health().hasQuorum()) {
            // without a quorum there is no leader, and that was said
            findings.addAll(AgreementRules.leader(cluster));
        }
        findings.addAll(VersionRules.findings(candidate, cluster));
        findings.addAll(DefectRules.findings(candidate, cluster));
        findings.addAll(HealthRules.findings(cluster));
        findings.addAll(MembershipRules.findings(candidate, cluster));
        findings.addAll(AgreementRules.lists(cluster));
        return List.copyOf(findings);
    }

    /**
     * What is not as it should be in a cluster of which nobody is to join or leave: one leader, no
     * alarm, voters that keep up, room, and one list of members.
     */
    public static List<EtcdFinding> healthFindings(ClusterFacts cluster) {
        List<EtcdFinding> findings = new ArrayList<>();
        if (cluster.health().hasQuorum()) {
            findings.addAll(AgreementRules.leader(cluster));
        }
        findings.addAll(HealthRules.findings(cluster));
        findings.addAll(AgreementRules.lists(cluster));
        return List.copyOf(findings);
    }

    private static List<EtcdFinding> clocks(CheckFacts facts) {
        return facts.cluster().members().stream()
                .flatMap(member -> clock(member, facts.contacts().get(member.id())))
                .toList();
    }

    private static Stream<EtcdFinding> clock(Member member, PeerContact contact) {
        return contact instanceof PeerContact.Answered answered
                ? answered
                        .clockAhead()
                        .flatMap(ahead ->
                                ClockRules.finding("etcd member " + member.describe(), ahead))
                        .stream()
                : Stream.empty();
    }

    private static List<EtcdFinding> space(CheckFacts facts) {
        long database = facts.cluster().health().statuses().values().stream()
                .mapToLong(MemberStatus::dbSizeBytes)
                .max()
                .orElse(0);
        CheckFacts.Data data = facts.data();
        return data.freeBytes().isEmpty()
                ? List.of(EtcdFinding.unknown(
                        DISK,
                        "the free space on the disk of " + data.directory(),
                        "the system does not report it"))
                : DiskRules.space(data.directory(), data.freeBytes().getAsLong(), database).stream()
                        .toList();
    }
}
