package io.kjadm.core.snapshot.drill;

import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotManifest.MemberHash;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.RpcCode;

import java.util.Comparator;
import java.util.Optional;

/** What an etcd that was made of a snapshot holds, beside what the members held. */
sealed interface HashComparison {

    /** It is what the member held that the snapshot was taken of. */
    record Same(long keys) implements HashComparison {}

    /** It is something else, or not there. */
    record Differs(String how) implements HashComparison {}

    /** No member has told what it held, or in a way that could be compared. */
    record Unknown(long keys) implements HashComparison {}

    /**
     * Compares. A member that was asked when it had compacted further since holds less history:
     * the etcd is compacted as far.
     *
     * @throws EtcdCallException if it does not answer
     */
    static HashComparison of(SnapshotManifest manifest, ScratchEtcd etcd) {
        long revision = manifest.plain().content().revision();
        long keys;
        KvHash restored;
        try {
            keys = etcd.keysAt(revision);
            restored = etcd.hashAt(revision);
        } catch (EtcdCallException e) {
            if (e.code() == RpcCode.OUT_OF_RANGE) {
                return new Differs(
                        "etcd does not have its revision %d: %s".formatted(revision, e.text()));
            }
            throw e;
        }
        Optional<KvHash> told = told(manifest);
        if (told.isEmpty()) {
            return new Unknown(keys);
        }
        KvHash held = told.get();
        if (held.compactRevision() > restored.compactRevision()) {
            etcd.compact(held.compactRevision());
            restored = etcd.hashAt(revision);
        }
        if (!held.comparable(restored)) {
            return new Unknown(keys);
        }
        return held.hash() == restored.hash()
                ? new Same(keys)
                : new Differs(
                        "the restored data differs from its member's: at revision %d the hash is %08x instead of %08x"
                                .formatted(revision, restored.hash(), held.hash()));
    }

    /** Of the member that it was taken of, or else of another. */
    private static Optional<KvHash> told(SnapshotManifest manifest) {
        return manifest.hashes().stream()
                .filter(hash -> hash.hash().isPresent())
                .min(Comparator.comparing((MemberHash hash) ->
                        !hash.member().equals(manifest.origin().memberId())))
                .flatMap(MemberHash::hash);
    }
}
