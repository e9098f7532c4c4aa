package io.kjadm.core.phase;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** A waiter that notes every answer with which a wait went on. */
public record TellingWaiter(Waiter waiter, List<String> answers) implements Waiter {

    @Override
    public <T> Optional<T> until(Await await, Supplier<Attempt<T>> question) {
        return waiter.until(await, () -> {
            Attempt<T> answer = question.get();
            if (answer instanceof Attempt.NotYet<T> notYet) {
                answers.add(notYet.answer());
            }
            return answer;
        });
    }

    @Override
    public void pause(String area, String reason, Duration duration) {
        waiter.pause(area, reason, duration);
    }

    @Override
    public Instant now() {
        return waiter.now();
    }
}
