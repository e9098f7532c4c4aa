package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.EtcdRule.DEFECTS;
import static io.kjadm.etcd.check.EtcdRule.VERSION;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.check.KnownDefects.Affected;
import io.kjadm.etcd.check.KnownDefects.AtJoin;
import io.kjadm.etcd.check.KnownDefects.Defect;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The known defects of the members' versions that this join can meet. The status and the checks
 * before an upgrade report the others: at every join they would be noise.
 */
final class DefectRules {

    private DefectRules() {}

    static List<EtcdFinding> findings(Candidate candidate, ClusterFacts facts) {
        EtcdHealth health = facts.health();
        List<EtcdFinding> findings = new ArrayList<>();
        if (candidate.learner()) {
            List<Affected> refused = affected(health, defect -> defect.atJoin() == AtJoin.REFUSED);
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
