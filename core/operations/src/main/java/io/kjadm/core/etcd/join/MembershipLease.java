package io.kjadm.core.etcd.join;

import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;

import java.time.Duration;
import java.util.Optional;

/**
 * This node's turn to change the membership. It is given back while the node can only wait for
 * somebody else's learner: the node that could bring that learner to its vote needs the turn to do
 * so.
 */
public final class MembershipLease implements AutoCloseable {

    private final MembershipLock lock;
    private Optional<HeldLock> held = Optional.empty();

    /** Nobody's turn yet. */
    public MembershipLease(MembershipLock lock) {
        this.lock = lock;
    }

    /** Waits for the turn, unless it is this node's already. */
    void take(Duration longestWait) {
        if (held.isEmpty()) {
            held = Optional.of(lock.take(Work.beginning("join"), longestWait));
        }
    }

    /** Lets others go first. */
    void release() {
        held.ifPresent(HeldLock::close);
        held = Optional.empty();
    }

    /** Tells those who wait how far this one is. */
    void tell(Work work) {
        held.ifPresent(turn -> turn.tell(work));
    }

    @Override
    public void close() {
        release();
    }
}
