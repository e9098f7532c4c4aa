package io.kjadm.etcd;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/** Asks several members at once, so that the silent ones cost their deadline only once. */
final class ParallelCalls {

    private ParallelCalls() {}

    /** Every answer, in the order of the questions. */
    static <Q, A> Map<Q, A> all(Collection<Q> questions, Function<Q, A> ask) {
        return all(questions, ask, question -> Optional.empty(), question -> null);
    }

    /**
     * Every answer, in the order of the questions.
     *
     * @param patience how long an answer is waited for at most; empty for as long as it takes
     * @param late     stands for an answer that has not come by then; its question is given up
     */
    static <Q, A> Map<Q, A> all(
            Collection<Q> questions,
            Function<Q, A> ask,
            Function<Q, Optional<Duration>> patience,
            Function<Q, A> late) {
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            var asked = new LinkedHashMap<Q, Future<A>>();
            questions.forEach(
                    question -> asked.put(question, threads.submit(() -> ask.apply(question))));
            var answers = new LinkedHashMap<Q, A>();
            for (Map.Entry<Q, Future<A>> entry : asked.entrySet()) {
                Q question = entry.getKey();
                Optional<Duration> limit = patience.apply(question);
                answers.put(
                        question,
                        limit.isEmpty()
                                ? entry.getValue().get()
                                : within(
                                        limit.get(), entry.getValue(), () -> late.apply(question)));
            }
            return answers;
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException e) {
            throw unwrapped(e);
        } finally {
            threads.shutdownNow();
        }
    }

    private static <A> A within(Duration limit, Future<A> answer, Supplier<A> late)
            throws InterruptedException, ExecutionException {
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return late.get();
        }
    }

    /** The first answer there is, without waiting for the others. */
    static <Q, A> Optional<A> firstPresent(Collection<Q> questions, Function<Q, Optional<A>> ask) {
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            var answers = new ExecutorCompletionService<Optional<A>>(threads);
            for (Q question : questions) {
                Callable<Optional<A>> asking = () -> ask.apply(question);
                answers.submit(asking);
            }
            for (int i = 0; i < questions.size(); i++) {
                Optional<A> answer = answers.take().get();
                if (answer.isPresent()) {
                    return answer;
                }
            }
            return Optional.empty();
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException e) {
            throw unwrapped(e);
        } finally {
            threads.shutdownNow();
        }
    }

    private static EtcdCallException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new EtcdCallException(
                ErrorClass.TRANSIENT, RpcCode.CANCELLED, "interrupted", "status", e);
    }

    private static RuntimeException unwrapped(ExecutionException e) {
        return switch (e.getCause()) {
            case RuntimeException cause -> cause;
            case Error error -> throw error;
            case null, default -> new IllegalStateException(e);
        };
    }
}
