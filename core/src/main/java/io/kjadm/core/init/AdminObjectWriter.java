package io.kjadm.core.init;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.node.ClusterAdminClient;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;

import java.util.List;
import java.util.function.Supplier;

/**
 * How init's phases write objects: as administrator, repeated while the API server cannot answer,
 * or refuses for the reasons of one that has just started.
 */
final class AdminObjectWriter {

    private final ClusterAdminClient admin;
    private final Waiter waiter;

    AdminObjectWriter(ClusterAdminClient admin, Waiter waiter) {
        this.admin = admin;
        this.waiter = waiter;
    }

    /** The administrator's client. */
    KubeApi api(InitRun run, Reporter out) {
        return admin.connect(run.node(), run.options().kubeconfig(), out);
    }

    /** The answer of a request, repeated within {@code timeouts.kubernetesAPICall}. */
    <T> T repeat(InitRun run, String area, String what, Supplier<T> request) {
        return new KubeCalls(waiter, run.node().timeouts().kubernetesApiCall())
                .repeatWhileStarting(area, what, request);
    }

    /** Creates objects, or replaces those that are there. */
    void apply(InitRun run, String area, List<? extends HasMetadata> objects, Reporter out) {
        KubeApi api = api(run, out);
        for (HasMetadata object : objects) {
            repeat(run, area, writing(object), () -> api.createOrReplace(object));
        }
    }

    /**
     * Creates a ConfigMap, or sets its entries in the one that is there: other entries, labels and
     * annotations stay.
     */
    void merge(InitRun run, String area, ConfigMap map, Reporter out) {
        KubeApi api = api(run, out);
        repeat(run, area, writing(map), () -> merged(api, map));
    }

    private static ConfigMap merged(KubeApi api, ConfigMap map) {
        try {
            return api.create(map);
        } catch (KubeApiException e) {
            if (e.kind() != KubeApiException.Kind.ALREADY_EXISTS) {
                throw e;
            }
            return api.patch(
                    ConfigMap.class,
                    map.getMetadata().getNamespace(),
                    map.getMetadata().getName(),
                    found -> found.edit().addToData(map.getData()).build());
        }
    }

    /** What a write is called when it is waited for, or fails. */
    static String writing(HasMetadata object) {
        return "write %s %s".formatted(object.getKind(), object.getMetadata().getName());
    }

    /** The present moment. */
    java.time.Instant now() {
        return waiter.now();
    }
}
