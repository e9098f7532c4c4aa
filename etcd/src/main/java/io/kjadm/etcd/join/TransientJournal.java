package io.kjadm.etcd.join;

import java.util.Optional;

/** A journal that lives as long as the program: who is interrupted asks again. */
public final class TransientJournal implements MembershipJournal {

    private Optional<JoinEntry> entry = Optional.empty();

    @Override
    public Optional<JoinEntry> read() {
        return entry;
    }

    @Override
    public void write(JoinEntry next) {
        entry = Optional.of(next);
    }

    @Override
    public void clear() {
        entry = Optional.empty();
    }
}
