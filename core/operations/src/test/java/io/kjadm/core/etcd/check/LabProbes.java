package io.kjadm.core.etcd.check;

import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdProbe;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberProbe;
import io.kjadm.etcd.check.PeerContact;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Probes of a cluster in memory and of a good machine; its fields are set by the test. */
public final class LabProbes {

    /** What every peer port says whose member serves clients. */
    public PeerContact contact =
            new PeerContact.Answered(Duration.ofMillis(1), Optional.of(Duration.ZERO), "");
    /** What the others say. */
    public PeerContact contactOfSilent = new PeerContact.Unreachable("Connection refused");
    /** How far the API server's clock is ahead. */
    public Duration serverAhead = Duration.ZERO;
    /** Room on the disk of the data directory. */
    public long freeBytes = 100L << 30;
    /** How long a synced write takes. */
    public Duration syncTime = Duration.ofMillis(1);
    /**
     * The member list while the cluster cannot agree on one, as a single member would have it in
     * memory.
     */
    public Optional<List<Member>> remembered = Optional.empty();
    /** Why no endpoint answers, if none does. */
    public Optional<EtcdCallException> unanswered = Optional.empty();
    /** Changes what members tell of themselves. */
    public UnaryOperator<MemberProbe> view = UnaryOperator.identity();

    /** The ports; the cluster is looked up at each use. */
    public JoinProbes ports(Supplier<EtcdCluster> etcd) {
        return new JoinProbes(
                access -> new Probe(etcd.get()),
                (url, source, credentials) -> serves(etcd.get(), url) ? contact : contactOfSilent,
                (server, caPem) -> serverAhead,
                new DiskProbe() {
                    @Override
                    public long freeBytes(Path directory) {
                        return freeBytes;
                    }

                    @Override
                    public Optional<Duration> syncTime(Path directory) throws IOException {
                        return Optional.of(syncTime);
                    }
                });
    }

    private boolean serves(EtcdCluster cluster, URI peerUrl) {
        return remembered.orElseGet(cluster::members).stream()
                .filter(member -> member.peerUrls().contains(peerUrl))
                .allMatch(member ->
                        cluster.statuses(List.of(member)).get(member).status().isPresent());
    }

    private final class Probe implements EtcdProbe {

        private final EtcdCluster cluster;

        private Probe(EtcdCluster cluster) {
            this.cluster = cluster;
        }

        @Override
        public List<Member> members() {
            unanswered.ifPresent(failure -> {
                throw failure;
            });
            return remembered.orElseGet(cluster::members);
        }

        @Override
        public MemberProbe look(Member member, Duration limit) {
            List<Member> members = members();
            return view.apply(new MemberProbe(
                    cluster.status(member),
                    OptionalLong.empty(),
                    Optional.of(members),
                    Optional.of(members)));
        }

        @Override
        public void close() {}
    }
}
