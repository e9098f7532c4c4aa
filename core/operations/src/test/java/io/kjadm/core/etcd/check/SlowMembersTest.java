package io.kjadm.core.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.check.JoinCheckup.JoiningNode;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdProbe;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberProbe;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.check.Candidate;
import io.kjadm.etcd.check.EtcdFinding;
import io.kjadm.etcd.check.JoinChecklist;
import io.kjadm.etcd.check.PeerContact;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * How long a refusal takes when members swallow what is sent to them, by a clock that calls share:
 * those under way at the same time cost as much as the longest of them.
 */
class SlowMembersTest {

    /** So long a silent port costs, as every call that meets it. */
    private static final Duration CALL = Duration.ofSeconds(5);

    private final SharedClock clock = new SharedClock();
    private SimulatedCluster etcd = SimulatedCluster.ofVoters(3, "3.6.8");
    private List<Member> listed = etcd.members();
    /** Calls that must all be under way before the first of them ends. */
    private CountDownLatch together = new CountDownLatch(0);

    private static final class SharedClock implements Waiter {

        private static final Instant START = Instant.parse("2026-02-03T04:05:06Z");
        private final AtomicReference<Instant> now = new AtomicReference<>(START);

        /** One call that began then. */
        void passes(Instant begun, Duration time) {
            now.accumulateAndGet(
                    begun.plus(time), (one, other) -> one.isAfter(other) ? one : other);
        }

        Duration elapsed() {
            return Duration.between(START, now.get());
        }

        @Override
        public <T> Optional<T> until(Await await, Supplier<Attempt<T>> question) {
            throw new IllegalStateException("nothing is awaited");
        }

        @Override
        public void pause(String area, String reason, Duration duration) {
            passes(now.get(), duration);
        }

        @Override
        public Instant now() {
            return now.get();
        }
    }

    private void silence(Duration limit) {
        Instant begun = clock.now();
        together.countDown();
        try {
            assertTrue(
                    together.await(1, TimeUnit.MINUTES), "one call waits for the end of another");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        clock.passes(begun, limit.compareTo(CALL) < 0 ? limit : CALL);
    }

    private boolean runs(Member member) {
        return etcd.statuses(List.of(member)).values().stream()
                .anyMatch(answer -> answer.status().isPresent());
    }

    private final class Probe implements EtcdProbe {

        private final List<Member> members = List.copyOf(listed);

        @Override
        public List<Member> members() {
            return members;
        }

        @Override
        public MemberProbe look(Member member, Duration limit) {
            if (!runs(member)) {
                silence(limit);
                throw new EtcdCallException(
                        ErrorClass.TRANSIENT,
                        RpcCode.DEADLINE_EXCEEDED,
                        "no answer within 5 s",
                        "status",
                        null);
            }
            return new MemberProbe(
                    etcd.status(member),
                    OptionalLong.empty(),
                    Optional.empty(),
                    Optional.of(members));
        }

        @Override
        public void close() {}
    }

    private PeerContact call(URI url) {
        Member member = listed.stream()
                .filter(it -> it.peerUrls().contains(url))
                .findFirst()
                .orElseThrow();
        if (!runs(member)) {
            silence(CALL);
            return new PeerContact.Unreachable("connect timed out");
        }
        return new PeerContact.Answered(Duration.ofMillis(1), Optional.of(Duration.ZERO), "");
    }

    private List<EtcdFinding> check() {
        MemoryFiles files = new MemoryFiles();
        for (String name : List.of("etcd/ca.crt", "etcd/peer.crt", "etcd/peer.key")) {
            files.with("/etc/kubernetes/pki/" + name, "not looked at here");
        }
        var probes = new JoinProbes(
                access -> new Probe(),
                (url, source, credentials) -> call(url),
                (server, ca) -> Duration.ZERO,
                new DiskProbe() {
                    @Override
                    public long freeBytes(Path directory) {
                        return 1L << 40;
                    }

                    @Override
                    public Optional<Duration> syncTime(Path directory) throws IOException {
                        return Optional.empty();
                    }
                });
        var candidate = new Candidate(
                new NewMember("cp-9", SimulatedCluster.peerUrl("cp-9")),
                Optional.of(EtcdVersion.parse("3.6.8")),
                true,
                RejoinOptions.NONE);
        return JoinChecklist.findings(new JoinCheckup(probes, files, clock)
                .gather(
                        EtcdAccess.plain(List.of(URI.create("https://cp-1:2379"))),
                        candidate,
                        new JoiningNode(
                                Path.of("/etc/kubernetes/pki"),
                                InetAddress.getLoopbackAddress(),
                                Path.of("/var/lib/etcd"))));
    }

    private void stop(String... names) {
        listed = etcd.members();
        List.of(names).forEach(name -> etcd.stop(etcd.id(name)));
    }

    private void refusedWithin(Duration limit, String words) {
        List<EtcdFinding> findings = check();
        assertTrue(
                findings.stream()
                        .anyMatch(finding -> finding.level() == EtcdFinding.Level.ERROR
                                && finding.text().contains(words)),
                findings::toString);
        assertTrue(clock.elapsed().compareTo(limit) <= 0, clock.elapsed()::toString);
    }

    @Test
    void aSilentVoterCostsItsLimitOnceForAllThatIsAskedOfIt() {
        stop("cp-3");
        // its status, and its peer port
        together = new CountDownLatch(2);
        refusedWithin(CALL, "cp-3");
        assertEquals(CALL, clock.elapsed());
    }

    @Test
    void twoSilentVotersOfThreeAreRefusedInTheSameTime() {
        stop("cp-2", "cp-3");
        together = new CountDownLatch(4);
        refusedWithin(CALL, "no quorum");
    }

    @Test
    void aLostLeaderAmongSilentMembersIsWaitedForWithinTheLimit() {
        etcd = SimulatedCluster.ofVoters(5, "3.6.8");
        stop("cp-1", "cp-2", "cp-3");
        together = new CountDownLatch(6);
        refusedWithin(Duration.ofSeconds(8), "no quorum");
    }
}
