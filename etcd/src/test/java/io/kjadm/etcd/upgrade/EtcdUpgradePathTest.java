package io.kjadm.etcd.upgrade;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

class EtcdUpgradePathTest {

    private Cluster cluster = Cluster.of("3.6.11", "3.6.11", "3.6.11");
    private String target = "3.6.13";
    private Optional<MemberId> own = Optional.empty();
    private final Map<MemberId, V2Content> v2 = new HashMap<>();

    /** All but the known defects of these releases, which have a test of their own. */
    private List<EtcdUpgradeFinding> findings() {
        return EtcdUpgradePath.findings(new EtcdUpgradePath.Facts(
                        cluster.facts(), EtcdVersion.parse(target), own, v2))
                .stream()
                .filter(finding -> finding.rule() != EtcdUpgradeFinding.Rule.KNOWN_DEFECTS)
                .toList();
    }

    private String told() {
        return findings().stream()
                .map(finding -> finding.rule() + " " + finding.severity())
                .collect(Collectors.joining(", "));
    }

    private String text() {
        return findings().stream()
                .map(finding -> finding.problem().toString())
                .collect(Collectors.joining("\n"));
    }

    private void noV2Content() {
        cluster.members().forEach(member -> v2.put(member.id(), V2Content.NONE));
    }

    // ---- the cluster's condition

    @Test
    void aHealthyClusterMayGo() {
        assertEquals("", told());
    }

    @Test
    void aSilentVoterStopsIt() {
        cluster.node(3).silence = "connection refused";
        assertEquals("VOTERS MANDATORY", told());
        assertEquals(Set.of("cp-3"), Named.members(text()));
    }

    @Test
    void aVoterWithoutALeaderStopsIt() {
        cluster.node(3).leader = MemberId.NONE;
        assertEquals("VOTERS MANDATORY", told());
    }

    @Test
    void fewVotersPauseAtARestart() {
        cluster = Cluster.of("3.6.11");
        assertEquals("QUORUM_MARGIN WARNING", told());
        cluster = Cluster.of("3.6.11", "3.6.11");
        assertEquals("QUORUM_MARGIN WARNING", told());
    }

    @Test
    void aLearnerStopsIt() {
        cluster.add("3.6.11", true);
        assertEquals("LEARNERS MANDATORY", told());
        assertEquals(Set.of("cp-4"), Named.members(text()));
    }

    @Test
    void anAlarmStopsIt() {
        cluster.node(2).errors = List.of("alarm:NOSPACE ");
        assertEquals("ALARMS MANDATORY", told());
    }

    @Test
    void aVoterThatIsFarBehindStopsItUnlessSkipped() {
        cluster.node(2).applied = -6_000;
        assertEquals("LAG SKIPPABLE", told());
        cluster.node(2).applied = -1_500;
        assertEquals("LAG WARNING", told());
    }

    @Test
    void twoLeadersStopIt() {
        cluster.node(3).leader = new MemberId(3);
        assertEquals("LEADER MANDATORY", told());
    }

    @Test
    void aRemovedMemberThatIsStillListedSomewhereStopsIt() {
        List<io.kjadm.etcd.Member> before = cluster.members();
        cluster.nodes.removeLast();
        cluster.node(2).local = Optional.of(before);
        assertEquals("QUORUM_MARGIN WARNING, MEMBER_LISTS MANDATORY", told());
    }

    @Test
    void aDowngradeUnderWayStopsIt() {
        cluster.node(1).downgrading = true;
        assertEquals("DOWNGRADE_PENDING MANDATORY", told());
    }

    // ---- versions

    @ParameterizedTest(name = "{0} to {1}: {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                // the last patch before 3.6
                "3.5.25 3.5.25 3.5.25 | 3.6.8-0 | PATCH_FIRST MANDATORY",
                "3.5.26 3.5.26 3.5.26 | 3.6.8-0 | PATCH_FIRST SKIPPABLE",
                "3.5.31 3.5.32 3.5.32 | 3.6.8-0 | PATCH_FIRST SKIPPABLE",
                "3.5.32 3.5.32 3.5.32 | 3.6.8-0 | ''",
                "3.5.19 3.5.32 3.5.32 | 3.6.8-0 | PATCH_FIRST MANDATORY",
                // under way: the rest is judged again
                "3.6.8 3.5.32 3.5.32 | 3.6.8-0 | ''",
                "3.6.8 3.5.30 3.5.32 | 3.6.8-0 | PATCH_FIRST SKIPPABLE",
                "3.6.8 3.5.25 3.6.8 | 3.6.8-0 | PATCH_FIRST MANDATORY",
                // within a minor
                "3.5.16 3.5.16 3.5.16 | 3.5.32 | ''",
                "3.6.0 3.6.8 3.6.8 | 3.6.8-0 | ''",
                // the last patch before 3.7
                "3.6.10 3.6.11 3.6.11 | 3.7.0 | PATCH_FIRST MANDATORY",
                "3.6.11 3.6.11 3.6.11 | 3.7.0 | ''",
                "3.7.0 3.6.11 3.7.0 | 3.7.0 | ''",
                // one minor at a time
                "3.5.32 3.5.32 3.5.32 | 3.7.0 | MINOR_SKIPPED MANDATORY",
                "3.4.30 3.4.30 3.4.30 | 3.6.8 | MINOR_SKIPPED MANDATORY",
                "3.6.11 3.5.32 3.6.11 | 3.7.0 | MINOR_SKIPPED MANDATORY",
                "3.4.30 3.4.30 3.4.30 | 3.5.32 | ''",
                "3.6.8 3.6.8 3.6.8 | 4.0.0 | MINOR_SKIPPED MANDATORY",
                // members too far apart
                "3.7.0 3.5.32 3.6.11 | 3.6.11 | VERSIONS_APART MANDATORY, BINARY_DOWNGRADE WARNING",
                // down
                "3.6.8 3.6.8 3.6.8 | 3.6.6 | BINARY_DOWNGRADE WARNING",
                "3.6.8 3.6.8 3.6.8 | 3.5.32 | BINARY_DOWNGRADE MANDATORY",
                "3.6.8 3.5.32 3.5.32 | 3.5.32 | MIXED_VERSIONS WARNING, BINARY_DOWNGRADE WARNING",
                "3.7.0-rc.0 3.6.11 3.6.11 | 3.7.0 | ''"
            })
    void everyStep(String versions, String to, String expected) {
        cluster = Cluster.of(versions.split(" "));
        target = to;
        noV2Content();
        assertEquals(expected, told());
    }

    @Test
    void theClusterVersionMayLagBehindItsMembers() {
        target = "3.7.0";
        cluster.node(2).storage = Optional.of(EtcdVersion.parse("3.5.0"));
        assertEquals("MINOR_SKIPPED MANDATORY", told());
        cluster.node(3).storage = Optional.of(EtcdVersion.parse("3.6.0"));
        assertEquals("", told());
    }

    @Test
    void aClusterVersionThatIsToldDecidesAboutTheWayDown() {
        cluster = Cluster.of("3.6.8", "3.5.32", "3.5.32");
        own = Optional.of(new MemberId(1));
        target = "3.5.32";
        cluster.node(1).storage = Optional.of(EtcdVersion.parse("3.6.0"));
        assertEquals("MIXED_VERSIONS WARNING, BINARY_DOWNGRADE MANDATORY", told());
        assertHasLine(
                "etcd would be downgraded to 3.5.32 on cp-1 from 3.6.8: the cluster is of version 3.6, and an older etcd does not start in it; keep the newer one (etcd.local.imageTag), or downgrade all of etcd first: kjadm etcd downgrade enable 3.5",
                text());
    }

    @Test
    void onlyTheMemberThatChangesCanGoDown() {
        cluster = Cluster.of("3.6.8", "3.5.30", "3.5.30");
        target = "3.5.32";
        own = Optional.of(new MemberId(2));
        assertEquals("MIXED_VERSIONS WARNING", told());
    }

    @Test
    void whoNeedsAPatchIsNamed() {
        cluster = Cluster.of("3.5.32", "3.5.19", "3.5.32");
        target = "3.6.8-0";
        noV2Content();
        assertEquals("PATCH_FIRST MANDATORY", told());
        assertEquals(Set.of("cp-2"), Named.members(text()));
        assertHasLine(
                "before etcd 3.6.8 these members need a newer patch release: cp-2 3.5.19: before 3.5.26 members that were removed may come back, and a promoted learner may be one again; upgrade every member to 3.5.32 or newer first: 'kjadm etcd upgrade VERSION' on one node after the other",
                text());
    }

    // ---- data of the old API

    @ParameterizedTest
    @CsvSource({
        "NONE, ''",
        "IN_STORE, V2_CONTENT MANDATORY",
        "IN_LOG, V2_CONTENT MANDATORY",
        "IN_BOTH, V2_CONTENT MANDATORY",
        "UNKNOWN, ''"
    })
    void keysOfTheOldApiStopTheWayTo36(V2Content found, String expected) {
        cluster = Cluster.of("3.5.32", "3.5.32", "3.5.32");
        target = "3.6.8-0";
        noV2Content();
        v2.put(new MemberId(2), found);
        assertEquals(expected, told());
    }

    @Test
    void whereNobodyHasLookedThatIsTold() {
        cluster = Cluster.of("3.5.32", "3.5.32", "3.5.32");
        target = "3.6.8-0";
        assertEquals("V2_CONTENT WARNING", told());
        v2.put(new MemberId(2), V2Content.UNKNOWN);
        assertEquals("V2_CONTENT WARNING", told());
    }

    @Test
    void theRemedyFitsThePlace() {
        cluster = Cluster.of("3.5.32", "3.5.32", "3.5.32");
        target = "3.6.8-0";
        noV2Content();
        v2.put(new MemberId(2), V2Content.IN_LOG);
        assertEquals(Set.of("cp-2"), Named.members(text()));
        assertEquals(Set.of("--snapshot-count"), Named.flags(text()));
    }

    @Test
    void theOldApiDoesNotMatterElsewhere() {
        target = "3.6.13";
        assertEquals("", told());
        cluster = Cluster.of("3.4.30", "3.4.30", "3.4.30");
        target = "3.5.32";
        assertEquals("", told());
    }

    @Test
    void nobodyAnsweringIsNoVersionProblem() {
        cluster.nodes.forEach(node -> node.silence = "timeout");
        assertEquals("VOTERS MANDATORY", told());
    }

    @ParameterizedTest
    @CsvSource({
        // another program gave cp-1 the next minor: cp-2, which is new enough, follows
        "3.7.0 3.6.11 3.6.8, 2, PATCH_FIRST WARNING",
        // one that is too old itself does not
        "3.7.0 3.6.11 3.6.8, 3, PATCH_FIRST MANDATORY",
        // where none has it, the first waits for all
        "3.6.11 3.6.11 3.6.8, 2, PATCH_FIRST MANDATORY"
    })
    void aNextMinorThatHasBegunIsNotWaitedWith(String versions, long member, String expected) {
        cluster = Cluster.of(versions.split(" "));
        own = Optional.of(new MemberId(member));
        target = "3.7.0";
        assertEquals(expected, told());
    }

    @Test
    void membersThatNeedAPatchReleaseAreNamedTheLeaderLast() {
        cluster = Cluster.of("3.6.8", "3.6.11", "3.6.10");
        PatchFirst patch = PatchFirst.of(cluster.facts().health(), EtcdVersion.parse("3.7.0"))
                .getFirst();
        assertEquals(EtcdVersion.parse("3.6.11"), patch.version());
        assertEquals(
                List.of("cp-3", "cp-1"),
                patch.members().stream().map(Member::label).toList());
        assertEquals(
                List.of(), PatchFirst.of(cluster.facts().health(), EtcdVersion.parse("3.6.14")));
    }

    @ParameterizedTest
    @CsvSource({
        "IN_LOG, V2_CONTENT MANDATORY",
        "IN_BOTH, V2_CONTENT MANDATORY",
        "UNKNOWN, V2_CONTENT WARNING",
        "NONE, ''"
    })
    void requestsThatEtcd35WroteStopTheWayTo37(V2Content found, String expected) {
        target = "3.7.1";
        own = Optional.of(new MemberId(2));
        v2.put(new MemberId(2), found);
        assertEquals(expected, told());
        // a member that has 3.7 has read its log
        cluster.node(2).version = EtcdVersion.parse("3.7.0");
        assertEquals("", told());
    }
}
