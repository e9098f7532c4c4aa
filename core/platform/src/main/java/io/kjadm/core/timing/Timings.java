package io.kjadm.core.timing;

import io.kjadm.core.timing.Span.Kind;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Notes what takes time, from any thread. Arguments of calls are never noted, as they may be
 * secrets.
 */
public class Timings {

    private static final Timings NONE = new Timings(() -> 0, 0) {
        @Override
        public <T> T measured(Kind kind, String name, Supplier<T> work) {
            return work.get();
        }

        @Override
        void note(Kind kind, String name, long began, String answer) {
            // nobody asked
        }

        @Override
        public <T> T measuring(Class<T> port, String server, T real) {
            return real;
        }
    };

    private final LongSupplier nanos;
    private final long start;
    private final List<Span> spans = new ArrayList<>();

    private Timings(LongSupplier nanos, long start) {
        this.nanos = nanos;
        this.start = start;
    }

    /** Notes nothing. */
    public static Timings none() {
        return NONE;
    }

    /**
     * Notes everything from now on.
     *
     * @param nanos a clock that only goes forward, in nanoseconds
     * @param age   of this process
     */
    public static Timings begun(LongSupplier nanos, Duration age) {
        Timings timings = new Timings(nanos, nanos.getAsLong() - age.toNanos());
        timings.note(Kind.START, "start of the program", timings.start, "");
        return timings;
    }

    /** Does the work and notes how long it took, also if it fails. */
    public <T> T measured(Kind kind, String name, Supplier<T> work) {
        long began = now();
        String failure = "failed";
        try {
            T result = work.get();
            failure = "";
            return result;
        } finally {
            note(kind, name, began, failure);
        }
    }

    /**
     * A server whose calls are noted by their names.
     *
     * @param port   the interface by which it is called
     * @param server as it is named in the file
     */
    public <T> T measuring(Class<T> port, String server, T real) {
        return port.cast(Proxy.newProxyInstance(
                port.getClassLoader(), new Class<?>[] {port}, (proxy, method, arguments) -> {
                    long began = now();
                    String failure = "failed";
                    try {
                        Object result = method.invoke(real, arguments);
                        failure = "";
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        note(Kind.CALL, server + " " + method.getName(), began, failure);
                    }
                }));
    }

    long now() {
        return nanos.getAsLong();
    }

    synchronized void note(Kind kind, String name, long began, String answer) {
        Thread thread = Thread.currentThread();
        spans.add(new Span(
                kind,
                name,
                thread.getName().isEmpty() ? "background" : thread.getName(),
                Duration.ofNanos(began - start),
                Duration.ofNanos(now() - start),
                answer));
    }

    /** What was noted, in the order in which it ended. */
    public synchronized List<Span> spans() {
        return List.copyOf(spans);
    }
}
