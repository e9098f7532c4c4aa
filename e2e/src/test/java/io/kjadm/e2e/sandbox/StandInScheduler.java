package io.kjadm.e2e.sandbox;

import java.io.IOException;

/** Stands in for kube-scheduler: it is healthy, and schedules nothing. */
public final class StandInScheduler {
    private StandInScheduler() {}

    public static void main(String... words) throws IOException {
        HealthServer.https(10259, "kube-scheduler");
    }
}
