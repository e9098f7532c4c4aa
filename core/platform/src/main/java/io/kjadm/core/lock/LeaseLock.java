package io.kjadm.core.lock;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.phase.Waiter.Attempt;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The lock as Lease {@code kube-system/kjadm-etcd-membership}, every write of which is guarded by
 * the resource version. A Lease that has not changed for as long as it says it lasts is taken over;
 * one of a dead run on this very node at once.
 *
 * <p>Where the API server does not serve, or not to these credentials, the change goes on without:
 * the lock saves others a wait for a refusal, while etcd itself admits one learner at a time and
 * refuses what would cost a quorum. A cluster whose API server is down must stay repairable.
 *
 * @param apis the client; a {@link KjadmException} if there can be none
 */
record LeaseLock(Supplier<KubeApi> apis, LockSite site, RandomGenerator random)
        implements MembershipLock {

    /** How long a turn that was given back goes unnoticed; a look is one small read. */
    private static final Duration INTERVAL = Duration.ofMillis(300);

    private static final int JITTER_MILLIS = 200;
    /**
     * An API server that is restarted answers again soon; one that is down shall not hold up a
     * repair.
     */
    private static final Duration UNSEEN_LIMIT = Duration.ofSeconds(5);

    @Override
    public HeldLock take(Work work, Duration wait) {
        KubeApi api;
        try {
            api = apis.get();
        } catch (KjadmException e) {
            return unguarded(e.getMessage());
        }
        Acquisition acquisition = new Acquisition(api, work);
        return acquisition.wait.until(
                LockWait.await(
                        wait, INTERVAL, "node", "a lock that is not renewed is taken over after"),
                acquisition::look);
    }

    private HeldLock unguarded(String why) {
        return site.unguarded(
                "nodes", "the Lease %s/%s".formatted(LockRecord.NAMESPACE, LockRecord.NAME), why);
    }

    /** One wait for the lock. */
    private final class Acquisition {

        private final KubeApi api;
        private final Work work;
        private final LeaseStaleness watch = new LeaseStaleness();
        private final LockWait wait = new LockWait(site, UNSEEN_LIMIT);

        Acquisition(KubeApi api, Work work) {
            this.api = api;
            this.work = work;
        }

        Attempt<HeldLock> look() {
            Instant begun = site.waiter().now();
            try {
                Optional<Lease> found = api.get(Lease.class, LockRecord.NAMESPACE, LockRecord.NAME);
                Attempt<HeldLock> answer =
                        found.map(this::asked).orElseGet(() -> Attempt.done(created()));
                wait.answered();
                return answer;
            } catch (KubeApiException e) {
                return failed(e, begun);
            }
        }

        private HeldLock created() {
            LockRecord mine = LockRecord.begun(site.self(), work, site.waiter().now());
            return turn(api.create(mine.newLease(site.waiter().now())), mine);
        }

        private Attempt<HeldLock> asked(Lease lease) {
            Optional<LockRecord> holder = LockRecord.of(lease);
            if (holder.isEmpty() || holder.get().holder().equals(site.self())) {
                return Attempt.done(taken(lease));
            }
            LockRecord other = holder.get();
            Duration still = watch.observe(
                    lease.getMetadata().getResourceVersion(), site.waiter().now());
            if (wait.over(other)) {
                wait.continuing(
                        other, "node, which has ended without releasing the membership lock");
                return Attempt.done(taken(lease));
            }
            if (still.compareTo(other.lasts()) >= 0) {
                site.out()
                        .step(
                                LockWait.AREA,
                                "taking over the membership lock, which was not renewed for %d s: %s"
                                        .formatted(still.toSeconds(), other));
                return Attempt.done(taken(lease));
            }
            return notYet(wait.behind(other));
        }

        private HeldLock taken(Lease lease) {
            LockRecord mine = LockRecord.begun(site.self(), work, site.waiter().now());
            return turn(api.replace(mine.onto(lease, site.waiter().now())), mine);
        }

        private HeldLock turn(Lease lease, LockRecord mine) {
            wait.acquired();
            return new HeldLease(api, lease, mine, site.waiter(), site.out())
                    .renewedBy(site.background());
        }

        private Attempt<HeldLock> failed(KubeApiException e, Instant begun) {
            LockWait.requireNotInterrupted(e);
            return switch (e.kind()) {
                case CONFLICT, ALREADY_EXISTS -> notYet("another node acquired it first");
                case UNAVAILABLE, UNREACHABLE ->
                    wait.silentTooLong(begun)
                            ? Attempt.done(unguarded(e.getMessage()))
                            : notYet("the API server does not answer: " + e.getMessage());
                case NOT_FOUND, FORBIDDEN, INVALID, UNTRUSTED, UNTIMELY, OTHER ->
                    Attempt.done(unguarded(e.getMessage()));
            };
        }

        private Attempt<HeldLock> notYet(String answer) {
            return Attempt.notYet(answer, INTERVAL.plusMillis(random.nextInt(JITTER_MILLIS)));
        }
    }
}
