package io.kjadm.core.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.check.PeerContact;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Whom a node calls with its peer certificate, and what it makes of the answers. */
class PeerCallsTest {

    private static final InetAddress SOURCE = InetAddress.ofLiteral("192.0.2.12");
    private static final KubernetesPaths PATHS = KubernetesPaths.standard();
    private static final PeerContact ANSWERED =
            new PeerContact.Answered(Duration.ofMillis(1), Optional.empty(), "");
    private static final PeerContact SILENT = new PeerContact.Unreachable("connect timed out");

    private final MemoryFiles files = new MemoryFiles();
    private final VirtualWaiter clock = new VirtualWaiter();
    private final Map<URI, PeerContact> contacts = new ConcurrentHashMap<>();
    private final Queue<URI> called = new ConcurrentLinkedQueue<>();
    private Duration callTakes = Duration.ZERO;

    private PeerCalls calls() {
        for (String name : List.of("ca.crt", "peer.crt", "peer.key")) {
            files.with("/etc/kubernetes/pki/etcd/" + name, "not looked at here");
        }
        return new PeerCalls(
                (url, source, credentials) -> {
                    called.add(url);
                    clock.pause("", "", callTakes);
                    return contacts.get(url);
                },
                files,
                clock);
    }

    private URI port(String host, PeerContact contact) {
        URI url = URI.create("https://" + host + ":2380");
        contacts.put(url, contact);
        return url;
    }

    private static Member voter(long id, URI... ports) {
        return member(id, "cp-" + id, false, ports);
    }

    private static Member member(long id, String name, boolean learner, URI... ports) {
        return new Member(new MemberId(id), name, Arrays.asList(ports), List.of(), learner);
    }

    private Map<MemberId, String> unreached(Member... members) {
        return calls().unreached(List.of(members), PATHS.certificatesDir(), SOURCE);
    }

    private static Map<MemberId, String> only(Member member, String why) {
        return Map.of(member.id(), why);
    }

    @Test
    void whoDoesNotAnswerAsToAMemberIsToldWithTheReason() {
        Member good = voter(1, port("one", ANSWERED));
        Member silent = voter(2, port("two", SILENT));
        Member stranger =
                voter(3, port("three", new PeerContact.Untrusted("no chain", "CA b", "CA a")));
        Member distrustful = voter(4, port("four", new PeerContact.Refused("bad certificate")));
        assertEquals(
                Map.of(
                        silent.id(),
                        "connect timed out",
                        stranger.id(),
                        "it presents CA b, this node trusts CA a (no chain)",
                        distrustful.id(),
                        "it does not accept this node's peer certificate: bad certificate"),
                unreached(good, silent, stranger, distrustful));
    }

    @Test
    void onlyVotersThatHaveStartedAndHaveAPortAreCalled() {
        Member learner = member(1, "cp-1", true, port("one", SILENT));
        Member added = member(2, "", false, port("two", SILENT));
        Member without = voter(3);
        Member silent = voter(4, port("four", SILENT));
        assertEquals(only(silent, "connect timed out"), unreached(learner, added, without, silent));
        assertEquals(silent.peerUrls(), List.copyOf(called));
    }

    @Test
    void nobodyIsCalledWithoutCertificates() {
        Member silent = voter(1, port("one", SILENT));
        PeerCalls calls = calls();
        files.delete(PATHS.certificate("etcd/peer.key"));
        assertEquals(Map.of(), calls.unreached(List.of(silent), PATHS.certificatesDir(), SOURCE));
        assertTrue(calls.listens(silent, PATHS.certificatesDir(), SOURCE));
        assertEquals(List.of(), List.copyOf(called));
    }

    @Test
    void theNextPortIsCalledUntilOneAnswers() {
        Member member = voter(1, port("one", SILENT), port("two", ANSWERED), port("three", SILENT));
        assertEquals(Map.of(), unreached(member));
        assertEquals(member.peerUrls().subList(0, 2), List.copyOf(called));
    }

    @Test
    void noFurtherPortIsCalledWhenOneHasTakenLong() {
        callTakes = Duration.ofSeconds(3);
        Member member = voter(1, port("one", SILENT), port("two", ANSWERED));
        assertEquals(only(member, "connect timed out"), unreached(member));
        assertEquals(member.peerUrls().subList(0, 1), List.copyOf(called));
    }

    @Test
    void whoRefusesListensAndWhoIsSilentDoesNot() {
        PeerCalls calls = calls();
        assertTrue(calls.listens(
                voter(1, port("one", new PeerContact.Refused("no"))),
                PATHS.certificatesDir(),
                SOURCE));
        assertFalse(calls.listens(voter(2, port("two", SILENT)), PATHS.certificatesDir(), SOURCE));
        assertFalse(calls.listens(voter(3), PATHS.certificatesDir(), SOURCE));
    }

    @Test
    void aCallThatFailsFailsItsCaller() {
        var ours = new IllegalArgumentException("ours");
        assertSame(
                ours,
                assertThrows(
                        IllegalArgumentException.class,
                        () -> PeerCalls.done(CompletableFuture.failedFuture(ours))));
        var theirs = new IOException("theirs");
        assertSame(
                theirs,
                assertThrows(
                                IllegalStateException.class,
                                () -> PeerCalls.done(CompletableFuture.failedFuture(theirs)))
                        .getCause());
    }

    @Test
    void whoIsToldToStopStopsWaiting() {
        Thread.currentThread().interrupt();
        var stopped = assertThrows(
                IllegalStateException.class, () -> PeerCalls.done(new CompletableFuture<>()));
        assertTrue(Thread.interrupted(), "the interrupt was lost");
        assertInstanceOf(InterruptedException.class, stopped.getCause());
    }
}
