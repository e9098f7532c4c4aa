package io.kjadm.core.etcd.join;

import io.kjadm.core.error.HostException;
import io.kjadm.core.machine.HealthProbe;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * This node's etcd as its own metrics endpoint tells of it: whether it runs, and whether it is
 * ready.
 *
 * <p>It also works around etcd's own start race. A new member announces its client URLs by a
 * proposal; if the leader's first snapshot arrives at that moment, the proposal is lost with the
 * connection that the snapshot replaces, or is in the snapshot, where the member does not see it
 * pass. The member then follows perfectly but serves no clients until its publish timeout, of 7 to
 * 27 seconds, is over. Started again it announces itself at once. A learner has no vote, so
 * starting it again cannot hurt anybody.
 */
public final class LocalEtcdProcess {

    private static final Duration STALL = Duration.ofSeconds(1);
    /** One that is listed by its name has been heard, and would serve at once. */
    private static final Duration ANNOUNCED_STALL = Duration.ofMillis(250);

    private final HealthProbe probe;
    private final URI endpoint;
    private final Supplier<List<String>> restart;
    private final Waiter waiter;
    private final Reporter out;
    private Optional<Instant> readySince = Optional.empty();
    private boolean restarted;

    /**
     * @param metrics etcd's metrics endpoint on this machine, which needs no credentials
     * @param restart has it end so that it is started again, and names what it has ended; a
     *         {@link HostException} if that cannot be
     */
    public LocalEtcdProcess(
            HealthProbe probe,
            URI metrics,
            Supplier<List<String>> restart,
            Waiter waiter,
            Reporter out) {
        this.probe = probe;
        this.endpoint = metrics;
        this.restart = restart;
        this.waiter = waiter;
        this.out = out;
    }

    /** Whether the process runs: every etcd serves its metrics before anything else. */
    public boolean showsLife() {
        return probe.ask(endpoint.resolve("/metrics")).isEmpty();
    }

    /**
     * Why it is not ready by its own judgement, which takes in a read that the others must confirm;
     * empty text if it is.
     */
    public String notReadyReason() {
        URI ready = endpoint.resolve("/readyz");
        String answer = probe.ask(ready);
        // etcd before 3.4.29 and 3.5.11 knows only the older question
        return answer.equals(ready + " answers 404")
                ? probe.ask(endpoint.resolve("/health"))
                : answer;
    }

    /** Looks whether the member follows already; to be called before each look at the cluster. */
    public void observe() {
        if (!restarted) {
            readySince =
                    probe.ask(endpoint.resolve("/readyz?exclude=non_learner")).isEmpty()
                            ? readySince.or(() -> Optional.of(waiter.now()))
                            : Optional.empty();
        }
    }

    /**
     * Starts the member again, once, if it has followed for a while without answering clients.
     *
     * @param announced whether the cluster lists its name
     * @return what was asked to end
     */
    public List<String> restartIfStalled(boolean announced) {
        Duration patience = announced ? ANNOUNCED_STALL : STALL;
        boolean stalled = readySince
                .filter(since -> Duration.between(since, waiter.now()).compareTo(patience) >= 0)
                .isPresent();
        if (restarted || !stalled) {
            return List.of();
        }
        restarted = true;
        out.step(
                "etcd",
                "The new member follows the leader but does not serve clients: restarting it");
        try {
            return restart.get();
        } catch (HostException e) {
            // it only saves time
            out.detail("etcd: the member was not restarted: " + e.getMessage());
            return List.of();
        }
    }
}
