package io.kjadm.etcd.upgrade;

import static io.kjadm.etcd.Severity.MANDATORY;
import static io.kjadm.etcd.Severity.WARNING;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.BINARY_DOWNGRADE;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.MINOR_SKIPPED;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.MIXED_VERSIONS;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.PATCH_FIRST;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.VERSIONS_APART;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Severity;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Which version may follow which: one minor at a time, from a patch release that has the repairs
 * that the next minor needs, and down only while nobody has written in the newer format.
 */
final class VersionSteps {

    private VersionSteps() {}

    static List<EtcdUpgradeFinding> findings(EtcdUpgradePath.Facts facts) {
        List<EtcdVersion> versions = facts.health().versions();
        if (versions.isEmpty()) {
            return List.of(); // nobody answers, and that was said
        }
        List<EtcdUpgradeFinding> findings = new ArrayList<>();
        spread(facts, versions.getFirst(), versions.getLast()).ifPresent(findings::add);
        Optional<EtcdUpgradeFinding> skipped = skippedMinor(facts, versions.getFirst());
        skipped.ifPresentOrElse(
                findings::add,
                () -> PatchFirst.of(facts.health(), facts.target())
                        .forEach(patch -> findings.add(patchFirst(facts, patch))));
        downgrade(facts).ifPresent(findings::add);
        return findings;
    }

    private static Optional<EtcdUpgradeFinding> spread(
            EtcdUpgradePath.Facts facts, EtcdVersion lowest, EtcdVersion highest) {
        String who = facts.health().versionsByMember();
        if (minors(lowest, highest) > 1) {
            return Optional.of(new EtcdUpgradeFinding(
                    VERSIONS_APART,
                    MANDATORY,
                    "the etcd members are more than one minor apart: " + who,
                    "only neighbouring minors work together",
                    "bring the oldest members to the next minor first"));
        }
        if (minors(lowest, highest) == 1 && minors(highest, facts.target()) < 0) {
            return Optional.of(new EtcdUpgradeFinding(
                    MIXED_VERSIONS,
                    WARNING,
                    "some etcd members are of a newer minor than %s: %s"
                            .formatted(facts.target(), who),
                    "an upgrade was started and not finished",
                    "finish it: this node can be upgraded to the newer minor version as well"));
        }
        return Optional.empty();
    }

    private static Optional<EtcdUpgradeFinding> skippedMinor(
            EtcdUpgradePath.Facts facts, EtcdVersion lowest) {
        // a while after the last member was upgraded the cluster still has its old version
        EtcdVersion base = facts.clusterVersion()
                .filter(version -> minors(version, lowest) > 0)
                .orElse(lowest);
        if (minors(base, facts.target()) <= 1) {
            return Optional.empty();
        }
        return Optional.of(new EtcdUpgradeFinding(
                MINOR_SKIPPED,
                MANDATORY,
                "etcd cannot be upgraded from %s to %s".formatted(minor(base), facts.target()),
                "upgrade one minor version at a time, all members before the next one (%s)"
                        .formatted(facts.health().versionsByMember()),
                "upgrade every member to a release of %d.%d first: 'kjadm etcd upgrade VERSION' on one node after the other"
                        .formatted(base.major(), base.minor() + 1)));
    }

    private static EtcdUpgradeFinding patchFirst(EtcdUpgradePath.Facts facts, PatchFirst patch) {
        EtcdHealth health = facts.health();
        return new EtcdUpgradeFinding(
                PATCH_FIRST,
                severity(facts, patch),
                "before etcd %s these members need a newer patch release: %s"
                        .formatted(
                                facts.target(),
                                patch.members().stream()
                                        .map(member -> member.label() + " "
                                                + health.status(member.id())
                                                        .orElseThrow()
                                                        .version())
                                        .collect(Collectors.joining(", "))),
                patch.why(),
                "upgrade every member to %s or newer first: 'kjadm etcd upgrade VERSION' on one node after the other"
                        .formatted(patch.version()));
    }

    /**
     * Where another program has given a member the next minor too early, it is too late for the
     * others: that this member stays behind helps none of them.
     */
    private static Severity severity(EtcdUpgradePath.Facts facts, PatchFirst patch) {
        boolean ofOthers = facts.own()
                .filter(own ->
                        patch.members().stream().noneMatch(member -> member.id().equals(own)))
                .isPresent();
        return patch.begun() && ofOthers ? WARNING : patch.severity();
    }

    private static Optional<EtcdUpgradeFinding> downgrade(EtcdUpgradePath.Facts facts) {
        List<Member> newer = facts.changing().stream()
                .filter(member -> facts.version(member).compareTo(facts.target()) > 0)
                .toList();
        if (newer.isEmpty()) {
            return Optional.empty();
        }
        String what = "etcd would be downgraded to %s on %s"
                .formatted(
                        facts.target(),
                        newer.stream()
                                .map(member -> member.label() + " from " + facts.version(member))
                                .collect(Collectors.joining(", ")));
        boolean minor = newer.stream()
                .anyMatch(member -> minors(facts.target(), facts.version(member)) > 0);
        if (!minor) {
            return Optional.of(new EtcdUpgradeFinding(
                    BINARY_DOWNGRADE,
                    WARNING,
                    what,
                    "an older patch release reads the same data, and lacks repairs",
                    "set etcd.local.imageTag if the newer one is to stay"));
        }
        boolean risen = facts.clusterVersion()
                .filter(version -> minors(facts.target(), version) <= 0)
                .isEmpty();
        return Optional.of(
                risen
                        ? new EtcdUpgradeFinding(
                                BINARY_DOWNGRADE,
                                MANDATORY,
                                what,
                                "the cluster is of version %s, and an older etcd does not start in it"
                                        .formatted(facts.clusterVersion()
                                                .map(VersionSteps::minor)
                                                .orElse("unknown")),
                                "keep the newer one (etcd.local.imageTag), or downgrade all of etcd first: kjadm etcd downgrade enable "
                                        + minor(facts.target()))
                        : new EtcdUpgradeFinding(
                                BINARY_DOWNGRADE,
                                WARNING,
                                what,
                                "that is allowed while another member runs the older minor",
                                "set etcd.local.imageTag if the newer one is to stay"));
    }

    /** How many minors lie between; negative if the second is older. */
    static int minors(EtcdVersion from, EtcdVersion to) {
        return (to.major() - from.major()) * 1000 + to.minor() - from.minor();
    }

    static String minor(EtcdVersion version) {
        return version.major() + "." + version.minor();
    }
}
