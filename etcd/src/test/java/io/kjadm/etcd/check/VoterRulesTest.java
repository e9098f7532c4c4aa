package io.kjadm.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

class VoterRulesTest {

    @ParameterizedTest
    @CsvSource({
        "1, '1 voter, 1 must agree, 0 may fail', '2 voters, 2 must agree, 0 may fail', two voters",
        "2, '2 voters, 2 must agree, 0 may fail', '3 voters, 2 must agree, 1 may fail', ''",
        "3, '3 voters, 2 must agree, 1 may fail', '4 voters, 3 must agree, 1 may fail', four voters",
        "4, '4 voters, 3 must agree, 1 may fail', '5 voters, 3 must agree, 2 may fail', ''",
        "6, '6 voters, 4 must agree, 2 may fail', '7 voters, 4 must agree, 3 may fail', ''",
        "7, '7 voters, 4 must agree, 3 may fail', '8 voters, 5 must agree, 3 may fail', 8 voters are many"
    })
    void aWholeClusterIsToldItsQuorumBeforeAndAfter(
            int voters, String before, String after, String warning) {
        Scene scene = Scene.ofVoters(voters);
        Told.nothing(scene.errors());
        Told.one(scene.notes(), "EtcdVoters", "etcd now: " + before, "with cp-9: " + after);
        assertEquals(warning.isEmpty(), scene.warnings().isEmpty());
        assertTrue(
                scene.warnings().stream().allMatch(text -> text.contains(warning)),
                scene.warnings()::toString);
    }

    @Test
    void aSilentVoterIsNamedWithTheReasonAndTheRuleOfOldEtcd() {
        Scene scene = Scene.ofVoters(3, "3.6.8").silent(2);
        Told.one(
                scene.errors(),
                "EtcdVoters",
                "cp-2",
                "connection refused",
                "3.6.11",
                "every voter",
                "cp-1 3.6.8");
        scene.candidate = scene.candidate("3.6.8", true, true);
        Told.one(scene.errors(), "EtcdVoters", "with --allow-degraded or without");
    }

    @Test
    void aSilentVoterThatNewEtcdWouldPassStopsTheJoinUnlessAllowed() {
        Scene scene = Scene.ofVoters(5, "3.6.11").silent(4);
        Told.one(
                scene.errors(),
                "EtcdVoters",
                "cp-4",
                "--allow-degraded: 4 of 5 voters are healthy, and etcd requires 4");
        scene.candidate = scene.candidate("3.6.11", true, true);
        Told.nothing(scene.errors());
        Told.one(scene.warnings(), "EtcdVoters", "cp-4", "--allow-degraded");
    }

    @Test
    void oneSilentVoterOfThreeIsTooManyEvenForNewEtcd() {
        Scene scene = Scene.ofVoters(3, "3.5.30").silent(3);
        scene.candidate = scene.candidate("3.5.30", true, true);
        Told.one(scene.errors(), "EtcdVoters", "only while 3 voters are connected, 2 are");
    }

    @Test
    void oneOldMemberIsEnoughForTheOldRule() {
        Scene scene = Scene.ofVoters(5, "3.6.11").silent(5);
        scene.node(2).version = io.kjadm.etcd.EtcdVersion.parse("3.6.10");
        scene.candidate = scene.candidate("3.6.11", true, true);
        Told.some(scene.errors(), "EtcdVoters", "cp-2 3.6.10", "cp-5 unknown");
    }

    @Test
    void withoutLearnersEveryVoterMustBeHealthyWhateverIsAllowed() {
        Scene scene = Scene.ofVoters(5, "3.6.11").silent(5);
        scene.candidate = scene.candidate("3.6.11", false, true);
        Told.one(scene.errors(), "EtcdVoters", "without EtcdLearnerMode");
    }

    @Test
    void aLostQuorumIsSaidOnceWithEverybodySilent() {
        Scene scene = Scene.ofVoters(3).silent(2, 3);
        scene.node(1).leader = io.kjadm.etcd.MemberId.NONE;
        Told.one(
                scene.errors(),
                "EtcdVoters",
                "no quorum: 0 of 3",
                "2 are needed",
                "cp-1",
                "it knows no leader",
                "cp-2",
                "cp-3");
        scene.candidate = scene.candidate("3.6.13", true, true);
        Told.one(scene.errors(), "EtcdVoters", "no quorum");
    }

    @Test
    void thisNodesOwnListedVoterMayBeSilent() {
        Scene scene = Scene.ofVoters(3);
        scene.add(9, "cp-9", false, "3.6.13").silence = "connection refused";
        Told.nothing(scene.errors());
        Told.one(scene.notes(), "EtcdMembers", "listed already", "cp-9");
    }

    @Test
    void voterAndQuorumCannotBeIgnored() {
        assertEquals(
                List.of(
                        "EtcdVoters",
                        "EtcdLeader",
                        "EtcdLearners",
                        "EtcdDowngrade",
                        "EtcdAlarms",
                        "EtcdIdentity",
                        "EtcdMemberLists",
                        "EtcdDataDir"),
                List.of(EtcdRule.values()).stream()
                        .filter(EtcdRule::protectsCluster)
                        .map(EtcdRule::checkName)
                        .toList());
    }
}
