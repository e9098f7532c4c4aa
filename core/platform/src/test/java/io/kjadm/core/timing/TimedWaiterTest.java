package io.kjadm.core.timing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.timing.Span.Kind;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

class TimedWaiterTest {

    private static final Await TURN = new Await(
            "etcd", "the turn of this node", Duration.ofSeconds(4), Duration.ofSeconds(1), "wait");

    private final Seconds clock = new Seconds();
    private final Timings timings = Timings.begun(clock, Duration.ZERO);
    private final VirtualWaiter virtual = new VirtualWaiter().eachTime(() -> clock.pass(1));
    private final TimedWaiter waiter = new TimedWaiter(virtual, timings);

    private Span wait(String name, int end, String answer) {
        return new Span(
                Kind.WAIT,
                name,
                Thread.currentThread().getName(),
                Duration.ZERO,
                Duration.ofSeconds(end),
                answer);
    }

    private static Supplier<Attempt<String>> answers(List<Attempt<String>> all) {
        Iterator<Attempt<String>> next = all.iterator();
        return next::next;
    }

    @Test
    void waitIsNotedWithTheLastAnswerBeforeItWasOver() {
        assertEquals(
                Optional.of("done"),
                waiter.until(
                        TURN,
                        answers(List.of(
                                Attempt.notYet("cp-2 has it"),
                                Attempt.notYet("cp-3 has it"),
                                Attempt.done("done")))));
        assertEquals(
                wait("the turn of this node", 2, "cp-3 has it"), timings.spans().getLast());
    }

    @Test
    void whatIsThereAtOnceHasNoAnswerBefore() {
        waiter.until(TURN, () -> Attempt.done("done"));
        assertEquals(wait("the turn of this node", 0, ""), timings.spans().getLast());
    }

    @Test
    void waitInVainIsNotedToo() {
        assertThrows(
                ClusterException.class,
                () -> waiter.until(TURN, () -> Attempt.notYet("cp-2 has it")));
        assertEquals(
                wait("the turn of this node", 4, "cp-2 has it"), timings.spans().getLast());
    }

    @Test
    void pauseIsAWait() {
        waiter.pause("etcd", "the answer may still come", Duration.ofSeconds(1));
        assertEquals(wait("the answer may still come", 1, ""), timings.spans().getLast());
        assertEquals(virtual.now(), waiter.now());
    }
}
