package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.EtcdRule.CERTIFICATE;
import static io.kjadm.etcd.check.EtcdRule.CLOCK;
import static io.kjadm.etcd.check.EtcdRule.DEFECTS;
import static io.kjadm.etcd.check.EtcdRule.DISK;
import static io.kjadm.etcd.check.EtcdRule.VERSION;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.check.KnownDefects.Affected;
import io.kjadm.etcd.check.KnownDefects.AtJoin;
import io.kjadm.etcd.check.KnownDefects.Defect;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
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

    /**
     * The known defects of the members' versions that this join can meet. The status and the checks
     * before an upgrade report the others: at every join they would be noise.
     */
    private static final class DefectRules {

        private DefectRules() {}

        static List<EtcdFinding> findings(Candidate candidate, ClusterFacts facts) {
            EtcdHealth health = facts.health();
            List<EtcdFinding> findings = new ArrayList<>();
            if (candidate.learner()) {
                List<Affected> refused =
                        affected(health, defect -> defect.atJoin() == AtJoin.REFUSED);
                if (!refused.isEmpty()) {
                    findings.add(
                            EtcdFinding.error(
                                    VERSION,
                                    text(refused)
                                            + " before this join; if that happens before etcd 3.6 anyway, ignore this"));
                }
            }
            List<Affected> warned = affected(health, defect -> switch (defect.atJoin()) {
                case NOT_REPORTED, REFUSED -> false;
                case LEARNER -> !health.learners().isEmpty();
                case WARNED -> candidate.learner();
            });
            if (!warned.isEmpty()) {
                findings.add(EtcdFinding.warning(DEFECTS, text(warned)));
            }
            return findings;
        }

        private static List<Affected> affected(EtcdHealth health, Predicate<Defect> matters) {
            return KnownDefects.shipped().of(health, matters);
        }

        private static String text(List<Affected> affected) {
            return affected.stream()
                    .map(one -> one.text() + "; " + one.advice())
                    .collect(Collectors.joining(". "));
        }
    }

    /** What can be told of the peer certificate without asking anybody. */
    private static final class CertificateRules {

        private CertificateRules() {}

        static List<EtcdFinding> findings(PeerCertificate certificate, Instant now) {
            return switch (certificate) {
                case PeerCertificate.Unusable(String why) ->
                    List.of(
                            EtcdFinding.error(
                                    CERTIFICATE,
                                    why
                                            + "; replace it, or remove certificate and key to generate them again"));
                case PeerCertificate.Readable readable -> readable(readable, now);
            };
        }

        private static List<EtcdFinding> readable(PeerCertificate.Readable peer, Instant now) {
            List<EtcdFinding> findings = new ArrayList<>();
            if (!peer.signedByCa()) {
                findings.add(fault(
                        peer,
                        "is not signed by the etcd CA on this node (%s)"
                                .formatted(peer.caFingerprint())));
            }
            if (!peer.fitsKey()) {
                findings.add(fault(peer, "does not belong to the key next to it"));
            }
            if (now.isAfter(peer.validity().notAfter())) {
                findings.add(
                        fault(peer, "or its CA expired at " + peer.validity().notAfter()));
            }
            if (now.isBefore(peer.validity().notBefore())) {
                findings.add(EtcdFinding.error(
                        CLOCK,
                        ("the certificate %s or its CA is valid from %s on, and this machine's clock shows %s:"
                                        + " set the clocks (chrony, ntpd), or wait")
                                .formatted(peer.file(), peer.validity().notBefore(), now)));
            }
            if (!peer.missingUsages().isEmpty()) {
                findings.add(fault(
                        peer,
                        "lacks the extended key usage %s; members are servers and clients to each other"
                                .formatted(String.join(" and ", peer.missingUsages()))));
            }
            if (!peer.missingNames().isEmpty()) {
                findings.add(fault(
                        peer,
                        "is not valid for %s, which other members know this node by"
                                .formatted(String.join(", ", peer.missingNames()))));
            }
            return findings;
        }

        private static EtcdFinding fault(PeerCertificate.Readable peer, String what) {
            return EtcdFinding.error(
                    CERTIFICATE,
                    "the certificate %s %s; replace it, or remove it and its key to generate them again"
                            .formatted(peer.file(), what));
        }
    }
}
