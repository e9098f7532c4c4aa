package io.kjadm.etcd.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Severity;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What is told of defects before a version is changed, up and down. */
class KnownDefectsRuleTest {

    private static List<Problem> told(Cluster cluster, String target, Optional<MemberId> own) {
        EtcdUpgradePath.Facts facts = new EtcdUpgradePath.Facts(
                cluster.facts(), EtcdVersion.parse(target), own, Map.of());
        List<EtcdUpgradeFinding> up = of(EtcdUpgradePath.findings(facts));
        assertEquals(up, of(EtcdDowngradePath.ofMember(facts)));
        up.forEach(finding -> assertEquals(Severity.WARNING, finding.severity()));
        return up.stream().map(EtcdUpgradeFinding::problem).toList();
    }

    private static List<EtcdUpgradeFinding> of(List<EtcdUpgradeFinding> findings) {
        return findings.stream()
                .filter(finding -> finding.rule() == EtcdUpgradeFinding.Rule.KNOWN_DEFECTS)
                .toList();
    }

    private static List<Problem> told(Cluster cluster, String target) {
        return told(cluster, target, Optional.empty());
    }

    /** The versions of whose defects it tells, and the members that have them. */
    private static List<String> versions(Problem problem) {
        return Stream.of(problem.why().split("\\. "))
                .map(version -> version.substring(0, version.indexOf(": ")))
                .toList();
    }

    @Test
    void aTargetThatRepairsEverythingIsTheAdvice() {
        List<Problem> told = told(Cluster.of("3.6.8", "3.6.8", "3.6.14"), "3.6.14");
        assertEquals(1, told.size(), told::toString);
        assertEquals(List.of("etcd 3.6.8 (cp-1, cp-2)"), versions(told.getFirst()));
        assertEquals("etcd 3.6.14 has none of them", told.getFirst().next());
    }

    @Test
    void aTargetWithADefectIsToldWithTheReleaseThatRepairsIt() {
        List<Problem> told = told(Cluster.of("3.6.14", "3.6.14", "3.6.14"), "3.7.0");
        assertEquals(1, told.size(), told::toString);
        assertEquals(List.of("etcd 3.7.0"), versions(told.getFirst()));
        assertEquals(
                "upgrade to 3.7.1 or newer: 'kjadm etcd upgrade 3.7.1'",
                told.getFirst().next());
    }

    @Test
    void bothAreToldWhereBothHaveDefects() {
        assertEquals(2, told(Cluster.of("3.6.8", "3.6.8", "3.6.8"), "3.7.0").size());
    }

    @Test
    void aVersionThatMembersHaveAlreadyIsToldOnce() {
        List<Problem> told = told(Cluster.of("3.6.8", "3.6.11", "3.6.8"), "3.6.11");
        assertEquals(1, told.size(), told::toString);
        assertEquals(
                List.of("etcd 3.6.8 (cp-1, cp-3)", "etcd 3.6.11 (cp-2)"),
                versions(told.getFirst()));
        assertEquals(
                "upgrade to 3.6.14 or newer: 'kjadm etcd upgrade 3.6.14'",
                told.getFirst().next());
    }

    @Test
    void rightBeforeAMemberIsExchangedOnlyWhatItGetsIsTold() {
        Cluster cluster = Cluster.of("3.6.8", "3.6.8", "3.6.8");
        Optional<MemberId> own = Optional.of(cluster.node(2).member.id());
        assertEquals(List.of(), told(cluster, "3.6.14", own));
        assertEquals(1, told(cluster, "3.7.0", own).size());
    }

    @Test
    void nothingIsToldOfReleasesWithoutKnownDefects() {
        assertEquals(List.of(), told(Cluster.of("3.6.14", "3.6.14", "3.6.14"), "3.7.1"));
        assertEquals(List.of(), told(Cluster.of("3.7.1", "3.7.1", "3.7.1"), "3.8.0"));
    }
}
