package io.kjadm.core.timing;

import io.kjadm.core.phase.Waiter;
import io.kjadm.core.timing.Span.Kind;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/** Notes each wait with the last answer before it was over. */
public record TimedWaiter(Waiter waiter, Timings timings) implements Waiter {

    @Override
    public <T> Optional<T> until(Await await, Supplier<Attempt<T>> question) {
        long began = timings.now();
        String[] last = {""};
        try {
            return waiter.until(await, () -> {
                Attempt<T> answer = question.get();
                if (answer instanceof Attempt.NotYet<T> notYet) {
                    last[0] = notYet.answer();
                }
                return answer;
            });
        } finally {
            timings.note(Kind.WAIT, await.what(), began, last[0]);
        }
    }

    @Override
    public void pause(String area, String reason, Duration duration) {
        timings.measured(Kind.WAIT, reason, () -> {
            waiter.pause(area, reason, duration);
            return null;
        });
    }

    @Override
    public Instant now() {
        return waiter.now();
    }
}
