package io.kjadm.core.restore;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When a leader that this node's member knew was last all that is seen of the other members, say
 * because their ports are closed to this node. Its data or its process may be lost right after
 * that: the next look, or the next run, would find a member that does not respond, and forget that
 * a quorum was seen a moment ago.
 */
record KnownLeader(HostFiles files, RestoredEtcd etcd) {

    /** Beside the journal of a restore; removed with it. */
    static final String NOTE = "known-leader";

    private Path note() {
        return etcd.host().restoreJournal().resolveSibling(NOTE);
    }

    /**
     * Notes what this node's member says now.
     *
     * @param only whether it knows a leader, and nothing else is seen of the others
     */
    void note(boolean only, Instant now) {
        if (only) {
            etcd.host().machine().files().write(note(), now + "\n", FileMode.OWNER_ONLY);
        } else if (files.exists(note())) {
            etcd.host().machine().files().delete(note());
        }
    }

    /** How long ago that was, if it has said nothing else since. */
    Optional<Duration> ago(Instant now) {
        return files.read(note())
                .flatMap(KnownLeader::parse)
                .map(seen -> Duration.between(seen, now));
    }

    /** Nothing for a text that kjadm has not written. */
    private static Optional<Instant> parse(String text) {
        try {
            return Optional.of(Instant.parse(text.strip()));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
