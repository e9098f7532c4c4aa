package io.kjadm.core.lock;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A Lease that is this node's, renewed in the background until it is closed. */
final class HeldLease extends RenewedTurn {

    /** After a failure there is less time left. */
    private static final Duration RETRY_INTERVAL = Duration.ofSeconds(2);

    private final KubeApi api;
    private final Waiter clock;
    /** Changed by renewals and the release only, which exclude each other. */
    private Lease lease;

    private LockRecord record;
    private boolean closed;

    private volatile Instant renewed;
    private volatile String failure = "";
    private volatile Optional<String> lost = Optional.empty();

    HeldLease(KubeApi api, Lease lease, LockRecord record, Waiter clock, Reporter out) {
        super(record.work(), out);
        this.api = api;
        this.lease = lease;
        this.record = record;
        this.clock = clock;
        this.renewed = clock.now();
    }

    HeldLease renewedBy(Scheduler background) {
        renewBy(background);
        return this;
    }

    @Override
    public Optional<String> lost() {
        if (lost.isPresent()) {
            return lost;
        }
        Duration age = Duration.between(renewed, clock.now());
        return age.compareTo(LockRecord.DURATION) < 0
                ? Optional.empty()
                : Optional.of("the Lease was not renewed for %d s%s"
                        .formatted(age.toSeconds(), failure.isEmpty() ? "" : ": " + failure));
    }

    @Override
    synchronized Duration renew() {
        if (closed || lost.isPresent()) {
            return RENEWAL;
        }
        try {
            Instant now = clock.now();
            LockRecord further = record.going(work(), now);
            lease = api.replace(further.onto(lease, now));
            record = further;
            renewed = now;
            warnAgain();
            return RENEWAL;
        } catch (KubeApiException e) {
            failure = e.getMessage();
            boolean changed = e.kind() == KubeApiException.Kind.CONFLICT
                    || e.kind() == KubeApiException.Kind.NOT_FOUND;
            if (changed && lookAgain()) {
                return Duration.ZERO;
            }
            lost().ifPresentOrElse(this::warn, () -> notRenewed(failure));
            return RETRY_INTERVAL;
        }
    }

    /**
     * Whether the Lease is still this run's: an answer may be lost, and anybody may add a label.
     */
    private boolean lookAgain() {
        try {
            Optional<Lease> found = api.get(Lease.class, LockRecord.NAMESPACE, LockRecord.NAME);
            Optional<LockRecord> known = found.flatMap(LockRecord::of);
            if (known.map(LockRecord::holder).filter(record.holder()::equals).isPresent()) {
                lease = found.get();
                return true;
            }
            lost = Optional.of(known.map(other -> "it is held for a " + other)
                    .orElse("another client released or deleted the Lease"));
        } catch (KubeApiException e) {
            failure = e.getMessage();
        }
        return false;
    }

    private void warn(String why) {
        warnOnce(
                ("other nodes can now change etcd's members at the same time: %s; this run continues, "
                                + "as each of its changes names the member by ID and is read back")
                        .formatted(why));
    }

    @Override
    synchronized void release() {
        if (closed || lost.isPresent()) {
            return;
        }
        closed = true;
        try {
            give();
        } catch (KubeApiException e) {
            notReleased(e.getMessage());
        }
    }

    private void give() {
        try {
            api.replace(LockRecord.released(lease, clock.now()));
        } catch (KubeApiException e) {
            if (e.kind() != KubeApiException.Kind.CONFLICT || !lookAgain()) {
                throw e;
            }
            api.replace(LockRecord.released(lease, clock.now()));
        }
    }
}
