package io.kjadm.core.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.EtcdProbe;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberProbe;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.check.Candidate;
import io.kjadm.etcd.check.PeerContact;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/** Who is looked at again, how long each time, and what is seen then. All ports take calls. */
class ClusterObserverTest {

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(5);
    /** When everybody is looked at again. */
    private static final Duration AGAIN = Duration.ofMillis(500);

    private final VirtualWaiter waiter = new VirtualWaiter();
    private final SimulatedCluster etcd = SimulatedCluster.ofVoters(3, "3.6.13");
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    /** How long each was given, by the time of the look. */
    private final Map<Duration, Map<MemberId, Duration>> looks = new ConcurrentHashMap<>();

    private Optional<List<Member>> remembered = Optional.empty();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private final class Probe implements EtcdProbe {

        @Override
        public List<Member> members() {
            return remembered.orElseGet(etcd::members);
        }

        @Override
        public MemberProbe look(Member member, Duration limit) {
            looks.computeIfAbsent(waiter.elapsed(), time -> new ConcurrentHashMap<>())
                    .put(member.id(), limit);
            return new MemberProbe(
                    etcd.status(member), OptionalLong.empty(), Optional.empty(), Optional.empty());
        }

        @Override
        public void close() {}
    }

    private static Map<MemberId, Future<PeerContact>> called(List<Member> members) {
        return members.stream()
                .collect(Collectors.toMap(
                        Member::id,
                        member -> CompletableFuture.completedFuture(new PeerContact.Answered(
                                Duration.ofMillis(1), Optional.empty(), ""))));
    }

    private ClusterObserver.Observed observe() {
        var candidate = new Candidate(
                new NewMember("cp-9", SimulatedCluster.peerUrl("cp-9")),
                Optional.of(EtcdVersion.parse("3.6.13")),
                true,
                RejoinOptions.NONE);
        return new ClusterObserver(new Probe(), waiter, threads, ClusterObserverTest::called)
                .observe(candidate);
    }

    private Map<MemberId, Duration> all(Duration limit) {
        return etcd.members().stream().collect(Collectors.toMap(Member::id, member -> limit));
    }

    @Test
    void whoDoesNotServeYetIsLookedAtShortlyUntilItDoes() {
        MemberId late = etcd.id("cp-3");
        etcd.stop(late);
        waiter.after(SHORT, () -> etcd.start(late, "cp-3"));
        assertTrue(observe().cluster().looks().containsKey(late));
        assertEquals(Map.of(Duration.ZERO, all(LONG), AGAIN, all(SHORT), SHORT, all(SHORT)), looks);
    }

    @Test
    void aListThatCannotBeReadMeanwhileIsAsItWas() {
        MemberId late = etcd.id("cp-3");
        List<Member> members = etcd.members();
        etcd.stop(late);
        waiter.after(AGAIN, () -> {
            etcd.start(late, "cp-3");
            etcd.failLists(1);
        });
        ClusterObserver.Observed seen = observe();
        assertEquals(members, seen.cluster().health().members());
        assertTrue(seen.cluster().looks().containsKey(late));
        assertEquals(AGAIN, waiter.elapsed());
    }

    @Test
    void whoWasSilentDuringAnElectionIsGivenLessTimeThanWhoSpoke() {
        remembered = Optional.of(etcd.members());
        MemberId speaks = etcd.id("cp-1");
        MemberId back = etcd.id("cp-2");
        MemberId gone = etcd.id("cp-3");
        etcd.stop(back);
        etcd.stop(gone);
        waiter.after(SHORT, () -> {
            etcd.start(back, "cp-2");
            etcd.start(gone, "cp-3");
        });
        assertEquals(3, observe().cluster().looks().size());
        assertEquals(all(LONG), looks.get(Duration.ZERO));
        assertEquals(Map.of(speaks, LONG, back, SHORT, gone, SHORT), looks.get(AGAIN));
        assertEquals(SHORT, waiter.elapsed());
    }

    @Test
    void aVoterThatHasNotPublishedItselfIsGivenTimeToo() {
        MemberId added = etcd.plant(SimulatedCluster.peerUrl("cp-4"), false);
        waiter.after(Duration.ofSeconds(20), () -> etcd.start(added, "cp-4"));
        assertTrue(observe().cluster().looks().containsKey(added));
        assertEquals(Duration.ofSeconds(20), waiter.elapsed());
    }

    @Test
    void theVoterThatIsThisNodesOwnIsNotWaitedFor() {
        etcd.plant(SimulatedCluster.peerUrl("cp-9"), false);
        assertEquals(4, observe().cluster().health().members().size());
        assertEquals(Duration.ZERO, waiter.elapsed());
    }
}
