package io.kjadm.core.lock;

import io.kjadm.core.lock.MembershipLock.Held;
import io.kjadm.core.lock.MembershipLock.Work;

/** A turn that nobody else knows of. */
record UnguardedTurn(String why) implements Held {

    @Override
    public void tell(Work now) {
        // there is nobody to be told
    }

    @Override
    public void close() {
        // there is nothing to be given back
    }
}
