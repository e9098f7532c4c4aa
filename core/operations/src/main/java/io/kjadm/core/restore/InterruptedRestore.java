package io.kjadm.core.restore;

import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.StoredMember;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.RestoreStep;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.check.DataDirectory;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A restore that was interrupted before it served, as a reset of the same machine has to know it:
 * the member whose data it has set aside may still be listed by the others.
 *
 * @param previous IDs of the member whose data were in the data directory; empty if it had none, or
 *     they are not known
 * @param made     IDs of the member that the restore makes, if they are known
 * @param members  that were listed when the restore began, as far as it has noted them
 */
public record InterruptedRestore(
        Optional<MemberIds> previous, Optional<MemberIds> made, List<Member> members) {

    public InterruptedRestore {
        members = List.copyOf(members);
    }

    /**
     * The one with its files in a directory; empty if there is none, or its data are served.
     *
     * @param work    its directory, with the journal in it; a journal that cannot be read tells no
     *     member
     * @param dataDir of etcd
     */
    public static Optional<InterruptedRestore> find(HostFiles files, Path work, Path dataDir) {
        Path journal = work.resolve("journal.json");
        if (!files.exists(journal)) {
            return Optional.empty();
        }
        Optional<RestoreEntry> entry = RestoreJournal.readable(files, journal);
        if (entry.filter(noted -> noted.passed(RestoreStep.SERVING)).isPresent()) {
            return Optional.empty();
        }
        return Optional.of(new InterruptedRestore(
                entry.flatMap(
                        noted -> noted.known().previous().or(() -> ids(files, noted, dataDir))),
                entry.flatMap(noted -> noted.known().made()),
                files.read(work.resolve(OldMembers.NOTE))
                        .map(StoredMember::parse)
                        .orElse(List.of())));
    }

    /** The journal of an earlier release does not tell whose data it has set aside; they do. */
    private static Optional<MemberIds> ids(HostFiles files, RestoreEntry entry, Path dataDir) {
        return new DataDirBackup(files, dataDir)
                .kept(entry.aside())
                .flatMap(new DataDirReader(files)::idsIn);
    }

    /**
     * The member of this machine that the others may list: the previous one, unless data that are in
     * place are of yet another one, which came later.
     */
    public Optional<MemberId> member(DataDirectory inPlace) {
        return previous.filter(ids -> !(inPlace instanceof DataDirectory.Held held)
                        || held.identity().ids().equals(ids)
                        || made.filter(held.identity().ids()::equals).isPresent())
                .map(MemberIds::memberId);
    }

    /** Where the members that it has noted serve their clients. */
    public List<URI> clientUrls() {
        return members.stream()
                .flatMap(member -> OldMembers.clientUrls(member).stream())
                .toList();
    }
}
