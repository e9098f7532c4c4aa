package io.kjadm.core.etcd.check;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdProbe;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberLook;
import io.kjadm.etcd.check.Candidate;
import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.JoinFacts;
import io.kjadm.etcd.check.PeerCertificate;
import io.kjadm.etcd.check.PeerContact;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Gathers the facts of a join: every member, every peer port and this node are asked at the same time. Changes
 * nothing. It takes as long as the slowest answer, less than 10 s altogether: a silent member costs 5 s, and an
 * election that is going on is given 4 s to end.
 */
public final class JoinCheckup {

    private static final Duration PATIENCE = Duration.ofSeconds(4);
    private static final Duration FIRST_LOOK = Duration.ofSeconds(5);
    private static final Duration LATER_LOOK = Duration.ofSeconds(1);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

    /**
     * The node that joins.
     *
     * @param paths   where its certificates are
     * @param address its advertise address
     * @param dataDir etcd's data directory on it
     */
    public record JoiningNode(KubernetesPaths paths, InetAddress address, Path dataDir) {}

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
    public JoinFacts gather(EtcdAccess access, Candidate candidate, JoiningNode node) {
        PeerCertificateReader certificates = new PeerCertificateReader(files, node.paths());
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        try (EtcdProbe probe = probes.etcd().open(access)) {
            Future<PeerCertificate> certificate = threads.submit(() -> certificates.read(node.address()));
            Future<DataDirectory> data = threads.submit(() -> new DataDirReader(files).read(node.dataDir()));
            Future<OptionalLong> free = threads.submit(() -> free(node.dataDir()));
            List<Member> members = probe.members();
            Map<MemberId, Future<PeerContact>> called = certificates.credentials()
                    .map(credentials -> calls.begin(members, node.address(), credentials, threads)).orElseGet(Map::of);
            ClusterFacts cluster = settled(probe, members, threads);
            Map<MemberId, PeerContact> contacts = new HashMap<>();
            called.forEach((id, call) -> contacts.put(id, PeerCalls.done(call)));
            return new JoinFacts(candidate, cluster, contacts, PeerCalls.done(certificate), PeerCalls.done(data),
                    node.dataDir(), PeerCalls.done(free), waiter.now());
        } finally {
            threads.shutdownNow();
        }
    }

    /** What an endpoint shows that we do not trust, if one does; asked when a handshake failed. */
    public Optional<PeerContact.Untrusted> distrust(EtcdAccess access, JoiningNode node) {
        Optional<PeerCredentials> credentials = new PeerCertificateReader(files, node.paths()).credentials();
        if (credentials.isEmpty()) {
            return Optional.empty();
        }
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            var shown = new ExecutorCompletionService<PeerContact>(threads);
            access.endpoints().forEach(endpoint -> shown.submit(() ->
                    probes.peers().call(endpoint, node.address(), credentials.get())));
            // without waiting for one that is silent
            return Stream.generate(() -> next(shown)).limit(access.endpoints().size())
                    .filter(PeerContact.Untrusted.class::isInstance).map(PeerContact.Untrusted.class::cast).findFirst();
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

    /** Looked at again for a few seconds while an election or another change may explain what is seen. */
    private ClusterFacts settled(EtcdProbe probe, List<Member> members, ExecutorService threads) {
        Instant end = waiter.now().plus(PATIENCE);
        ClusterFacts facts = look(probe, members, member -> FIRST_LOOK, threads);
        while (facts.mayPass() && waiter.now().isBefore(end)) {
            waiter.pause("check-etcd", "the etcd members do not agree yet", BETWEEN_LOOKS);
            Set<MemberId> heard = facts.looks().keySet();
            // who was silent before has cost enough; if it has come back, it answers at once
            facts = look(probe, probe.members(),
                    member -> heard.contains(member.id()) ? FIRST_LOOK : LATER_LOOK, threads);
        }
        return facts;
    }

    private static ClusterFacts look(EtcdProbe probe, List<Member> members, Function<Member, Duration> limit,
            ExecutorService threads) {
        Map<MemberId, Future<MemberLook>> asked = new LinkedHashMap<>();
        members.stream().filter(Member::started).forEach(member ->
                asked.put(member.id(), threads.submit(() -> probe.look(member, limit.apply(member)))));
        Map<MemberId, MemberLook> looks = new HashMap<>();
        Map<MemberId, String> silences = new HashMap<>();
        asked.forEach((id, look) -> {
            try {
                looks.put(id, PeerCalls.done(look));
            } catch (EtcdCallException e) {
                silences.put(id, e.text());
            }
        });
        return ClusterFacts.of(members, looks, silences);
    }

    private OptionalLong free(Path dataDir) {
        try {
            return OptionalLong.of(probes.disk().freeBytes(dataDir));
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }
}
