package io.kjadm.core.etcd.ca;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.CaRotationStage;
import io.kjadm.core.journal.Failpoints.Fuse;
import io.kjadm.core.journal.Journal;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.Progress;
import io.kjadm.etcd.MemberId;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * The stage of a rotation that this node is entering: written before its CAs or certificates are
 * exchanged, and deleted when etcd has noted that it is through. Other commands that restart etcd
 * or replace its data must not find the files half exchanged.
 *
 * <p>Between two stages there is none: the node waits for the others then, which may take days, and
 * may need other commands for it. How far the rotation is, etcd alone knows ({@link
 * CaRotationNotes}); so an entry that cannot be read stops no rotation.
 */
final class CaRotationJournal {

    private static final Journal.Kind<Entry> KIND = new Journal.Kind<>(
            Operation.CA_ROTATION,
            Entry.class,
            entry -> new Progress(
                    entry.stage(), entry.at(), Optional.empty(), Optional.of(entry.memberId())),
            Journal.Damaged.IGNORE,
            "");

    private final HostFiles files;
    private final Journal<Entry> journal;

    /**
     * @param path of the node
     * @param fuse a fault on purpose, or none
     */
    CaRotationJournal(HostFiles files, Path path, Fuse fuse) {
        this.files = files;
        this.journal = new Journal<>(files, path, KIND, fuse);
    }

    /**
     * On disk.
     *
     * @param stage    that the node is entering
     * @param at       when it did
     * @param memberId the node's member
     * @param newCa    SHA-256 of the CA that etcd gets, as openssl writes it
     */
    private record Entry(CaRotationStage stage, Instant at, MemberId memberId, String newCa) {}

    /** Before anything is exchanged. */
    void enter(CaRotationStage stage, MemberId own, CaRotationRecord rotation, Instant now) {
        journal.write(new Entry(stage, now, own, rotation.next().fingerprint()));
    }

    /** The stage that an earlier run has entered and not left. */
    Optional<CaRotationStage> entered() {
        return journal.read().map(Entry::stage);
    }

    /** Whether that is the last one. */
    boolean isInLastStage() {
        return entered().filter(CaRotationStage.ENDED::equals).isPresent();
    }

    /** The node is through the stage, or there is no rotation. */
    void leave() {
        if (files.exists(journal.path())) {
            journal.clear();
        }
    }
}
