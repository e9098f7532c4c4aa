package io.kjadm.core.etcd.check;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.check.PeerContact;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/**
 * Calls the peer ports of members from this node, with its peer certificate and all at the same
 * time.
 */
public final class PeerCalls {

    /** A call takes 5 s at most, and one begun within this limit is over in time. */
    private static final Duration LIMIT = Duration.ofSeconds(3);

    private final PeerDialer dialer;
    private final HostFiles files;
    private final Waiter clock;

    public PeerCalls(PeerDialer dialer, HostFiles files, Waiter clock) {
        this.dialer = dialer;
        this.files = files;
        this.clock = clock;
    }

    /**
     * Why not, of each of the members that does not answer as to one of its own. Nobody is called
     * without certificates.
     *
     * @param certificatesDir where this node's certificates are
     * @param source          the address the calls should come from
     */
    public Map<MemberId, String> unreached(
            List<Member> members, Path certificatesDir, InetAddress source) {
        Optional<PeerCredentials> credentials =
                new PeerCertificateReader(files, certificatesDir).credentials();
        if (credentials.isEmpty()) {
            return Map.of();
        }
        ExecutorService threads = SocketThreads.perTask();
        try {
            Map<MemberId, String> unreached = new HashMap<>();
            begin(
                            members.stream().filter(Member::started).toList(),
                            source,
                            credentials.get(),
                            threads)
                    .forEach(
                            (id, call) -> why(done(call)).ifPresent(why -> unreached.put(id, why)));
            return unreached;
        } finally {
            threads.shutdownNow();
        }
    }

    /**
     * Whether anything listens on the peer port of that member; also if it cannot be called from
     * here.
     */
    public boolean listens(Member member, Path certificatesDir, InetAddress source) {
        return new PeerCertificateReader(files, certificatesDir)
                .credentials()
                .map(credentials -> call(member, source, credentials))
                .filter(PeerContact.Unreachable.class::isInstance)
                .isEmpty();
    }

    private static Optional<String> why(PeerContact contact) {
        return switch (contact) {
            case PeerContact.Answered answered -> Optional.empty();
            case PeerContact.Unreachable(String why) -> Optional.of(why);
            case PeerContact.Untrusted(String why, String theirs, String ours) ->
                Optional.of(
                        "it presents %s, this node trusts %s (%s)".formatted(theirs, ours, why));
            case PeerContact.Refused(String why) ->
                Optional.of("it does not accept this node's peer certificate: " + why);
        };
    }

    /** Begins a call to each voter. */
    Map<MemberId, Future<PeerContact>> begin(
            List<Member> members,
            InetAddress source,
            PeerCredentials credentials,
            ExecutorService threads) {
        Map<MemberId, Future<PeerContact>> calls = new LinkedHashMap<>();
        members.stream()
                .filter(member -> member.voter() && !member.peerUrls().isEmpty())
                .forEach(member -> calls.put(
                        member.id(), threads.submit(() -> call(member, source, credentials))));
        return calls;
    }

    /** Several peer URLs are tried one after the other, as etcd does, but not for long. */
    private PeerContact call(Member member, InetAddress source, PeerCredentials credentials) {
        Instant end = clock.now().plus(LIMIT);
        PeerContact contact = new PeerContact.Unreachable("no peer URL is listed");
        for (URI url : member.peerUrls()) {
            if (clock.now().isBefore(end)) {
                contact = dialer.call(url, source, credentials);
            }
            if (contact instanceof PeerContact.Answered) {
                break;
            }
        }
        return contact;
    }

    /** The answer, or the failure that it came to. */
    static <T> T done(Future<T> task) {
        try {
            return task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while looking at etcd", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause
                    ? cause
                    : new IllegalStateException(e.getCause());
        }
    }
}
