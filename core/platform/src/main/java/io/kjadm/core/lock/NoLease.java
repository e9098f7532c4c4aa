package io.kjadm.core.lock;

import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;

/** A turn that nobody else knows of. */
record NoLease(String why) implements HeldLock {

    @Override
    public void tell(Work now) {
        // there is nobody to be told
    }

    @Override
    public void close() {
        // there is nothing to be given back
    }
}
