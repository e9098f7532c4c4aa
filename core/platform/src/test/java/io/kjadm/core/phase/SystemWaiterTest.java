package io.kjadm.core.phase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** By the real clock, so as few waits as can show it. */
class SystemWaiterTest {

    private final List<String> told = new ArrayList<>();
    private final List<String> sentences = new ArrayList<>();
    private final SystemWaiter waiter = new SystemWaiter(InstantSource.system(), new Telling());

    private final class Telling implements Reporter {

        @Override
        public void step(String area, String sentence) {}

        @Override
        public void print(String text) {}

        @Override
        public void warn(String sentence) {}

        @Override
        public void finding(String line) {}

        @Override
        public void detail(String sentence) {}

        @Override
        public void waiting(String area, String sentence) {
            told.add("waiting");
            sentences.add(sentence);
        }

        @Override
        public void waited() {
            told.add("waited");
        }
    }

    @Test
    void aQuestionThatWaitsForSomethingItselfDoesNotEndWhatIsToldOfTheWaitAroundIt() {
        Iterator<Attempt<String>> answers = List.<Attempt<String>>of(
                        Attempt.notYet("no"), Attempt.notYet("no"), Attempt.done("yes"))
                .iterator();

        Optional<String> answer = waiter.until(awaiting(Duration.ofMillis(1100)), () -> {
            waiter.until(awaiting(Duration.ofMillis(1)), () -> Attempt.done("at once"));
            return answers.next();
        });

        assertEquals(Optional.of("yes"), answer);
        assertEquals(List.of("waiting", "waited"), told);
    }

    @Test
    void whatComesAtOnceIsNotWorthAWord() {
        waiter.until(awaiting(Duration.ofMillis(1)), () -> Attempt.done("at once"));

        assertTrue(told.isEmpty(), told::toString);
    }

    @Test
    void ofALimitThatGivesWayOnlyTheUsualOneIsTold() {
        Iterator<Attempt<String>> answers = List.<Attempt<String>>of(
                        Attempt.notYet("no"),
                        Attempt.notYet("no"),
                        Attempt.notYet("no"),
                        Attempt.done("yes"))
                .iterator();

        waiter.until(
                new Await(
                        "test",
                        "an answer",
                        Duration.ofMinutes(5),
                        Duration.ofSeconds(2),
                        Duration.ofMillis(1050),
                        ""),
                answers::next);

        assertEquals(
                List.of("waiting for an answer (1s of 2s): no", "waiting for an answer (2s): no"),
                sentences);
    }

    private static Await awaiting(Duration interval) {
        return new Await("test", "an answer", Duration.ofMinutes(5), interval, "");
    }
}
