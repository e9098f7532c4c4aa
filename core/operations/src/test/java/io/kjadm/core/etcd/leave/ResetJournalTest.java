package io.kjadm.core.etcd.leave;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.MemberId;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.Optional;

/** What a reset notes, the next one reads. */
class ResetJournalTest {

    private static final Path FILE = Path.of("/etc/kubernetes/tmp/kjadm-reset/journal.json");
    private static final Path SNAPSHOT = Path.of("/var/lib/kjadm-snapshots/etcd-c1.db");
    private static final Path PLACE = Path.of("/var/lib/etcd.removed-1");
    private static final Optional<MemberId> OWN = Optional.of(new MemberId(0xa001));

    private final MemoryFiles files = new MemoryFiles();
    private final VirtualWaiter waiter = new VirtualWaiter();

    private ResetJournal journal() {
        return new ResetJournal(
                files, FILE, "unix:///run/c.sock", waiter, Failpoints.none().fuse(waiter));
    }

    private ResetEntry noted() {
        return ResetJournal.read(files, FILE).orElseThrow();
    }

    @Test
    void everythingIsReadBack() {
        ResetJournal journal = journal();
        journal.begin(OWN, Optional.of("c1"));
        journal.enterSnapshot(SNAPSHOT);
        journal.enter(ResetState.STOPPED, PLACE);
        assertEquals(
                new ResetEntry(
                        ResetState.STOPPED,
                        OWN,
                        Optional.of("c1"),
                        "unix:///run/c.sock",
                        waiter.now(),
                        Optional.of(SNAPSHOT),
                        Optional.of(PLACE)),
                noted());
        assertEquals(Optional.of(FileMode.OWNER_ONLY), files.mode(FILE));
    }

    @Test
    void anotherRunOfTheSameMemberKnowsWhereThingsWere() {
        journal().begin(OWN, Optional.of("c1"));
        journal().enterSnapshot(SNAPSHOT);
        journal().begin(OWN, Optional.of("c1"));
        assertEquals(Optional.of(SNAPSHOT), noted().snapshot());
        assertEquals(ResetState.RETIRING, noted().state());
    }

    @Test
    void whatWasNotedOfAnotherMemberIsForgotten() {
        journal().begin(Optional.of(new MemberId(0xa002)), Optional.of("c1"));
        journal().enterSnapshot(SNAPSHOT);
        journal().begin(OWN, Optional.of("c1"));
        assertEquals(Optional.empty(), noted().snapshot());
        assertEquals(OWN, noted().memberId());
    }

    @Test
    void aTornFileIsAsGoodAsNone() {
        journal().begin(OWN, Optional.of("c1"));
        String whole = files.text(FILE.toString());
        files.with(FILE.toString(), whole.substring(0, whole.length() / 2));
        assertEquals(Optional.empty(), journal().entry());
    }
}
