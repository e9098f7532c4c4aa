package io.kjadm.core.etcd.check;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

/**
 * Threads for calls over blocking sockets. Not virtual ones: the JVM waits for their sockets in a
 * thread that never ends, in native code, and gives such a thread 0.3 s when the program exits.
 */
final class SocketThreads {

    private static final ThreadFactory DAEMONS = Thread.ofPlatform().daemon().factory();

    private SocketThreads() {}

    /** A new thread for each task; none keeps the program alive. */
    static ExecutorService perTask() {
        return Executors.newThreadPerTaskExecutor(DAEMONS);
    }

    /** Begins a task. */
    static void start(Runnable task) {
        DAEMONS.newThread(task).start();
    }
}
