package io.kjadm.core.lock;

import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.phase.Reporter;

import java.time.Duration;

/** A turn that is renewed in the background until it is closed. */
abstract class RenewedTurn implements HeldLock {

    /** A sixth of the time that it lasts, so that some renewals may fail. */
    static final Duration RENEWAL = Duration.ofSeconds(10);

    /**
     * Renewals at once: the second one after a change that was not another holder's, or without an
     * answer, as the connections of a machine that was suspended are dead.
     */
    private static final int TRIES = 2;

    private final Reporter out;
    private boolean warned;
    /** Whether a refusal will tell that it is lost. */
    private boolean asked;

    private boolean unanswered;
    private Runnable endRenewals = () -> {};
    /** What the run tells without waiting for a renewal under way. */
    private volatile Work work;

    RenewedTurn(Work work, Reporter out) {
        this.work = work;
        this.out = out;
    }

    /** Renews it once; how long until the next time, which is zero if it may be renewed at once. */
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

    /**
     * Renews it at once: the clock of a machine that was suspended stood still, so that its last
     * renewal seems new although others have the lock by now. Where nobody answers, the clock decides.
     */
    @Override
    public final void requireHeld() {
        renewAtOnce();
        HeldLock.super.requireHeld();
    }

    private synchronized void renewAtOnce() {
        asked = true;
        try {
            boolean again = true;
            for (int tries = 0; again && tries < TRIES; tries++) {
                unanswered = false;
                again = renew().isZero() || unanswered;
            }
        } finally {
            asked = false;
        }
    }

    /** Once for as long as it lasts, as each renewal would say the same. */
    final void warnOnce(String lost) {
        if (!warned && !asked) {
            warned = true;
            out.warn(lost);
        }
    }

    /** What was warned of is over. */
    final void warnAgain() {
        warned = false;
    }

    final void notRenewed(String why) {
        unanswered = true;
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
