package io.kjadm.core.init;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.node.AdminAccess;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import java.util.List;

/**
 * How init's phases write objects: as administrator, repeated while the API server cannot answer.
 */
final class ClusterWrites {

    private final AdminAccess admin;
    private final Waiter waiter;

    ClusterWrites(AdminAccess admin, Waiter waiter) {
        this.admin = admin;
        this.waiter = waiter;
    }

    /** The administrator's client. */
    KubeApi api(InitRun run, Reporter out) {
        return admin.connect(run.node(), run.options().kubeconfig(), out);
    }

    /** Repeats requests within {@code timeouts.kubernetesAPICall}. */
    KubeCalls calls(InitRun run) {
        return new KubeCalls(waiter, run.node().timeouts().kubernetesApiCall());
    }

    /** Creates objects, or replaces those that are there. */
    void apply(InitRun run, String area, List<? extends HasMetadata> objects, Reporter out) {
        KubeApi api = api(run, out);
        KubeCalls calls = calls(run);
        for (HasMetadata object : objects) {
            calls.run(area,
                    "write %s %s".formatted(object.getKind(), object.getMetadata().getName()),
                    () -> api.createOrReplace(object));
        }
    }

    /** The present moment. */
    java.time.Instant now() {
        return waiter.now();
    }
}
