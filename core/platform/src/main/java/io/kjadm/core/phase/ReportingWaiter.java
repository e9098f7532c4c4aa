package io.kjadm.core.phase;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;

/** The dry run's waiter: asks once, and reports the wait instead of waiting. */
public final class ReportingWaiter implements Waiter {

    private final InstantSource clock;
    private final Reporter out;

    public ReportingWaiter(InstantSource clock, Reporter out) {
        this.clock = clock;
        this.out = out;
    }

    @Override
    public <T> Optional<T> until(Await await, Supplier<Attempt<T>> question) {
        if (question.get() instanceof Attempt.Done<T>(T value)) {
            return Optional.of(value);
        }
        out.step(
                "dryrun",
                "Would wait for %s for at most %s"
                        .formatted(await.what(), SystemWaiter.text(await.told())));
        return Optional.empty();
    }

    @Override
    public void pause(String area, String reason, Duration duration) {
        out.step("dryrun", "Would wait %s: %s".formatted(SystemWaiter.text(duration), reason));
    }

    @Override
    public Instant now() {
        return clock.instant();
    }
}
