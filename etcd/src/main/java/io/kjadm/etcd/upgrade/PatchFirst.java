package io.kjadm.etcd.upgrade;

import static io.kjadm.etcd.Severity.MANDATORY;
import static io.kjadm.etcd.Severity.SKIPPABLE;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Severity;
import io.kjadm.etcd.upgrade.VersionGates.Minimum;
import io.kjadm.etcd.upgrade.VersionGates.Step;

import java.util.List;
import java.util.Optional;

/**
 * The members that need a newer patch release of their minor before the first one gets the next
 * minor ({@code https://etcd.io/docs/v3.7/upgrades/upgrade_3_7/}).
 *
 * @param version  the patch release that they need, at least
 * @param why      etcd's reason
 * @param severity whether etcd requires it, or advises it
 * @param members  that are older, the leader last
 * @param begun    whether another member has the next minor already
 */
public record PatchFirst(
        EtcdVersion version, String why, Severity severity, List<Member> members, boolean begun) {

    public PatchFirst {
        members = List.copyOf(members);
    }

    /** On the way to a version; empty if every member that answers is new enough. */
    public static List<PatchFirst> of(EtcdHealth health, EtcdVersion target) {
        return VersionGates.shipped().steps().stream()
                .filter(step -> VersionSteps.minors(step.minor(), target) >= 0)
                .flatMap(step -> of(health, step).stream())
                .toList();
    }

    private static Optional<PatchFirst> of(EtcdHealth health, Step step) {
        return step.advised()
                .or(step::required)
                .map(Minimum::version)
                .flatMap(least -> step.required()
                        .flatMap(required -> of(health, step, required, MANDATORY, least))
                        .or(() -> step.advised()
                                .flatMap(advised -> of(health, step, advised, SKIPPABLE, least))));
    }

    private static Optional<PatchFirst> of(
            EtcdHealth health, Step step, Minimum minimum, Severity severity, EtcdVersion least) {
        List<Member> older =
                health.leaderLast(member -> isOlder(health, member, minimum.version()));
        boolean begun = health.versions().stream()
                .anyMatch(version -> VersionSteps.minors(step.minor(), version) >= 0);
        return older.isEmpty()
                ? Optional.empty()
                : Optional.of(new PatchFirst(least, minimum.why(), severity, older, begun));
    }

    /** Of the same minor, and older; a silent member is not known to be. */
    private static boolean isOlder(EtcdHealth health, Member member, EtcdVersion wanted) {
        return health.status(member.id())
                .filter(status -> VersionSteps.minors(status.version(), wanted) == 0
                        && status.version().compareTo(wanted) < 0)
                .isPresent();
    }
}
