package io.kjadm.core.etcd.version;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.Failpoints.Fuse;
import io.kjadm.core.journal.Journal;
import io.kjadm.core.journal.JournalOwner;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.Progress;
import io.kjadm.core.journal.Unfinished;
import io.kjadm.etcd.MemberIds;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The journal of this node's upgrade, or of a change of its etcd's version, beside the previous
 * content of the files that it changes. It is written before each change that it announces, so that
 * the same command goes on after a kill, or rolls back what another run could not.
 */
final class UpgradeJournal {

    private final Operation operation;
    private final Path place;
    private final Journal<UpgradeEntry> journal;

    /**
     * @param place     the directory of the journal and of what is kept
     * @param operation which of the two it is
     * @param member    this machine's, as far as it is known
     */
    UpgradeJournal(
            HostFiles files,
            Path place,
            Operation operation,
            Supplier<Optional<MemberIds>> member,
            Fuse fuse) {
        this.operation = operation;
        this.place = place;
        this.journal = new Journal<>(
                files,
                place.resolve("journal.json"),
                new Journal.Kind<>(
                        operation,
                        UpgradeEntry.class,
                        entry -> {
                            Optional<MemberIds> ids = member.get();
                            return new Progress(
                                    entry.step(),
                                    entry.began(),
                                    ids.map(MemberIds::clusterId),
                                    ids.map(MemberIds::memberId));
                        },
                        Journal.Damaged.REFUSE,
                        "compare the files kept in %s with those in use, then move that directory away"
                                .formatted(place),
                        UpgradeEntry::operationOfEarlierRelease),
                fuse);
    }

    /** The directory with the journal and what is kept. */
    Path place() {
        return place;
    }

    /**
     * What was noted last, if an upgrade is under way.
     *
     * @throws HostException if it cannot be read: what is kept beside it would be lost; or if the
     *         other of the two operations has changed something
     */
    Optional<UpgradeEntry> read() {
        Optional<JournalOwner> other = other();
        Optional<UpgradeEntry> entry = journal.read();
        if (other.isPresent()) {
            entry.filter(UpgradeEntry::changesFiles).ifPresent(_ -> {
                throw Unfinished.of(other.get(), journal.path()).refusal();
            });
            return Optional.empty();
        }
        return entry;
    }

    /** Whether the other of the two operations wrote it. */
    boolean isOfAnother() {
        return other().isPresent();
    }

    private Optional<JournalOwner> other() {
        return journal.owner().filter(owner -> owner.operation() != operation);
    }

    void write(UpgradeEntry entry) {
        journal.write(entry);
    }
}
