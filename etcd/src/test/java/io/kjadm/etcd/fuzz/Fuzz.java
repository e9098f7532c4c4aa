package io.kjadm.etcd.fuzz;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Reads mutated input for a while: what a reader makes of it has to be a result or its own refusal,
 * within the memory of this JVM and a minute of computing. Each input has a number, from which it is
 * made again, so what is found can be repeated.
 */
public final class Fuzz {

    private static final long LONGEST_NANOS = 60_000_000_000L;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final List<Target> targets;
    private final Map<String, long[]> counts = new LinkedHashMap<>();
    private volatile String current = "";
    private volatile long begun;

    /**
     * A reader and input that it reads well.
     *
     * @param reader throws nothing but what is a defect
     */
    public record Target(String name, List<byte[]> seeds, Reader reader) {

        public Target {
            seeds = List.copyOf(seeds);
        }
    }

    /** Reads input. */
    @FunctionalInterface
    public interface Reader {

        /** Returns whether it was read, and not refused. */
        boolean read(byte[] input) throws Exception;
    }

    public Fuzz(List<Target> targets) {
        this.targets = List.copyOf(targets);
        targets.forEach(target -> counts.put(target.name(), new long[2]));
    }

    /**
     * Runs, and ends the program with 1 at the first defect.
     *
     * @param first   number of the first input
     * @param seconds how long
     */
    public void run(long first, long seconds) throws Exception {
        System.out.printf("first input: %d%n", first);
        for (Target target : targets) {
            for (byte[] seed : target.seeds()) {
                if (!target.reader().read(seed)) {
                    throw new IllegalStateException(target.name() + " does not read its seed");
                }
            }
        }
        watch(Thread.currentThread());
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        long number = first;
        for (; System.nanoTime() < end; number++) {
            one(number);
        }
        System.out.printf("%d inputs%n", number - first);
        counts.forEach((name, count) ->
                System.out.printf("%s: %d read, %d refused%n", name, count[1], count[0]));
    }

    /** Reads the input of a number. */
    public void one(long number) {
        Target target = targets.get((int) Long.remainderUnsigned(number, targets.size()));
        SplittableRandom random = new SplittableRandom(number);
        byte[] input = Mutation.of(target.seeds(), random);
        begun = cpu(Thread.currentThread());
        current = "input %d (%s)".formatted(number, target.name());
        try {
            boolean read = target.reader().read(input);
            counts.get(target.name())[read ? 1 : 0]++;
        } catch (Exception | OutOfMemoryError | StackOverflowError | AssertionError e) {
            defect(e);
        }
    }

    private void defect(Throwable e) {
        System.out.println(current + ": " + e);
        Arrays.stream(e.getStackTrace()).limit(12).forEach(at -> System.out.println("  " + at));
        System.exit(1);
    }

    private static long cpu(Thread thread) {
        return THREADS.getThreadCpuTime(thread.threadId());
    }

    private void watch(Thread reader) {
        Thread.ofPlatform().daemon().start(() -> {
            while (true) {
                String seen = current;
                if (cpu(reader) - begun > LONGEST_NANOS && seen.equals(current)) {
                    System.out.println(seen + ": a minute of computing was not enough");
                    System.exit(1);
                }
                try {
                    Thread.sleep(1000);
                } catch (InterruptedException e) {
                    return;
                }
            }
        });
    }
}
