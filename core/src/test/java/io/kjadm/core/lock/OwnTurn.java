package io.kjadm.core.lock;

import java.util.Optional;

/** A turn that nobody contests. */
public class OwnTurn implements MembershipLock.Held {

    @Override
    public final MembershipLock.Standing standing() {
        return new MembershipLock.Standing.Ours();
    }

    @Override
    public final Optional<LockRecord> predecessor() {
        return Optional.empty();
    }

    @Override
    public void tell(MembershipLock.Work now) {
        // nobody waits
    }

    @Override
    public void close() {
        // nothing is held
    }
}
