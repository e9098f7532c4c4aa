package io.kjadm.core.lock;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

class SchedulerTest {

    @Test
    void workIsRepeatedUntilItIsClosedAndKeepsNoProgramAlive() throws InterruptedException {
        CountDownLatch threeTimes = new CountDownLatch(3);
        AtomicReference<Thread> worker = new AtomicReference<>();
        Runnable end = Scheduler.threads().repeat("test", Duration.ZERO, () -> {
            worker.set(Thread.currentThread());
            threeTimes.countDown();
            return Duration.ofMillis(1);
        });
        threeTimes.await();
        assertTrue(worker.get().isDaemon());
        end.run();
        worker.get().join();
    }

    @Test
    void whatIsClosedBeforeItsFirstTimeNeverRuns() throws InterruptedException {
        AtomicBoolean ran = new AtomicBoolean();
        CountDownLatch other = new CountDownLatch(1);
        Scheduler.threads()
                .repeat("test", Duration.ofDays(1), () -> {
                    ran.set(true);
                    return Duration.ZERO;
                })
                .run();
        Scheduler.threads().repeat("test", Duration.ZERO, () -> {
            other.countDown();
            return Duration.ofDays(1);
        });
        other.await();
        assertTrue(!ran.get());
    }
}
