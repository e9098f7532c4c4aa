package io.kjadm.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Leader, versions, health, membership and lists of the cluster. */
class ClusterRulesTest {

    private Scene scene = Scene.ofVoters(2);

    // ---- leader

    @Test
    void twoLeadersAreNamed() {
        scene = Scene.ofVoters(4);
        scene.node(4).leader = new MemberId(4);
        Told.one(scene.errors(), "EtcdLeader", "cp-1 follows 1", "cp-4 follows 4");
        assertTrue(scene.cluster().mayPass());
    }

    @Test
    void whereNobodyNamesALeaderThereIsNone() {
        scene.node(1).leader = MemberId.NONE;
        scene.node(2).leader = MemberId.NONE;
        assertTrue(leaders().startsWith("etcd has no leader: cp-1 follows 0"), leaders());
    }

    @Test
    void oneThatKnowsNoLeaderYetIsNoDisagreement() {
        scene = Scene.ofVoters(3);
        scene.node(3).leader = MemberId.NONE;
        assertEquals(
                List.of(),
                scene.errors().stream()
                        .filter(text -> text.startsWith("EtcdLeader"))
                        .toList());
    }

    @Test
    void aLeaderThatIsNamedByTooFewIsNone() {
        scene = Scene.ofVoters(3);
        scene.node(2).leader = MemberId.NONE;
        scene.node(3).leader = MemberId.NONE;
        assertTrue(leaders().startsWith("the etcd members do not agree on a leader"), leaders());
    }

    /** The rule alone: where there is no quorum the whole list ends before it. */
    private String leaders() {
        return AgreementRules.leader(scene.cluster()).getFirst().text();
    }

    @Test
    void differentTermsAreAnElection() {
        scene.node(2).term = 3;
        Told.one(scene.errors(), "EtcdLeader", "cp-1 in 2", "cp-2 in 3");
        assertTrue(scene.cluster().mayPass());
    }

    @Test
    void aQuietClusterNeedsNoSecondLook() {
        assertFalse(scene.cluster().mayPass());
    }

    // ---- versions

    @Test
    void etcdWithoutLearnersIsRefusedInTheWordsOfTheKep() {
        scene = Scene.ofVoters(2, "3.3.25");
        Told.one(
                scene.errors(),
                "EtcdLearners",
                "etcd learner mode is not supported by this etcd version",
                "cp-1 3.3.25");
    }

    @Test
    void oneMemberWithoutLearnersIsEnough() {
        scene = Scene.ofVoters(2, "3.4.29");
        scene.node(2).version = EtcdVersion.parse("3.3.25");
        Told.some(scene.errors(), "EtcdLearners", "cp-2 3.3.25");
    }

    @Test
    void addedAsAVoterItNeedsNoLearners() {
        scene = Scene.ofVoters(2, "3.3.25");
        scene.candidate = scene.candidate("3.3.25", false, false);
        Told.nothing(scene.errors());
        Told.some(scene.warnings(), "EtcdVersion", "3.4.29");
    }

    @ParameterizedTest
    @CsvSource({"3.4.23, before 3.4.29", "3.4.29, no longer maintained"})
    void oldVersionsAreAWarningWithAdvice(String version, String words) {
        scene = Scene.ofVoters(2, version);
        Told.nothing(scene.errors());
        Told.one(scene.warnings(), "EtcdVersion", words, "cp-2 " + version, "upgrade");
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.5.0", "3.5.19"})
    void versionsThatRecordAPromotionInPartAreRefused(String version) {
        scene = Scene.ofVoters(2, version);
        Told.one(
                scene.errors(),
                "EtcdVersion",
                version + " (cp-1, cp-2)",
                "recorded in part",
                "3.5.33");
        scene.candidate = scene.candidate(version, false, false);
        Told.nothing(scene.errors());
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.5.20", "3.5.32", "3.6.13", "3.7.0"})
    void soundVersionsAreNotSpokenOf(String version) {
        scene = Scene.ofVoters(2, version);
        Told.nothing(scene.errors());
        Told.nothing(scene.warnings());
    }

    @Test
    void aJoinIsToldOfTheReplayOfItsPromotion() {
        scene = Scene.ofVoters(2, "3.6.3");
        scene.node(1).version = EtcdVersion.parse("3.6.4");
        Told.nothing(scene.errors());
        Told.one(
                scene.warnings(),
                "EtcdKnownDefects",
                "etcd 3.6.3 (cp-2): ",
                "too many learner members",
                "'kjadm etcd upgrade 3.6.14'");
        scene.candidate = scene.candidate("3.6.3", false, false);
        Told.nothing(scene.warnings());
    }

    @ParameterizedTest
    @CsvSource({"3.5.30, true", "3.5.31, false", "3.6.11, true", "3.6.12, false", "3.7.0, false"})
    void anUpdateThatPromotesIsToldWhereALearnerIsListed(String version, boolean told) {
        scene = Scene.ofVoters(2, version);
        Told.nothing(scene.warnings());
        scene.add(3, "cp-3", true, version);
        if (told) {
            Told.one(
                    scene.warnings(),
                    "EtcdKnownDefects",
                    "etcd %s (cp-1, cp-2, cp-3): ".formatted(version),
                    "member update");
        } else {
            Told.nothing(scene.warnings());
        }
    }

    private Candidate allowingMixed(String version) {
        Candidate asked = scene.candidate(version, true, false);
        return new Candidate(
                asked.member(),
                asked.version(),
                true,
                new RejoinOptions(false, false, false, false, true, Optional.empty()));
    }

    @Test
    void mixedMinorsAreRefusedUnlessAllowed() {
        scene = Scene.ofVoters(2, "3.5.32");
        scene.node(2).version = EtcdVersion.parse("3.6.13");
        Told.one(scene.errors(), "EtcdVersion", "cp-1 3.5.32, cp-2 3.6.13", "--allow-mixed");
        scene.candidate = allowingMixed("3.5.32");
        Told.nothing(scene.errors());
        Told.one(scene.warnings(), "EtcdVersion", "cp-1 3.5.32, cp-2 3.6.13");
    }

    @ParameterizedTest
    @CsvSource({
        "3.4.29, 3.6.13, neighbouring",
        "3.6.13, 3.5.32, older server",
        "3.5.32, 3.7.0, neighbouring"
    })
    void versionsThatAreNoNeighboursAreRefused(String cluster, String own, String words) {
        scene = Scene.ofVoters(2, cluster);
        scene.candidate = scene.candidate(own, true, false);
        Told.one(scene.errors(), "EtcdVersion", own, words, "imageTag");
    }

    @Test
    void theFirstOfANewerMinorIsToldWhatItBegins() {
        scene = Scene.ofVoters(2, "3.5.32");
        scene.candidate = scene.candidate("3.6.13", true, false);
        Told.nothing(scene.errors());
        Told.one(scene.warnings(), "EtcdVersion", "3.6.13", "begins an upgrade from 3.5");
    }

    @Test
    void whereNobodyTellsAVersionNoneIsCompared() {
        scene.silent(1, 2);
        assertEquals(
                List.of(),
                Stream.concat(scene.errors().stream(), scene.warnings().stream())
                        .filter(text -> text.startsWith("EtcdVersion"))
                        .toList());
    }

    @Test
    void etcdWithoutLearnersIsNotCalledOldAsWell() {
        scene = Scene.ofVoters(2, "3.3.25");
        scene.candidate = scene.candidate("3.4.29", true, false);
        Told.nothing(scene.warnings());
    }

    @Test
    void theFirstPreviewsOf35RecordAPromotionInPartToo() {
        scene = Scene.ofVoters(2, "3.5.0-alpha.0");
        Told.some(scene.errors(), "EtcdVersion", "3.5.0-alpha.0 (cp-1, cp-2)");
    }

    @Test
    void whatToDoAboutADistanceDependsOnWhoIsOlder() {
        scene = Scene.ofVoters(2, "3.6.13");
        scene.candidate = scene.candidate("3.5.32", true, false);
        Told.one(
                scene.errors(),
                "EtcdVersion",
                "an older server does not start there",
                "finish the upgrade of this node's configuration");
        scene.candidate = scene.candidate("3.8.0", true, false);
        Told.one(
                scene.errors(),
                "EtcdVersion",
                "only neighbouring minor versions",
                "upgrade the cluster's etcd first");
        scene.candidate = scene.candidate("4.6.0", true, false);
        Told.one(scene.errors(), "EtcdVersion", "only neighbouring minor versions");
    }

    @Test
    void theNextMinorMayJoin() {
        scene = Scene.ofVoters(2, "3.5.32");
        scene.candidate = scene.candidate("3.6.13", true, false);
        Told.nothing(scene.errors());
    }

    @Test
    void inAMixedClusterTheOldestCounts() {
        scene = Scene.ofVoters(2, "3.5.32");
        scene.node(1).version = EtcdVersion.parse("3.6.13");
        scene.candidate = allowingMixed("3.7.0");
        Told.one(scene.errors(), "EtcdVersion", "version 3.5");
    }

    @Test
    void aTagThatTellsNoVersionIsAWarning() {
        scene.candidate = new Candidate(
                new NewMember("cp-9", Scene.url(9)), Optional.empty(), true, RejoinOptions.NONE);
        Told.nothing(scene.errors());
        Told.one(scene.warnings(), "EtcdVersion", "tag");
    }

    @Test
    void aDowngradeIsRefused() {
        scene.node(2).downgrading = true;
        Told.one(scene.errors(), "EtcdDowngrade", "downgrade is in progress", "downgrade cancel");
    }

    // ---- health

    @ParameterizedTest
    @CsvSource({"NOSPACE, disarm", "CORRUPT, replace the member"})
    void alarmsAreNamedWithAdvice(String alarm, String advice) {
        scene.node(1).errors = List.of("memberID:1 alarm:" + alarm + " ");
        Told.one(scene.errors(), "EtcdAlarms", alarm, advice);
    }

    @ParameterizedTest
    @CsvSource({"1000, 0, 0", "1001, 1, 0", "5000, 1, 0", "5001, 0, 1"})
    void voterThatLagsIsAWarningAndThenRefused(long lag, int warnings, int errors) {
        scene.node(2).applied = 10_000 - lag;
        if (warnings == 1) {
            Told.one(scene.warnings(), "EtcdLag", "cp-2", String.valueOf(lag));
        } else {
            Told.nothing(scene.warnings());
        }
        if (errors == 1) {
            Told.one(scene.errors(), "EtcdLag", "cp-2", "5000");
        } else {
            Told.nothing(scene.errors());
        }
    }

    @Test
    void aDatabaseNearItsQuotaIsAWarning() {
        scene.node(2).database = (2L << 30) * 81 / 100;
        Told.one(
                scene.warnings(),
                "EtcdQuota",
                "cp-2",
                "1.6 GiB of its quota of 2.0 GiB",
                "etcd's default");
        scene.node(2).quota = OptionalLong.of(8L << 30);
        Told.nothing(scene.warnings());
        scene.node(2).database = 7L << 30;
        Told.one(scene.warnings(), "EtcdQuota", "7.0 GiB of its quota of 8.0 GiB: compact");
        scene.node(2).quota = OptionalLong.of(1000L << 20);
        scene.node(2).database = 800L << 20;
        Told.nothing(scene.warnings());
        scene.node(2).database = 801L << 20;
        Told.one(scene.warnings(), "EtcdQuota", "801 MiB of its quota of 1000 MiB");
    }

    @Test
    void etcd33DoesNotTellWhatItHasApplied() {
        scene = Scene.ofVoters(2, "3.3.25");
        scene.candidate = scene.candidate("3.3.25", false, false);
        scene.node(2).applied = 0;
        Told.nothing(scene.errors());
    }

    // ---- members

    @Test
    void aNamesakeElsewhereIsRefused() {
        scene.candidate = new Candidate(
                new NewMember("cp-2", Scene.url(9)),
                scene.candidate.version(),
                true,
                RejoinOptions.NONE);
        Told.one(scene.errors(), "EtcdIdentity", "named cp-2", "10.0.0.2", "member remove 2");
    }

    @Test
    void anotherMembersSecondUrlIsRefused() {
        Member two = scene.node(2).member;
        scene.node(2).member = new Member(
                two.id(), two.name(), List.of(Scene.url(2), Scene.url(9)), two.clientUrls(), false);
        Told.one(scene.errors(), "EtcdIdentity", "10.0.0.9:2380", "cp-2");
    }

    @Test
    void ourOwnEntryOfAnEarlierRunIsOnlyTold() {
        scene.add(9, "", true, "3.6.13");
        Told.nothing(scene.errors());
        Told.some(scene.notes(), "EtcdMembers", "listed already", "learner not started");
    }

    @Test
    void aForeignLearnerIsWaitedFor() {
        scene.add(3, "cp-3", true, "3.6.13");
        Told.nothing(scene.errors());
        Told.some(
                scene.notes(),
                "EtcdMembers",
                "another etcd member is joining",
                "cp-3",
                "member remove 3");
    }

    @Test
    void aVoterThatNeverStartedIsRefusedWithTheWayToRemoveIt() {
        scene = Scene.ofVoters(3);
        scene.add(4, "", false, "3.6.13");
        Told.some(scene.errors(), "EtcdMembers", "never started", "member remove 4");
        Told.some(scene.errors(), "EtcdVoters", "it has not started");
    }

    @Test
    void withoutLearnersItMayBeAJoinBesideThisOne() {
        scene = Scene.ofVoters(3);
        scene.add(4, "", false, "3.6.13");
        scene.candidate = scene.candidate("3.6.13", false, false);
        Told.some(scene.warnings(), "EtcdMembers", "waits for it", "member remove 4");
    }

    @Test
    void aPeerUrlOnLoopbackIsRefusedWithTheCommandThatMendsIt() {
        Member two = scene.node(2).member;
        scene.node(2).member = new Member(
                two.id(),
                two.name(),
                List.of(URI.create("https://127.0.0.1:2380")),
                two.clientUrls(),
                false);
        Told.one(scene.errors(), "EtcdMembers", "loopback", "member update 2");
    }

    @Test
    void onALoopbackEverythingMayBeLoopback() {
        scene.candidate = new Candidate(
                new NewMember("cp-9", URI.create("https://127.0.0.1:12380")),
                scene.candidate.version(),
                true,
                RejoinOptions.NONE);
        Member two = scene.node(2).member;
        scene.node(2).member = new Member(
                two.id(),
                two.name(),
                List.of(URI.create("https://localhost:2380")),
                List.of(URI.create("https://localhost:2379")),
                false);
        assertEquals(
                List.of(),
                scene.errors().stream()
                        .filter(text -> text.startsWith("EtcdMembers"))
                        .toList());
    }

    @Test
    void aMemberThatHasNotStartedTellsNoClientUrls() {
        scene.add(3, "", true, "3.6.13");
        Told.nothing(scene.warnings());
    }

    @Test
    void aMemberWithoutPeerUrlsIsNotCalledLoopback() {
        Member two = scene.node(2).member;
        scene.node(2).member = new Member(two.id(), two.name(), List.of(), two.clientUrls(), false);
        assertEquals(
                List.of(),
                scene.errors().stream()
                        .filter(text -> text.startsWith("EtcdMembers"))
                        .toList());
    }

    @Test
    void localhostIsLoopbackToo() {
        Member two = scene.node(2).member;
        scene.node(2).member = new Member(
                two.id(),
                two.name(),
                List.of(URI.create("https://localhost:2380")),
                two.clientUrls(),
                false);
        Told.one(scene.errors(), "EtcdMembers", "loopback", "member update 2");
    }

    @Test
    void aClientUrlOnLoopbackIsAWarning() {
        Member two = scene.node(2).member;
        scene.node(2).member = new Member(
                two.id(),
                two.name(),
                two.peerUrls(),
                List.of(URI.create("https://[::1]:2379")),
                false);
        Told.nothing(scene.errors());
        Told.one(scene.warnings(), "EtcdMembers", "cp-2", "advertise-client-urls");
    }

    // ---- lists

    @Test
    void aMemberThatOnlyOneEndpointListsIsPrinted() {
        Scene other = Scene.ofVoters(3);
        scene.node(2).local = Optional.of(other.members());
        // and no line for 1 and 2, which all of them list
        assertEquals(
                List.of("EtcdMemberLists: the etcd members do not list the same members:"
                        + " + 3 voter https://10.0.0.3:2380: at cp-2 (local);"
                        + " - not at cp-1 (linearizable), cp-1 (local), cp-2 (linearizable);"
                        + " a member that was removed has come back, a promotion was recorded in part,"
                        + " or the members have different --max-learners,"
                        + " and a change would make it worse:"
                        + " compare \"kjadm etcd status\" at each of them,"
                        + " upgrade etcd 3.5 to 3.5.26 or newer,"
                        + " give all members the same --max-learners, and repair the list first"),
                scene.errors());
        assertTrue(scene.cluster().mayPass());
    }

    @Test
    void aPromotionThatOneEndpointDoesNotKnowIsPrinted() {
        Member two = scene.node(2).member;
        scene.node(2).agreed = Optional.of(List.of(
                scene.node(1).member,
                new Member(two.id(), two.name(), two.peerUrls(), two.clientUrls(), true)));
        Told.one(scene.errors(), "EtcdMemberLists", "+ 2 learner", "+ 2 voter");
    }

    @Test
    void namesAndClientUrlsThatAreYetToComeAreNoDifference() {
        Member two = scene.node(2).member;
        scene.node(2).local = Optional.of(List.of(
                scene.node(1).member, new Member(two.id(), "", two.peerUrls(), List.of(), false)));
        Told.nothing(scene.errors());
    }
}
