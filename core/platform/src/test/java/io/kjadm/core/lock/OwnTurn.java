package io.kjadm.core.lock;

/** A turn that nobody contests. */
public class OwnTurn implements MembershipLock.HeldLock {

    @Override
    public void tell(MembershipLock.Work now) {
        // nobody waits
    }

    @Override
    public void close() {
        // nothing is held
    }
}
