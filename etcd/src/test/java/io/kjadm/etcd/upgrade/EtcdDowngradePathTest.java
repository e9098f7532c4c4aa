package io.kjadm.etcd.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.EtcdVersion;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

class EtcdDowngradePathTest {

    private Cluster cluster = Cluster.of("3.6.14", "3.6.14", "3.6.14");
    private String target = "3.5.30";

    private EtcdDowngradePathTest() {
        storage("3.6.0");
    }

    private void storage(String version) {
        cluster.nodes.forEach(node -> node.storage = Optional.of(EtcdVersion.parse(version)));
    }

    private void enabled(String version) {
        cluster.nodes.forEach(node -> {
            node.downgrading = true;
            node.downgradeTarget = Optional.of(EtcdVersion.parse(version));
        });
    }

    private EtcdUpgradePath.Facts facts() {
        return new EtcdUpgradePath.Facts(
                cluster.facts(),
                EtcdVersion.parse(target),
                Optional.of(cluster.node(2).member.id()),
                Map.of());
    }

    /** All but the known defects of these releases, which have a test of their own. */
    private static String told(List<EtcdUpgradeFinding> findings) {
        return findings.stream()
                .filter(finding -> finding.rule() != EtcdUpgradeFinding.Rule.KNOWN_DEFECTS)
                .map(finding -> finding.rule() + " " + finding.severity())
                .collect(Collectors.joining(", "));
    }

    private String ofCluster() {
        return told(EtcdDowngradePath.ofCluster(facts()));
    }

    private String ofMember() {
        return told(EtcdDowngradePath.ofMember(facts()));
    }

    @Test
    void aHealthyClusterOfTheNextMinorMayBeToldToGoDown() {
        assertEquals("", ofCluster());
    }

    @ParameterizedTest
    @CsvSource({"3.4.39", "3.5.16", "3.5.25", "3.7.1"})
    void thereIsNoWayToSuchAVersion(String version) {
        target = version;
        assertEquals("DOWNGRADE_TARGET MANDATORY", ofCluster());
    }

    @Test
    void itBeginsWhereAllMembersAreOfTheMinorAbove() {
        cluster.node(3).version = EtcdVersion.parse("3.5.30");
        assertEquals("DOWNGRADE_TARGET MANDATORY", ofCluster());
        cluster = Cluster.of("3.7.1", "3.7.1", "3.7.1");
        assertEquals("DOWNGRADE_TARGET MANDATORY", ofCluster());
    }

    @Test
    void aSilentVoterALearnerAndAnotherDowngradeStopIt() {
        cluster.node(3).silence = "connection refused";
        cluster.add("3.6.14", true);
        enabled("3.4.0");
        assertEquals(
                "VOTERS MANDATORY, LEARNERS MANDATORY, DOWNGRADE_PENDING MANDATORY", ofCluster());
    }

    @Test
    void aMemberFollowsOnceTheDataAreInTheOlderFormat() {
        assertEquals("DOWNGRADE_ENABLED MANDATORY", ofMember());
        enabled("3.5.0");
        assertEquals("STORAGE_VERSION MANDATORY", ofMember());
        storage("3.5.0");
        cluster.node(3).storage = Optional.of(EtcdVersion.parse("3.6.0"));
        assertEquals("STORAGE_VERSION MANDATORY", ofMember());
        storage("3.5.0");
        assertEquals("", ofMember());
        target = "3.5.16";
        assertEquals("DOWNGRADE_TARGET MANDATORY", ofMember());
    }

    @Test
    void theLastOneFollowsThoughTheOthersTellNothingOfIt() {
        cluster = Cluster.of("3.5.30", "3.6.14", "3.5.30");
        enabled("3.5.0");
        cluster.node(2).storage = Optional.of(EtcdVersion.parse("3.5.0"));
        assertEquals("", ofMember());
    }

    @Test
    void anotherDowngradeStopsAMember() {
        enabled("3.4.0");
        storage("3.5.0");
        assertEquals("DOWNGRADE_PENDING MANDATORY", ofMember());
    }
}
