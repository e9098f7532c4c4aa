package io.kjadm.e2e.sandbox;

import java.io.IOException;
import java.nio.file.Path;

/** Stands in for kube-scheduler: it is healthy and leads, and schedules nothing. */
public final class StandInScheduler {
    private StandInScheduler() {}

    public static void main(String... words) throws IOException, InterruptedException {
        StandIns.endAsComponents();
        var flags = new Flags(words);
        HealthServer.https(flags.port(10259), "kube-scheduler");
        var lease =
                new LeaderLease(new ApiClient(Path.of(flags.get("kubeconfig"))), "kube-scheduler");
        while (true) {
            try {
                lease.leads();
            } catch (IOException notNow) {
                System.out.println("the API server does not serve: " + notNow.getMessage());
            }
            Thread.sleep(1000);
        }
    }
}
