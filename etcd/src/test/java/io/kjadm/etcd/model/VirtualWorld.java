package io.kjadm.etcd.model;

import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Virtual time and what is to happen in it. What happens is taken out in order, one after another,
 * so the same schedule always plays the same way.
 */
public final class VirtualWorld {

    private static final Instant BEGIN = Instant.parse("2026-02-03T04:05:06Z");

    private record Event(long at, long number, Runnable happening) {}

    private final PriorityQueue<Event> events = new PriorityQueue<>(
            Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
    private long now;
    private long numbers;

    /** Milliseconds since the beginning. */
    public long now() {
        return now;
    }

    public Instant instant() {
        return BEGIN.plusMillis(now);
    }

    public void in(long millis, Runnable happening) {
        events.add(new Event(now + Math.max(0, millis), numbers++, happening));
    }

    /** The next thing to happen; it is its time now. */
    public Runnable next() {
        Event event = events.remove();
        now = Math.max(now, event.at());
        return event.happening();
    }

    /** Lets that much time pass, with everything that happens in it. */
    public void pass(long millis) {
        long end = now + millis;
        while (!events.isEmpty() && events.peek().at() <= end) {
            next().run();
        }
        now = Math.max(now, end);
    }
}
