package io.kjadm.core.lock;

import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.phase.Reporter;

import java.time.Duration;

/** A turn that is renewed in the background until it is closed. */
abstract class RenewedTurn implements HeldLock {

    /** A sixth of the time that it lasts, so that some renewals may fail. */
    static final Duration RENEWAL = Duration.ofSeconds(10);

    private final Reporter out;
    private boolean warned;
    private Runnable endRenewals = () -> {};
    /** What the run tells without waiting for a renewal under way. */
    private volatile Work work;

    RenewedTurn(Work work, Reporter out) {
        this.work = work;
        this.out = out;
    }

    /** Renews it once; how long until the next time. */
    abstract Duration renew();

    /** Gives it back, unless that was done; what fails is told by {@link #notReleased}. */
    abstract void release();

    final void renewBy(Scheduler background) {
        endRenewals = background.repeat("membership-lock", RENEWAL, this::renew);
    }

    final Work work() {
        return work;
    }

    @Override
    public final void tell(Work now) {
        work = now;
    }

    /** Once for as long as it lasts, as each renewal would say the same. */
    final void warnOnce(String lost) {
        if (!warned) {
            warned = true;
            out.warn(lost);
        }
    }

    /** What was warned of is over. */
    final void warnAgain() {
        warned = false;
    }

    final void notRenewed(String why) {
        out.detail("etcd: the membership lock was not renewed: " + why);
    }

    final void notReleased(String why) {
        out.detail(
                "etcd: the membership lock was not released and expires by itself within %d s: %s"
                        .formatted(LockRecord.DURATION.toSeconds(), why));
    }

    @Override
    public final void close() {
        endRenewals.run();
        // a run that was asked to stop still gives back what it holds
        boolean interrupted = Thread.interrupted();
        try {
            release();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
