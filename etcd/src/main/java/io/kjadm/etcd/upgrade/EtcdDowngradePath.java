package io.kjadm.etcd.upgrade;

import static io.kjadm.etcd.Severity.MANDATORY;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.DOWNGRADE_ENABLED;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.DOWNGRADE_PENDING;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.DOWNGRADE_TARGET;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.STORAGE_VERSION;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Problem;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Whether a cluster may go down to the minor before, by the way that etcd has for it since 3.6: the
 * cluster is told, writes its data in the older format, and then its members are exchanged
 * ({@code https://etcd.io/docs/v3.6/downgrades/downgrade_3_6/}). The target of the facts is the
 * lower version.
 */
public final class EtcdDowngradePath {

    private EtcdDowngradePath() {}

    /** What stands in the way of telling the cluster to go down. */
    public static List<EtcdUpgradeFinding> ofCluster(EtcdUpgradePath.Facts facts) {
        List<EtcdUpgradeFinding> findings =
                new ArrayList<>(EtcdUpgradePath.condition(facts.cluster()));
        Optional<EtcdUpgradeFinding> target = target(facts);
        target.or(() -> tooOld(facts)).ifPresent(findings::add);
        otherDowngrade(facts).ifPresent(findings::add);
        return List.copyOf(findings);
    }

    /** What stands in the way of giving a member of that cluster the lower version. */
    public static List<EtcdUpgradeFinding> ofMember(EtcdUpgradePath.Facts facts) {
        List<EtcdUpgradeFinding> findings =
                new ArrayList<>(EtcdUpgradePath.condition(facts.cluster()));
        target(facts).ifPresent(findings::add);
        otherDowngrade(facts).or(() -> notSunk(facts)).ifPresent(findings::add);
        findings.addAll(KnownDefectsRule.findings(facts));
        return List.copyOf(findings);
    }

    /** The way down to a minor belongs to the step that leads up from it. */
    private static Optional<EtcdUpgradeFinding> target(EtcdUpgradePath.Facts facts) {
        EtcdVersion target = facts.target();
        Optional<VersionGates.Minimum> least = VersionGates.shipped()
                .into(new EtcdVersion(target.major(), target.minor() + 1, 0))
                .flatMap(VersionGates.Step::downgradeTo);
        if (least.isEmpty()) {
            return Optional.of(finding(
                    DOWNGRADE_TARGET,
                    "etcd cannot be downgraded to " + VersionSteps.minor(target),
                    "members older than 3.5, or of minor versions that are not known yet, cannot be downgraded",
                    "downgrade one minor version at a time, to 3.5 at the lowest"));
        }
        return least.filter(minimum -> target.compareTo(minimum.version()) < 0)
                .map(minimum -> finding(
                        DOWNGRADE_TARGET,
                        "etcd %s is too old to downgrade to".formatted(target),
                        minimum.why(),
                        "downgrade to %s or a newer release of its minor version"
                                .formatted(minimum.version())));
    }

    private static Optional<EtcdUpgradeFinding> tooOld(EtcdUpgradePath.Facts facts) {
        EtcdHealth health = facts.health();
        String others = health.members().stream()
                .filter(member -> health.status(member.id())
                        .filter(status ->
                                VersionSteps.minors(facts.target(), status.version()) != 1)
                        .isPresent())
                .map(member -> member.label() + " " + facts.version(member))
                .collect(Collectors.joining(", "));
        return others.isEmpty()
                ? Optional.empty()
                : Optional.of(finding(
                        DOWNGRADE_TARGET,
                        "etcd cannot be downgraded to %s now: %s"
                                .formatted(VersionSteps.minor(facts.target()), others),
                        "a downgrade starts with every member on the next higher minor version",
                        "bring all members to that minor version first; see 'kjadm etcd status'"));
    }

    private static Optional<EtcdUpgradeFinding> otherDowngrade(EtcdUpgradePath.Facts facts) {
        return facts.health().statuses().values().stream()
                .map(MemberStatus::versions)
                .flatMap(versions -> versions.downgradeTarget().stream())
                .filter(to -> VersionSteps.minors(to, facts.target()) != 0)
                .findFirst()
                .map(to -> finding(
                        DOWNGRADE_PENDING,
                        "a downgrade is in progress, to etcd " + VersionSteps.minor(to),
                        "one downgrade at a time",
                        "finish it, or cancel it (kjadm etcd downgrade cancel)"));
    }

    /**
     * As long as a member writes in the newer format the older etcd does not start with its data. A
     * cluster that never had the newer version needs no telling.
     */
    private static Optional<EtcdUpgradeFinding> notSunk(EtcdUpgradePath.Facts facts) {
        // what members of 3.5 do not tell, those of 3.6 do
        boolean low = facts.clusterVersion()
                .filter(version -> VersionSteps.minors(facts.target(), version) <= 0)
                .isPresent();
        if (low) {
            return Optional.empty();
        }
        String minor = VersionSteps.minor(facts.target());
        if (facts.health().downgradeUnderWay().isEmpty()) {
            return Optional.of(finding(
                    DOWNGRADE_ENABLED,
                    "no downgrade is enabled, to etcd " + minor,
                    "the cluster is of version %s, and an older etcd does not start in it"
                            .formatted(facts.clusterVersion()
                                    .map(VersionSteps::minor)
                                    .orElse("unknown")),
                    "run 'kjadm etcd downgrade enable %s' first".formatted(minor)));
        }
        return Optional.of(finding(
                STORAGE_VERSION,
                "not every member uses the storage format of %s yet: %s"
                        .formatted(minor, storage(facts.health())),
                "the older etcd would not start with its data",
                "wait a moment, then run the same command again"));
    }

    private static String storage(EtcdHealth health) {
        return health.members().stream()
                .map(member -> member.label() + " "
                        + health.status(member.id())
                                .flatMap(status -> status.versions().storage())
                                .map(VersionSteps::minor)
                                .orElse("unknown"))
                .collect(Collectors.joining(", "));
    }

    private static EtcdUpgradeFinding finding(
            EtcdUpgradeFinding.Rule rule, String what, String why, String next) {
        return new EtcdUpgradeFinding(rule, MANDATORY, new Problem(what, why, next));
    }
}
