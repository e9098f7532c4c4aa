package io.kjadm.core.snapshot;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.snapshot.SnapshotContent;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What is told of a snapshot beside it: enough to choose one, to see that it is what was taken, and
 * to compare what is restored of it with what the members held.
 *
 * @param name   of the snapshot in its cluster, which sorts by time: {@code 20261120t102459z-3f1c}
 * @param taken  when it was begun
 * @param plain  the snapshot itself
 * @param stored what is kept of it
 * @param hashes what the members said that their keys add up to at its revision
 * @param labels the operator's words, by name
 */
public record SnapshotManifest(
        String name,
        Origin origin,
        Instant taken,
        Plain plain,
        Stored stored,
        List<MemberHash> hashes,
        Map<String, String> labels) {

    public SnapshotManifest {
        hashes = List.copyOf(hashes);
        labels = new TreeMap<>(labels);
    }

    /**
     * Where it comes from.
     *
     * @param clusterId in hexadecimal digits
     * @param etcd      version of the member
     * @param members   of the cluster when it was taken; none if that is not known
     */
    public record Origin(
            String clusterId,
            MemberId memberId,
            String memberName,
            EtcdVersion etcd,
            List<Member> members) {

        public Origin {
            members = List.copyOf(members);
        }

        /** Without the other members. */
        public Origin(String clusterId, MemberId memberId, String memberName, EtcdVersion etcd) {
            this(clusterId, memberId, memberName, etcd, List.of());
        }
    }

    /**
     * The snapshot as etcd sent it, with its sum.
     *
     * @param sha256 over all of its bytes, in hexadecimal digits
     */
    public record Plain(SnapshotContent content, long bytes, String sha256) {}

    /**
     * The object in the store.
     *
     * @param sha256   over all of its bytes, in hexadecimal digits
     * @param encoding what was done to the snapshot
     * @param pki      the cluster's keys beside it
     */
    public record Stored(
            long bytes, String sha256, SnapshotEncoding encoding, Optional<Bundle> pki) {

        /** A snapshot alone. */
        public Stored(long bytes, String sha256, SnapshotEncoding encoding) {
            this(bytes, sha256, encoding, Optional.empty());
        }

        /** What is wrong with an object of that size and sum, if anything. */
        Optional<String> sumFault(long size, String found) {
            if (size > bytes) {
                return Optional.of(
                        "it has more than the %d bytes that its manifest names".formatted(bytes));
            }
            if (size < bytes) {
                return Optional.of(
                        "it has %d bytes in the store instead of %d".formatted(size, bytes));
            }
            return found.equals(sha256)
                    ? Optional.empty()
                    : Optional.of("its bytes in the store are not those that were written");
        }

        Stored with(Bundle keys) {
            return new Stored(bytes, sha256, encoding, Optional.of(keys));
        }
    }

    /**
     * Keys in the store, encrypted for the same recipients.
     *
     * @param sha256 over all of its bytes, in hexadecimal digits
     */
    public record Bundle(long bytes, String sha256) {}

    /**
     * What one member said.
     *
     * @param hash    empty if it did not say
     * @param silence why, or empty text
     */
    public record MemberHash(MemberId member, Optional<KvHash> hash, String silence) {}
}
