package io.kjadm.core.etcd.check;

import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdProbe;
import io.kjadm.etcd.check.Candidate;
import io.kjadm.etcd.check.CheckFacts;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.PeerCertificate;
import io.kjadm.etcd.check.PeerContact;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Gathers the facts of a join: every member, every peer port and this node are asked at the same
 * time. Changes nothing. It takes as long as the slowest answer, see {@link ClusterObserver}.
 */
public final class JoinCheckup {

    /**
     * The node that joins.
     *
     * @param certificatesDir where its certificates are
     * @param address its advertise address
     * @param dataDir etcd's data directory on it
     */
    public record JoiningNode(Path certificatesDir, InetAddress address, Path dataDir) {}

    private final JoinProbes probes;
    private final HostFiles files;
    private final Waiter waiter;
    private final PeerCalls calls;

    /** @param waiter waits for real even in a dry run */
    public JoinCheckup(JoinProbes probes, HostFiles files, Waiter waiter) {
        this.probes = probes;
        this.files = files;
        this.waiter = waiter;
        this.calls = new PeerCalls(probes.peers(), files, waiter);
    }

    /**
     * All facts.
     *
     * @throws EtcdCallException if no member answers, so that not even the member list is known
     */
    public CheckFacts gather(EtcdAccess access, Candidate candidate, JoiningNode node) {
        PeerCertificateReader certificates =
                new PeerCertificateReader(files, node.certificatesDir());
        ExecutorService threads = SocketThreads.perTask();
        try (EtcdProbe probe = probes.etcd().apply(access)) {
            Future<PeerCertificate> certificate =
                    threads.submit(() -> certificates.read(node.address()));
            Future<DataDirectory> data =
                    threads.submit(() -> new DataDirReader(files).read(node.dataDir()));
            Future<OptionalLong> free = threads.submit(() -> free(node.dataDir()));
            Optional<PeerCredentials> credentials = certificates.credentials();
            var observer = new ClusterObserver(
                    probe,
                    waiter,
                    threads,
                    listed -> credentials
                            .map(own -> calls.begin(listed, node.address(), own, threads))
                            .orElseGet(Map::of));
            ClusterObserver.Observed seen = observer.observe(candidate);
            return new CheckFacts(
                    candidate,
                    seen.cluster(),
                    seen.contacts(),
                    PeerCalls.done(certificate),
                    new CheckFacts.Data(node.dataDir(), PeerCalls.done(data), PeerCalls.done(free)),
                    waiter.now());
        } finally {
            threads.shutdownNow();
        }
    }

    /** What an endpoint shows that we do not trust, if one does; asked when a handshake failed. */
    public Optional<PeerContact.Untrusted> distrust(EtcdAccess access, JoiningNode node) {
        Optional<PeerCredentials> credentials =
                new PeerCertificateReader(files, node.certificatesDir()).credentials();
        if (credentials.isEmpty()) {
            return Optional.empty();
        }
        ExecutorService threads = SocketThreads.perTask();
        try {
            var shown = new ExecutorCompletionService<PeerContact>(threads);
            access.endpoints()
                    .forEach(endpoint -> shown.submit(() ->
                            probes.peers().call(endpoint, node.address(), credentials.get())));
            // without waiting for one that is silent
            return Stream.generate(() -> next(shown))
                    .limit(access.endpoints().size())
                    .filter(PeerContact.Untrusted.class::isInstance)
                    .map(PeerContact.Untrusted.class::cast)
                    .findFirst();
        } finally {
            threads.shutdownNow();
        }
    }

    private static PeerContact next(ExecutorCompletionService<PeerContact> answers) {
        try {
            return PeerCalls.done(answers.take());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while looking at etcd", e);
        }
    }

    private OptionalLong free(Path dataDir) {
        try {
            return OptionalLong.of(probes.disk().freeBytes(dataDir));
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }
}
