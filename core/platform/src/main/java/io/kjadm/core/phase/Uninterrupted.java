package io.kjadm.core.phase;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * Work that a signal must not cut short, as half of it is worse than none or all: it runs on a
 * thread of its own, which nobody interrupts, and bounds itself. An interrupt of the caller is
 * remembered until it is done.
 */
public final class Uninterrupted {

    private Uninterrupted() {}

    /** Does the work, and throws what it throws; the caller is interrupted afterwards if it was. */
    public static <T> T call(Supplier<T> work) {
        FutureTask<T> task = new FutureTask<>(work::get);
        Thread worker = new Thread(task, "uninterrupted");
        worker.setDaemon(true);
        boolean interrupted = Thread.interrupted();
        worker.start();
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw unchecked(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Does the work, as {@link #call}. */
    public static void run(Runnable work) {
        call(() -> {
            work.run();
            return true;
        });
    }

    private static RuntimeException unchecked(Throwable cause) {
        return switch (cause) {
            case Error error -> throw error;
            case RuntimeException known -> known;
            default -> new IllegalStateException(cause);
        };
    }
}
