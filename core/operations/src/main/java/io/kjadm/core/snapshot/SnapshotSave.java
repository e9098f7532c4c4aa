package io.kjadm.core.snapshot;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.AnsweringUrl;
import io.kjadm.core.etcd.SnapshotSaver;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.snapshot.SnapshotManifest.MemberHash;
import io.kjadm.core.snapshot.SnapshotManifest.Origin;
import io.kjadm.core.snapshot.SnapshotManifest.Plain;
import io.kjadm.core.snapshot.SnapshotManifest.Stored;
import io.kjadm.core.snapshot.pki.PkiFile;
import io.kjadm.core.snapshot.sign.SigningKey;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.snapshot.SnapshotContent;
import io.kjadm.etcd.snapshot.SnapshotVerifier;
import io.kjadm.store.StoreException;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Takes a snapshot of a cluster into a store. It is looked into while it comes, kept nowhere
 * between etcd and the store, and becomes one only when all of it was found to be whole.
 */
public final class SnapshotSave {

    private static final String AREA = "snapshot";

    private final EtcdCluster cluster;
    private final SnapshotCatalog catalog;
    private final Waiter clock;
    private final RandomGenerator random;
    private final Reporter out;

    public SnapshotSave(
            EtcdCluster cluster,
            SnapshotCatalog catalog,
            Waiter clock,
            RandomGenerator random,
            Reporter out) {
        this.cluster = cluster;
        this.catalog = catalog;
        this.clock = clock;
        this.random = random;
        this.out = out;
    }

    /**
     * Where a snapshot would come from.
     *
     * @param url of the member
     */
    public record Choice(EtcdHealth health, Member member, URI url) {}

    /**
     * Chooses the member; changes nothing.
     *
     * @throws ClusterException if none can be asked
     */
    public Choice choose(EtcdHealth health) {
        Member member = SnapshotSource.choose(health, alarms());
        if (!health.hasQuorum()) {
            out.warn(
                    "etcd has no quorum: what %s holds may lack the last writes, or have some that never were acknowledged"
                            .formatted(member.label()));
        }
        return new Choice(health, member, AnsweringUrl.of(cluster, member, List.of()));
    }

    /** Without a quorum nobody tells; a member's own word is among its status' errors. */
    private List<Alarm> alarms() {
        try {
            return cluster.alarms();
        } catch (EtcdCallException e) {
            out.detail("snapshot: the alarms are not known: " + e.getMessage());
            return List.of();
        }
    }

    /**
     * How it is stored.
     *
     * @param labels of the operator's
     * @param pki    the cluster's keys, to be kept beside it; none without recipients in the
     *     encoding: they never lie in a store in plain
     * @param key    signs it, if there is one
     */
    public record Terms(
            SnapshotEncoding encoding,
            Map<String, String> labels,
            List<PkiFile> pki,
            Optional<SigningKey> key) {}

    /**
     * Takes it.
     *
     * @throws ClusterException if it could not be taken whole; there is none in the store then
     */
    public SavedSnapshot save(Choice choice, Terms terms) {
        SnapshotEncoding encoding = terms.encoding();
        List<PkiFile> pki = terms.pki();
        Instant begun = clock.now();
        Origin origin = origin(choice);
        String name = "%s-%04x"
                .formatted(SnapshotCatalog.stamp(begun), random.nextInt(1 << Character.SIZE));
        out.step(
                AREA,
                "Taking snapshot %s of etcd member %s"
                        .formatted(name, choice.member().label()));
        Passage passage = new Passage(choice.url(), encoding);
        boolean confirmed;
        try {
            confirmed = out.during(AREA, "Receiving the snapshot", () -> {
                boolean told = catalog.write(origin.clusterId(), name, passage::carry);
                if (!pki.isEmpty()) {
                    passage.stored = passage.stored.with(new SnapshotPki(catalog)
                            .write(origin.clusterId(), name, pki, encoding.recipients()));
                }
                return told;
            });
        } catch (EtcdCallException | StoreException e) {
            throw failed(e.getMessage(), e);
        } catch (HostException e) {
            throw failed(e.what() + ": " + e.why(), e);
        }
        SnapshotManifest manifest = new SnapshotManifest(
                name,
                origin,
                begun,
                passage.plain,
                passage.stored,
                hashes(choice.health(), passage.plain.content().revision()),
                terms.labels());
        catalog.publish(manifest, terms.key());
        catalog.requireData(manifest);
        tell(manifest);
        return new SavedSnapshot(manifest, confirmed);
    }

    /** The same for a snapshot alone, without a signature. */
    public SnapshotManifest save(
            Choice choice, SnapshotEncoding encoding, Map<String, String> labels) {
        return save(choice, new Terms(encoding, labels, List.of(), Optional.empty()))
                .manifest();
    }

    private Origin origin(Choice choice) {
        MemberStatus status = choice.health().status(choice.member().id()).orElseThrow();
        return new Origin(
                status.clusterId(),
                choice.member().id(),
                choice.member().name(),
                status.version(),
                choice.health().members());
    }

    private static ClusterException failed(String why, Exception cause) {
        return new ClusterException(
                "no snapshot of etcd could be taken",
                why,
                "check that etcd is healthy and that the store takes objects, then run the command again",
                cause);
    }

    private List<MemberHash> hashes(EtcdHealth health, long revision) {
        return out.during(
                AREA,
                "Comparing the hashes of the members",
                () -> health.members().stream()
                        .filter(Member::started)
                        .filter(Member::voter)
                        .map(member -> hash(member, revision))
                        .toList());
    }

    /** It is worth having, and no snapshot fails for want of it. */
    private MemberHash hash(Member member, long revision) {
        try {
            KvHash hash = cluster.hashKv(AnsweringUrl.of(cluster, member, List.of()), revision);
            return new MemberHash(member.id(), Optional.of(hash), "");
        } catch (EtcdCallException e) {
            return new MemberHash(member.id(), Optional.empty(), e.text());
        } catch (ClusterException e) {
            return new MemberHash(member.id(), Optional.empty(), e.why());
        }
    }

    private void tell(SnapshotManifest manifest) {
        SnapshotContent content = manifest.plain().content();
        out.step(
                AREA,
                "Snapshot %s: revision %d, %d bytes, its tree is whole; sha256 %s"
                        .formatted(
                                manifest.name(),
                                content.revision(),
                                manifest.plain().bytes(),
                                manifest.plain().sha256()));
        List<KvHash> told =
                manifest.hashes().stream().flatMap(hash -> hash.hash().stream()).toList();
        told.stream()
                .filter(hash -> told.stream()
                        .anyMatch(other -> hash.comparable(other) && hash.hash() != other.hash()))
                .findFirst()
                .ifPresent(_ -> out.warn(
                        "the etcd members hold different data at revision %d: one of them is corrupt. Compare 'etcdctl endpoint hashkv' of all, and replace the one that differs"
                                .formatted(content.revision())));
    }

    /** The way of the bytes from the member to the store. */
    private final class Passage {

        private final URI url;
        private final SnapshotEncoding encoding;
        private Plain plain;
        private Stored stored;

        Passage(URI url, SnapshotEncoding encoding) {
            this.url = url;
            this.encoding = encoding;
        }

        /** Where nothing is done to the bytes, they are added up once. */
        void carry(OutputStream object) throws IOException {
            boolean asTheyAre = encoding.equals(SnapshotEncoding.NONE);
            SummedOutput sum = new SummedOutput(object);
            OutputStream into = asTheyAre ? new OpenOutput(object) : encoding.encode(sum);
            try (SnapshotVerifier snapshot = new SnapshotVerifier(into)) {
                cluster.snapshot(url, snapshot);
                plain = new Plain(
                        SnapshotSaver.whole(snapshot), snapshot.size(), snapshot.sha256Hex());
            }
            stored = asTheyAre
                    ? new Stored(plain.bytes(), plain.sha256(), encoding)
                    : new Stored(sum.size(), sum.sha256Hex(), encoding);
        }
    }
}
