package io.kjadm.etcd.upgrade;

import static io.kjadm.etcd.Severity.WARNING;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.KNOWN_DEFECTS;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.check.KnownDefects;
import io.kjadm.etcd.check.KnownDefects.Affected;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The known defects of the versions that the members have, and of the one that they get. */
final class KnownDefectsRule {

    private KnownDefectsRule() {}

    /**
     * One finding for the members and one for the target; neither stops. Right before a member is
     * exchanged only what it gets matters.
     */
    static List<EtcdUpgradeFinding> findings(EtcdUpgradePath.Facts facts) {
        List<EtcdUpgradeFinding> findings = new ArrayList<>();
        Optional<Affected> coming = KnownDefects.shipped().of(facts.target());
        if (facts.own().isEmpty()) {
            List<Affected> present = KnownDefects.shipped().of(facts.health());
            if (!present.isEmpty()) {
                findings.add(ofMembers(present, facts.target(), coming.isEmpty()));
            }
        }
        boolean runs = facts.changing().stream()
                .anyMatch(member -> facts.version(member).equals(facts.target()));
        coming.filter(_ -> !runs).map(KnownDefectsRule::ofTarget).ifPresent(findings::add);
        return findings;
    }

    private static EtcdUpgradeFinding ofMembers(
            List<Affected> present, EtcdVersion target, boolean repairs) {
        String stays = present.stream()
                .filter(one -> one.version().equals(target))
                .map(Affected::advice)
                .collect(Collectors.joining());
        return finding(
                "the versions of the etcd members have known defects",
                present.stream().map(Affected::text).collect(Collectors.joining(". ")),
                repairs ? "etcd %s has none of them".formatted(target) : stays);
    }

    private static EtcdUpgradeFinding ofTarget(Affected coming) {
        return finding(
                "the version that the etcd members get has known defects",
                coming.text(),
                coming.advice());
    }

    private static EtcdUpgradeFinding finding(String what, String why, String next) {
        return new EtcdUpgradeFinding(KNOWN_DEFECTS, WARNING, new Problem(what, why, next));
    }
}
