package io.kjadm.core.etcd.replace;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.Journal;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.Progress;
import io.kjadm.core.journal.ReplaceStage;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.MembershipJournal;
import io.kjadm.etcd.join.NewMember;

import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The journal of a replacement, beside that of the new member's join. Each is written, synced and
 * renamed before the change that it announces.
 */
public final class ReplaceJournal {

    private static final Journal.Kind<Noted> KIND = new Journal.Kind<>(
            Operation.REPLACE,
            Noted.class,
            noted -> new Progress(
                    noted.stage(),
                    noted.began(),
                    Optional.of(noted.clusterId()),
                    Optional.of(noted.old().id())),
            Journal.Damaged.REFUSE,
            "compare 'kjadm etcd member list' with what was to be replaced, finish that by 'kjadm etcd member' commands, then delete the file");

    private final Journal<Noted> journal;
    private final MembershipJournal joining;

    /** The journal of this machine. */
    public ReplaceJournal(
            HostFiles files, KubernetesPaths paths, Failpoints failpoints, Waiter waiter) {
        Path directory = paths.tmpDir().resolve("kjadm-etcd-replace");
        this.journal = new Journal<>(
                files, directory.resolve("journal.json"), KIND, failpoints.fuse(waiter));
        this.joining = new JournalFile(files, directory, failpoints.fuse(waiter));
    }

    /** On disk the new member is its name, and its peer URLs between commas. */
    private record Noted(
            ReplaceStage stage,
            ReplaceOrder order,
            String clusterId,
            String name,
            String peerUrl,
            Instant began,
            Member old,
            Set<MemberId> before) {

        static Noted of(ReplaceEntry entry) {
            return new Noted(
                    entry.stage(),
                    entry.order(),
                    entry.clusterId(),
                    entry.wanted().name(),
                    entry.wanted().peerUrlText(),
                    entry.began(),
                    entry.old(),
                    entry.before());
        }

        ReplaceEntry entry() {
            return new ReplaceEntry(
                    stage,
                    order,
                    clusterId,
                    old,
                    new NewMember(
                            name, Stream.of(peerUrl.split(",")).map(URI::create).toList()),
                    before,
                    began);
        }
    }

    /** Of the new member's join. */
    MembershipJournal joining() {
        return joining;
    }

    /** Where it is. */
    Path path() {
        return journal.path();
    }

    /**
     * What was noted last, if a replacement is under way.
     *
     * @throws HostException if it cannot be read: it tells what may have been changed
     */
    Optional<ReplaceEntry> read() {
        return journal.read().map(Noted::entry);
    }

    void write(ReplaceEntry entry) {
        journal.write(Noted.of(entry));
    }

    /** The replacement has ended. */
    void clear() {
        joining.clear();
        journal.clear();
    }
}
