package io.kjadm.etcd.upgrade;

import static io.kjadm.etcd.Severity.MANDATORY;
import static io.kjadm.etcd.Severity.WARNING;
import static io.kjadm.etcd.upgrade.EtcdUpgradeFinding.Rule.V2_CONTENT;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Severity;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * etcd 3.6 does not start with keys of the API of version 2 (etcd#20809, etcd#21849), and 3.7 ends
 * when it reads a request of that API in its log, as etcd 3.5 wrote them (etcd#21263).
 */
final class V2ContentRule {

    private static final String IN_LOG =
            "restart each member with --snapshot-count=1, write a few keys, remove the flag again, and check once more; if those keys are no longer needed, start 3.6 with --v2-deprecation=write-only-skip-check (3.5.32, 3.6.13 and newer)";
    private static final String IN_STORE =
            "delete the keys with an etcdctl of 3.5 (ETCDCTL_API=2 etcdctl rm --recursive), then check once more";

    private static final String REQUESTS =
            "wait until this member has taken a snapshot of its log, every 10,000 writes (--snapshot-count); or restart it with --snapshot-count=1, write a few keys, and remove the flag again";

    private V2ContentRule() {}

    static List<EtcdUpgradeFinding> findings(EtcdUpgradePath.Facts facts) {
        List<EtcdUpgradeFinding> findings = new ArrayList<>(content(facts));
        findings.addAll(requests(facts));
        return findings;
    }

    private static List<EtcdUpgradeFinding> requests(EtcdUpgradePath.Facts facts) {
        return VersionGates.shipped().steps().stream()
                .filter(VersionGates.Step::refusesV2Requests)
                .filter(step -> VersionSteps.minors(step.minor(), facts.target()) >= 0)
                .flatMap(step -> facts.changing().stream()
                        .filter(member ->
                                VersionSteps.minors(facts.version(member), step.minor()) == 1)
                        .flatMap(member -> requests(facts, member, step).stream()))
                .toList();
    }

    private static Optional<EtcdUpgradeFinding> requests(
            EtcdUpgradePath.Facts facts, Member member, VersionGates.Step step) {
        String minor = VersionSteps.minor(step.minor());
        return Optional.ofNullable(facts.v2Content().get(member.id()))
                .flatMap(content -> switch (content) {
                    case NONE, IN_STORE -> Optional.empty();
                    case UNKNOWN ->
                        Optional.of(finding(
                                WARNING,
                                "whether the log of etcd member %s has requests of etcd 3.5 is not known"
                                        .formatted(member.describe()),
                                "etcd %s exits when it reads one; the member is then rolled back to its previous version"
                                        .formatted(minor),
                                REQUESTS));
                    case IN_LOG, IN_BOTH ->
                        Optional.of(finding(
                                MANDATORY,
                                "the log of etcd member %s still has requests that etcd 3.5 wrote"
                                        .formatted(member.describe()),
                                "etcd %s exits when it reads them".formatted(minor),
                                REQUESTS));
                });
    }

    private static List<EtcdUpgradeFinding> content(EtcdUpgradePath.Facts facts) {
        Optional<VersionGates.Step> refusing = VersionGates.shipped().steps().stream()
                .filter(VersionGates.Step::refusesV2)
                .filter(step -> VersionSteps.minors(step.minor(), facts.target()) >= 0)
                .findFirst();
        if (refusing.isEmpty()) {
            return List.of();
        }
        List<Member> changing = facts.changing().stream()
                .filter(member ->
                        VersionSteps.minors(refusing.get().minor(), facts.version(member)) < 0)
                .toList();
        List<EtcdUpgradeFinding> findings = new ArrayList<>();
        for (Member member : changing) {
            switch (facts.v2Content().getOrDefault(member.id(), V2Content.UNKNOWN)) {
                case NONE, UNKNOWN -> {}
                case IN_STORE -> findings.add(found(member, "in its store", IN_STORE));
                case IN_LOG -> findings.add(found(member, "in its log", IN_LOG));
                case IN_BOTH ->
                    findings.add(found(
                            member, "in its store and its log", IN_STORE + "; then " + IN_LOG));
            }
        }
        unknown(facts, changing).ifPresent(findings::add);
        return findings;
    }

    /** What is in one member's store is in that of every other. */
    private static Optional<EtcdUpgradeFinding> unknown(
            EtcdUpgradePath.Facts facts, List<Member> changing) {
        boolean known = changing.isEmpty()
                || facts.v2Content().values().stream()
                        .anyMatch(content -> content != V2Content.UNKNOWN);
        return known
                ? Optional.empty()
                : Optional.of(
                        finding(
                                WARNING,
                                "whether etcd has keys of its API of version 2 is not known",
                                "etcd 3.6 does not start with them; Kubernetes writes none",
                                "if other programs use this etcd, run etcdutl check v2store --data-dir /var/lib/etcd"));
    }

    private static EtcdUpgradeFinding found(Member member, String where, String next) {
        return finding(
                MANDATORY,
                "etcd member %s has keys of etcd's API of version 2 %s"
                        .formatted(member.describe(), where),
                "etcd 3.6 does not start with them",
                next);
    }

    private static EtcdUpgradeFinding finding(
            Severity severity, String what, String why, String next) {
        return new EtcdUpgradeFinding(V2_CONTENT, severity, new Problem(what, why, next));
    }
}
