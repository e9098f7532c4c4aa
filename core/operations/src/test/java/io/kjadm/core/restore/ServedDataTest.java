package io.kjadm.core.restore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.restore.ServedData.Answer;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SimulatedCluster;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** A restore has succeeded only if the restored member serves the restored data, alone. */
class ServedDataTest {

    private static final MemberIds RESTORED = new MemberIds("c2", new MemberId(0xb1));
    private static final URI URL = URI.create("https://cp-1:2379");
    private static final URI SILENT = URI.create("https://cp-9:2379");
    private static final long REVISION = 500;

    private final SimulatedCluster cluster = SimulatedCluster.ofVoters(3, "3.6.8");

    private void alone() {
        List.of("cp-2", "cp-3").forEach(name -> cluster.removeByOther(cluster.id(name)));
    }

    private Attempt<Answer> ask(OptionalLong lowest, URI... urls) {
        return new ServedData(cluster, List.of(urls), RESTORED, lowest).ask();
    }

    private Attempt<Answer> ask() {
        return ask(OptionalLong.of(REVISION), URL);
    }

    private static Answer.Other other(Attempt<Answer> attempt) {
        var done = assertInstanceOf(Attempt.Done.class, attempt);
        return assertInstanceOf(Answer.Other.class, done.value());
    }

    private static String notYet(Attempt<Answer> attempt) {
        return assertInstanceOf(Attempt.NotYet.class, attempt).answer();
    }

    @Test
    void theRestoredMemberServesItsRevisionOrAHigherOne() {
        alone();
        for (long served : List.of(REVISION, REVISION + 1)) {
            cluster.serves("cp-1", RESTORED, served);
            assertEquals(Attempt.done(new Answer.Restored(served)), ask());
        }
        assertEquals("revision 501", new Answer.Restored(501).toString());
    }

    @Test
    void aLowerRevisionIsOtherData() {
        alone();
        cluster.serves("cp-1", RESTORED, REVISION - 1);

        Answer.Other other = other(ask());

        assertEquals(URL, other.url());
        assertEquals("it serves revision 499; the restored data have 500 or more", other.why());
        assertTrue(other.problem().what().contains(URL.toString()));
        assertEquals(
                Attempt.done(new Answer.Restored(REVISION - 1)), ask(OptionalLong.empty(), URL));
    }

    @Test
    void anotherMemberOrAnotherClusterIsNotTheRestoredOne() {
        alone();
        for (MemberIds ids : List.of(
                new MemberIds("c3", RESTORED.memberId()),
                new MemberIds(RESTORED.clusterId(), new MemberId(0xb2)))) {
            cluster.serves("cp-1", ids, REVISION);
            assertTrue(other(ask()).why().startsWith(ids.toString()));
        }
    }

    @Test
    void withoutALeaderItIsAskedAgain() {
        cluster.serves("cp-1", RESTORED, REVISION);
        List.of("cp-2", "cp-3").forEach(name -> cluster.stop(cluster.id(name)));

        assertEquals("it has no leader yet", notYet(ask()));
    }

    @Test
    void aListWithOtherMembersIsNotThatOfARestoredCluster() {
        cluster.serves("cp-1", RESTORED, REVISION);

        assertEquals(Set.of("cp-1", "cp-2", "cp-3"), Named.members(notYet(ask())));
    }

    @Test
    void theFirstUrlThatRespondsDecides() {
        alone();
        cluster.serves("cp-1", RESTORED, REVISION);

        assertEquals(
                Attempt.done(new Answer.Restored(REVISION)),
                ask(OptionalLong.of(REVISION), SILENT, URL));
        assertEquals("Connection refused", notYet(ask(OptionalLong.of(REVISION), SILENT)));
        String none = notYet(ask(OptionalLong.of(REVISION)));
        assertFalse(none.isEmpty());
    }
}
