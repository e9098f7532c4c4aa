package io.kjadm.etcd;

import static io.kjadm.etcd.SimulatedCluster.peerUrl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which of the listed members is the one of this node. */
class OwnMemberTest {

    private final MemberRemoval removal = new MemberRemoval();
    private final SimulatedCluster cluster = SimulatedCluster.ofVoters(3);

    @Test
    void theEntryThatItsIdProvesComesBeforeOneOfItsAddress() {
        MemberId leftover = cluster.plant(peerUrl("cp-9"), false);
        MemberId id = cluster.plant(peerUrl("cp-9"), false);
        var own = new OwnMember(Optional.of(id), Optional.of("cp-9"), Set.of(peerUrl("cp-9")));
        assertEquals(
                List.of(id),
                own.among(EtcdHealth.ask(cluster)).stream().map(Member::id).toList(),
                "a voter of another ID may be another machine's");
        cluster.removeByOther(leftover);
        MemberId learner = cluster.plant(peerUrl("cp-9"), true);
        MemberId started = cluster.id("cp-2");
        var both = new OwnMember(Optional.of(learner), Optional.empty(), Set.of(peerUrl("cp-9")));
        assertEquals(
                List.of(learner),
                both.among(EtcdHealth.ask(cluster)).stream().map(Member::id).toList());
        var known = new OwnMember(
                Optional.of(started),
                Optional.of("cp-2"),
                Set.of(peerUrl("cp-2"), peerUrl("cp-9")));
        assertEquals(
                List.of(started, learner),
                known.among(EtcdHealth.ask(cluster)).stream().map(Member::id).toList());
        cluster.plant(new MemberId(1), peerUrl("cp-8"), true);
        MemberId last = cluster.plant(peerUrl("cp-7"), false);
        cluster.start(last, "cp-7");
        var late = new OwnMember(
                Optional.of(last), Optional.empty(), Set.of(peerUrl("cp-7"), peerUrl("cp-8")));
        assertEquals(
                List.of(last, new MemberId(1)),
                late.among(EtcdHealth.ask(cluster)).stream().map(Member::id).toList(),
                "though it is listed last");
        assertEquals(List.of(), late.unproven(EtcdHealth.ask(cluster)));
    }

    @Test
    void whatSpeaksAgainstAnEntryIsTold() {
        MemberId down = cluster.id("cp-3");
        MemberId id = cluster.plant(peerUrl("cp-4"), false);
        EtcdHealth health = EtcdHealth.ask(cluster);
        var other = new OwnMember(
                Optional.of(new MemberId(0xdead)), Optional.empty(), Set.of(peerUrl("cp-4")));
        assertEquals(
                "it has never started, and this node's etcd data is of member dead",
                other.doubt(health.find(id).orElseThrow(), health));
        var sameName =
                new OwnMember(Optional.empty(), Optional.of("cp-3"), Set.of(peerUrl("cp-3")));
        cluster.silent(down);
        EtcdHealth without = EtcdHealth.ask(cluster);
        assertEquals(
                "it is named cp-3, and only the address suggests that it is this node's",
                sameName.doubt(without.find(down).orElseThrow(), without));
        assertEquals(
                "it is named cp-3, and this node's is named cp-9",
                new OwnMember(Optional.empty(), Optional.of("cp-9"), Set.of())
                        .doubt(without.find(down).orElseThrow(), without));
    }

    @Test
    void addressAloneNamesNobodyElsesMember() {
        var own = new OwnMember(
                Optional.of(new MemberId(0xdead)), Optional.of("cp-2"), Set.of(peerUrl("cp-2")));
        var unproven = assertInstanceOf(
                RemovalPlan.Unproven.class, removal.plan(EtcdHealth.ask(cluster), own));
        assertEquals(cluster.id("cp-2"), unproven.member().id());
        assertEquals(
                "it runs and answers at [https://cp-2:2379], and this node's etcd data is of member dead",
                unproven.why());
    }

    @Test
    void addressAloneNamesNoVoterThatIsDownEither() {
        cluster.stop(cluster.id("cp-2"));
        var noName = new OwnMember(Optional.empty(), Optional.empty(), Set.of(peerUrl("cp-2")));
        assertInstanceOf(RemovalPlan.Unproven.class, removal.plan(EtcdHealth.ask(cluster), noName));
        var otherName =
                new OwnMember(Optional.empty(), Optional.of("cp-4"), Set.of(peerUrl("cp-2")));
        var unproven = assertInstanceOf(
                RemovalPlan.Unproven.class, removal.plan(EtcdHealth.ask(cluster), otherName));
        assertEquals(Set.of("cp-2", "cp-4"), Named.members(unproven.why()), unproven.why());
    }

    @Test
    void nameAndAddressNameNoVoterWhereTheDataIsOfAnother() {
        cluster.stop(cluster.id("cp-2"));
        var own = new OwnMember(
                Optional.of(new MemberId(0xdead)), Optional.of("cp-2"), Set.of(peerUrl("cp-2")));
        assertInstanceOf(RemovalPlan.Unproven.class, removal.plan(EtcdHealth.ask(cluster), own));
    }

    @Test
    void voterThatIsDownIsKnownByNameAndAddressWhereTheDataIsLost() {
        cluster.stop(cluster.id("cp-2"));
        var own = new OwnMember(Optional.empty(), Optional.of("cp-2"), Set.of(peerUrl("cp-2")));
        assertInstanceOf(RemovalPlan.Remove.class, removal.plan(EtcdHealth.ask(cluster), own));
        cluster.start(cluster.id("cp-2"), "cp-2");
        assertInstanceOf(
                RemovalPlan.Unproven.class,
                removal.plan(EtcdHealth.ask(cluster), own),
                "it runs, and not here");
    }

    @Test
    void memberThatNeverStartedIsKnownByItsAddress() {
        MemberId learner = cluster.plant(peerUrl("cp-4"), true);
        assertEquals(learner, removed("cp-4"));
        cluster.removeByOther(learner);
        MemberId voter = cluster.plant(peerUrl("cp-5"), false);
        assertEquals(voter, removed("cp-5"));
        assertInstanceOf(
                RemovalPlan.Unproven.class,
                removal.plan(
                        EtcdHealth.ask(cluster),
                        new OwnMember(
                                Optional.of(new MemberId(0xdead)),
                                Optional.of("cp-5"),
                                Set.of(peerUrl("cp-5")))),
                "this node has had data of another member");
    }

    /** Which member leaves with a node that has its name and URL, and no data. */
    private MemberId removed(String name) {
        var own = new OwnMember(Optional.empty(), Optional.of(name), Set.of(peerUrl(name)));
        RemovalPlan plan = removal.plan(EtcdHealth.ask(cluster), own);
        return assertInstanceOf(RemovalPlan.Remove.class, plan).member().id();
    }
}
