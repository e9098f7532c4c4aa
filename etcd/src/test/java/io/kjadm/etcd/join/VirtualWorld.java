package io.kjadm.etcd.join;

import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Virtual time and what is to happen in it. Whoever waits lets the others go on: {@link #pass} runs
 * what falls due, in the stack of the one that waits, so one thread plays all of them and the same
 * schedule always plays the same way.
 */
final class VirtualWorld {

    private static final Instant BEGIN = Instant.parse("2026-02-03T04:05:06Z");

    private record Event(long at, long number, Runnable happening) {}

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
    private long now;
    private long numbers;

    /** Milliseconds since the beginning. */
    long now() {
        return now;
    }

    Instant instant() {
        return BEGIN.plusMillis(now);
    }

    void in(long millis, Runnable happening) {
        events.add(new Event(now + Math.max(0, millis), numbers++, happening));
    }

    /** Lets that much time pass, with everything that happens in it. */
    void pass(long millis) {
        long end = now + millis;
        while (!events.isEmpty() && events.peek().at() <= end) {
            Event event = events.poll();
            now = Math.max(now, event.at());
            event.happening().run();
        }
        now = Math.max(now, end);
    }

    /** Runs the next thing to happen. */
    void next() {
        Event event = events.remove();
        now = Math.max(now, event.at());
        event.happening().run();
    }
}
