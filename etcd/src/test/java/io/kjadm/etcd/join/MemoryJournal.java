package io.kjadm.etcd.join;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A journal in memory, which remembers every entry. */
public final class MemoryJournal implements MembershipJournal {

    private final List<JoinEntry> written = new ArrayList<>();
    private Optional<JoinEntry> entry = Optional.empty();
    /** Whether nothing more can be written. */
    boolean full;

    @Override
    public Optional<JoinEntry> read() {
        return entry;
    }

    @Override
    public void write(JoinEntry next) {
        if (full) {
            throw new IllegalStateException("no space left on device");
        }
        written.add(next);
        entry = Optional.of(next);
    }

    @Override
    public void clear() {
        entry = Optional.empty();
    }

    /** The states in the order they were entered. */
    List<JoinState> states() {
        return written.stream().map(JoinEntry::state).toList();
    }
}
