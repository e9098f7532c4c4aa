package io.kjadm.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Which versions of etcd a new member may join, and what is told of old ones. */
class VersionRulesTest {

    private Scene scene = Scene.ofVoters(2);

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
}
