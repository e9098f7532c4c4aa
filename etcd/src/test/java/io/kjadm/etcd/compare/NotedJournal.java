package io.kjadm.etcd.compare;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;
import io.kjadm.etcd.join.MembershipJournal;
import io.kjadm.etcd.join.MemoryJournal;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A journal that notes when each state was entered, and lets something happen right after the add.
 */
final class NotedJournal implements MembershipJournal {

    private final MembershipJournal journal = new MemoryJournal();
    private final Map<JoinState, Long> entered = new EnumMap<>(JoinState.class);
    private final Consumer<MemberId> afterAdd;

    NotedJournal(Consumer<MemberId> afterAdd) {
        this.afterAdd = afterAdd;
    }

    @Override
    public Optional<JoinEntry> read() {
        return journal.read();
    }

    @Override
    public void write(JoinEntry entry) {
        boolean first = entered.putIfAbsent(entry.state(), System.nanoTime()) == null;
        journal.write(entry);
        if (first && entry.state() == JoinState.ADDED) {
            afterAdd.accept(entry.memberId().orElseThrow());
        }
    }

    @Override
    public void clear() {
        journal.clear();
    }

    Phases phases() {
        return new Phases(
                between(JoinState.ADDING, JoinState.ADDED),
                between(JoinState.ADDED, JoinState.STARTED),
                between(JoinState.STARTED, JoinState.PROMOTING),
                between(JoinState.PROMOTING, JoinState.DONE));
    }

    private Duration between(JoinState from, JoinState to) {
        return Duration.ofNanos(entered.get(to) - entered.get(from));
    }
}
