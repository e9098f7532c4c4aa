package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.EtcdRule.DOWNGRADE;
import static io.kjadm.etcd.check.EtcdRule.LEARNERS;
import static io.kjadm.etcd.check.EtcdRule.VERSION;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Problem;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Learners are known, the versions are near each other, none is too old.
 */
final class VersionRules {

    /** The last 3.4 without the health endpoints and several repairs of learners. */
    private static final EtcdVersion GOOD_3_4 = new EtcdVersion(3, 4, 29);

    private VersionRules() {}

    static List<EtcdFinding> findings(Candidate candidate, ClusterFacts facts) {
        EtcdHealth health = facts.health();
        List<EtcdFinding> findings = new ArrayList<>();
        List<EtcdVersion> versions = health.versions();
        Optional<Problem> tooOld =
                candidate.learner() ? health.learnersUnknown() : Optional.empty();
        tooOld.ifPresent(
                obstacle -> findings.add(EtcdFinding.error(LEARNERS, obstacle.toString())));
        health.downgradeUnderWay()
                .ifPresent(obstacle ->
                        findings.add(EtcdFinding.error(DOWNGRADE, obstacle.toString())));
        if (versions.isEmpty()) {
            return findings;
        }
        if (tooOld.isEmpty()) {
            age(health, versions.getFirst(), findings);
        }
        if (versions.stream().map(VersionRules::minor).distinct().count() > 1) {
            findings.add(mixed(candidate, health));
        } else if (tooOld.isEmpty()) {
            newer(candidate, versions.getFirst(), findings);
        }
        distance(candidate, versions.getFirst(), findings);
        return findings;
    }

    /**
     * It works with the lowest features, and how far the upgrade has come is seen by nobody but the
     * operator.
     */
    private static EtcdFinding mixed(Candidate candidate, EtcdHealth health) {
        String what = "the etcd members run different minor versions (%s): "
                .formatted(health.versionsByMember());
        return candidate.granted().allowMixed()
                ? EtcdFinding.warning(
                        VERSION, what + "with --allow-mixed another member joins anyway")
                : EtcdFinding.error(
                        VERSION,
                        what
                                + "finish the upgrade before another member joins. To join during the"
                                + " upgrade, for example to replace machines one by one, give --allow-mixed");
    }

    /** etcd takes it, as in the middle of an upgrade; whoever joins next learns of it. */
    private static void newer(
            Candidate candidate, EtcdVersion cluster, List<EtcdFinding> findings) {
        candidate
                .version()
                .filter(own -> own.major() == cluster.major() && own.minor() == cluster.minor() + 1)
                .ifPresent(own -> findings.add(EtcdFinding.warning(
                        VERSION,
                        "with etcd %s this member begins an upgrade from %s: no other joins before all members are upgraded"
                                .formatted(own, minor(cluster)))));
    }

    private static void age(EtcdHealth health, EtcdVersion oldest, List<EtcdFinding> findings) {
        if (oldest.compareTo(GOOD_3_4) < 0) {
            findings.add(EtcdFinding.warning(
                    VERSION,
                    ("etcd before 3.4.29 has defects with learners and restarts that later versions do"
                                    + " not have (%s): upgrade etcd")
                            .formatted(health.versionsByMember())));
        } else if (!oldest.atLeast(3, 5)) {
            findings.add(EtcdFinding.warning(
                    VERSION,
                    ("etcd 3.4 is no longer maintained, and its member list is not linearizable:"
                                    + " a change may show late (%s): upgrade etcd")
                            .formatted(health.versionsByMember())));
        }
    }

    /** etcd itself takes any newer minor; only neighbours are tested and supported together. */
    private static void distance(
            Candidate candidate, EtcdVersion cluster, List<EtcdFinding> findings) {
        if (candidate.version().isEmpty()) {
            findings.add(EtcdFinding.unknown(
                    VERSION, "the version of this node's etcd", "the image tag is not a version"));
            return;
        }
        EtcdVersion own = candidate.version().get();
        if (own.major() == cluster.major()
                && own.minor() - cluster.minor() >= 0
                && own.minor() - cluster.minor() <= 1) {
            return;
        }
        boolean older = own.compareTo(cluster) < 0;
        findings.add(EtcdFinding.error(
                VERSION,
                ("this node would run etcd %s in a cluster of version %s: %s; use %s or the next minor version"
                                + " (etcd.local.imageTag; --version of 'kjadm etcd join'), or %s")
                        .formatted(
                                own,
                                minor(cluster),
                                older
                                        ? "an older server does not start there"
                                        : "only neighbouring minor versions work together",
                                minor(cluster),
                                older
                                        ? "finish the upgrade of this node's configuration"
                                        : "upgrade the cluster's etcd first")));
    }

    private static String minor(EtcdVersion version) {
        return version.major() + "." + version.minor();
    }
}
