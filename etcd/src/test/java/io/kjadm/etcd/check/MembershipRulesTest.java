package io.kjadm.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.util.List;

/** Members that a new one must not be confused with, or that are to start or to be removed first. */
class MembershipRulesTest {

    private Scene scene = Scene.ofVoters(2);

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
}
