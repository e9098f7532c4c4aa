package io.kjadm.etcd;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The etcd processes of one test and the connections to them, all ended after it. */
public final class EtcdProcesses implements AfterEachCallback {

    /** How long a test waits for what has to come; nothing depends on its being short. */
    static final Duration LIMIT = Duration.ofSeconds(90);

    private final List<AutoCloseable> open = new ArrayList<>();

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        for (AutoCloseable closeable : open.reversed()) {
            closeable.close();
        }
    }

    EtcdProcess start(EtcdProcess process) throws IOException {
        open.add(process);
        process.start();
        return process;
    }

    EtcdCluster connect(EtcdAccess access) {
        EtcdCluster cluster = new JetcdConnector().connect(access);
        open.add(cluster);
        return cluster;
    }

    /** Starts the only member of a cluster, and returns when it leads. */
    EtcdCluster leading(EtcdProcess first) throws IOException {
        start(first);
        EtcdCluster cluster = connect(EtcdAccess.plain(List.of(first.clientUrl())));
        until(
                first.clientUrl() + " to lead",
                () -> running(first) && cluster.status(first.clientUrl()).leads());
        return cluster;
    }

    /** Fails with what it has written to its output where it has ended: nothing else tells why. */
    private static boolean running(EtcdProcess process) {
        if (!process.alive()) {
            throw new AssertionError(process.name() + " has ended: " + process.lastLines());
        }
        return true;
    }

    /** Until it is so; a call that fails is made again. */
    public static void until(String what, BooleanSupplier condition) {
        Instant end = Instant.now().plus(LIMIT);
        String last = "false";
        while (Instant.now().isBefore(end)) {
            try {
                if (condition.getAsBoolean()) {
                    return;
                }
            } catch (EtcdCallException e) {
                last = e.getMessage();
            }
            pause(Duration.ofMillis(100));
        }
        throw new AssertionError("waited " + LIMIT + " for " + what + ", last: " + last);
    }

    static void pause(Duration duration) {
        try {
            Thread.sleep(duration.plusMillis(50));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
