package io.kjadm.core.lock;

import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;

import java.util.function.Predicate;

/**
 * Where a lock is taken, whatever it is kept in.
 *
 * @param self       the run that takes it
 * @param over       whether another run on the same machine is over for certain
 * @param waiter     the clock
 * @param background renews it
 */
record LockSite(
        LockHolder self,
        Predicate<String> over,
        Waiter waiter,
        Scheduler background,
        Reporter out) {

    /** Warns that the change is made without the lock. */
    HeldLock unguarded(String others, String store, String why) {
        out.warn(("other %s can change etcd's members at the same time: %s cannot be used (%s); "
                        + "etcd itself still refuses what would harm it")
                .formatted(others, store, why));
        return new NoLease(why);
    }
}
