package io.kjadm.core.net;

import io.kjadm.core.error.Causes;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A limit around a whole call. Time-outs of sockets and of the JDK's HTTP client end with a byte or
 * with the headers, so that a server that sends a byte now and then would be waited for for ever.
 */
public final class Deadline {

    private Deadline() {}

    /**
     * The result of a call, which is made in a thread of its own and interrupted at the limit.
     *
     * @throws TimeoutException if it was not over by then
     * @throws ExecutionException with what the call threw
     * @throws InterruptedException if the caller was interrupted meanwhile; then the call is, too
     */
    public static <T> T within(Duration limit, Callable<T> call)
            throws TimeoutException, ExecutionException, InterruptedException {
        FutureTask<T> task = new FutureTask<>(call);
        Thread.ofVirtual().start(task);
        try {
            return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            task.cancel(true);
        }
    }

    /**
     * The same for a call of a server.
     *
     * @param late what is said of a call that was not over by then, before the limit
     * @throws IOException with what the call threw, if it was not over by then, and if the caller
     *     was interrupted meanwhile
     */
    static <T> T within(Duration limit, String late, Callable<T> call) throws IOException {
        try {
            return within(limit, call);
        } catch (TimeoutException e) {
            throw new IOException("%s within %d s".formatted(late, limit.toSeconds()), e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure
                    ? failure
                    : new IOException(Causes.words(e.getCause()), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(Causes.words(e), e);
        }
    }
}
