package io.kjadm.core.recover;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.restore.DatabaseReader;
import io.kjadm.etcd.recover.DatabaseEvidence;
import io.kjadm.etcd.recover.LogEvidence;

import java.nio.file.Path;
import java.util.Optional;

/** What a member that has stopped has kept of its clients' writes. */
public final class StoppedMember {

    private StoppedMember() {}

    /**
     * What it has that a snapshot lacks, as a clause; empty if that is nothing.
     *
     * @param member   its directory, in a data directory or renamed
     * @param snapshot a file
     */
    public static Optional<String> lackingIn(Path snapshot, HostFiles files, Path member) {
        DatabaseReader reader = new DatabaseReader(files);
        if (!(reader.unused(snapshot) instanceof DatabaseEvidence.Whole kept)) {
            return Optional.of("the snapshot %s cannot be read".formatted(snapshot));
        }
        if (!(reader.unused(member.resolve("snap/db")) instanceof DatabaseEvidence.Whole stopped)) {
            return Optional.of("their database cannot be read");
        }
        if (kept.revision() != stopped.revision()) {
            return Optional.of("they have revision %d, and the snapshot %s has %d"
                    .formatted(stopped.revision(), snapshot, kept.revision()));
        }
        return inLog(files, member, stopped.applied());
    }

    /** A member that was killed may have acknowledged entries that its database has not got yet. */
    private static Optional<String> inLog(HostFiles files, Path member, long applied) {
        return switch (DiskReader.log(files, member, applied)) {
            case LogEvidence.Damaged(String why) -> Optional.of("of their write-ahead log: " + why);
            case LogEvidence.Readable log -> {
                long more = log.gap().committed() + log.gap().open();
                yield more == 0
                        ? Optional.empty()
                        : Optional.of(
                                "their write-ahead log has %d entries that their database lacks"
                                        .formatted(more));
            }
        };
    }
}
