package io.kjadm.core.restore;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.RestoreStep;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.recover.DatabaseEvidence;
import io.kjadm.manifests.NameAndUrl;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Whose data lie where etcd's data are while a restore is under way. Their write-ahead log tells: a
 * name or a place would be the same for an etcd that somebody started meanwhile.
 */
final class DataInPlace {

    /** What they are. */
    enum Found {
        /** There are none. */
        NONE,
        /** Those from before the restore. */
        PREVIOUS,
        /** Those that the restore made. */
        MADE,
        /** Neither. */
        OTHER
    }

    private final HostFiles files;
    private final Path dataDir;
    private final RestoreEntry entry;
    private final MemberIds made;
    private final DataDirReader reader;

    /** @param member the only one of the new cluster */
    DataInPlace(HostFiles files, Path dataDir, RestoreEntry entry, Supplier<NameAndUrl> member) {
        this.files = files;
        this.dataDir = dataDir;
        this.entry = entry;
        this.made = entry.known().made().orElseGet(() -> MadeData.ids(entry.token(), member.get()));
        this.reader = new DataDirReader(files);
    }

    /** Those of the member that the restore makes. */
    MemberIds made() {
        return made;
    }

    /** Those of the member whose data were here before, as far as they are known. */
    Optional<MemberIds> previousIds() {
        return entry.known().previous().or(() -> kept().flatMap(reader::idsIn));
    }

    /** The revision of those from before, once they are set aside, if their database can be read. */
    OptionalLong previousRevision() {
        DatabaseReader databases = new DatabaseReader(files);
        return kept().stream()
                .flatMap(SetAsideData::databases)
                .filter(files::exists)
                .map(databases::unused)
                .flatMap(evidence -> evidence instanceof DatabaseEvidence.Whole whole
                        ? Stream.of(whole.revision())
                        : Stream.empty())
                .mapToLong(Long::longValue)
                .findFirst();
    }

    /** Where they are. */
    Path place() {
        return dataDir.resolve(KubernetesPaths.ETCD_MEMBER);
    }

    Found look() {
        if (!files.exists(place())) {
            return Found.NONE;
        }
        Optional<MemberIds> ids = reader.idsIn(place());
        if (ids.filter(made::equals).isPresent()) {
            return Found.MADE;
        }
        return previous(ids) ? Found.PREVIOUS : Found.OTHER;
    }

    private boolean previous(Optional<MemberIds> ids) {
        Optional<MemberIds> known = previousIds();
        if (known.isPresent()) {
            return ids.equals(known);
        }
        // a log that could not be read before cannot be read now
        boolean unreadable =
                ids.isEmpty() && (!entry.passed(RestoreStep.SET_ASIDE) || kept().isEmpty());
        // the journal of an earlier release does not tell whose data were there
        boolean untold = entry.known().made().isEmpty() && !entry.passed(RestoreStep.SET_ASIDE);
        return unreadable || untold;
    }

    private Optional<Path> kept() {
        return new DataDirBackup(files, dataDir).kept(entry.aside());
    }

    /**
     * Whether they may be used: those from before until they are set aside, those that were made
     * afterwards.
     *
     * @throws HostException if something else is there
     */
    void require() {
        Found found = look();
        boolean right = entry.passed(RestoreStep.SET_ASIDE)
                ? found == Found.MADE || found == Found.NONE
                : found == Found.PREVIOUS || found == Found.NONE;
        if (!right) {
            throw refusal(found);
        }
    }

    /**
     * Whether an undo may put something else in their place.
     *
     * @throws HostException if they are neither those from before nor those that were made
     */
    Found requireOurs() {
        Found found = look();
        if (found == Found.OTHER) {
            throw refusal(found);
        }
        return found;
    }

    /**
     * What a tool has made, before it is used.
     *
     * @param member the folder, below the data directory
     * @throws HostException if it does not hold the data of the new member
     */
    void requireMadeAs(Path member) {
        new MadeData(files, dataDir, made).fault(member).ifPresent(why -> {
            throw new HostException(
                    "%s does not hold the restored data".formatted(member),
                    why,
                    "run the same command again, or undo the restore with --undo");
        });
    }

    private HostException refusal(Found found) {
        return new HostException(
                "%s holds data that this restore did not %s"
                        .formatted(
                                place(),
                                found == Found.PREVIOUS ? "make" : "make and did not find"),
                "%s; the restore makes the data of %s".formatted(described(), made),
                "if an etcd was started on this machine, stop it; move %s away, then run the same command again"
                        .formatted(place()));
    }

    private String described() {
        return switch (reader.read(dataDir)) {
            case DataDirectory.Held held -> "they are of " + held.identity().ids();
            case DataDirectory.Unreadable(String path, String why) -> why;
            case DataDirectory.Empty() -> "it is empty";
        };
    }
}
