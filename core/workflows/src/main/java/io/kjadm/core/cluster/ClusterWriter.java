package io.kjadm.core.cluster;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.phase.Waiter;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/**
 * Writes objects, repeated while the API server cannot answer, or refuses for the reasons of one
 * that has just started.
 */
public final class ClusterWriter {

    private final KubeApi api;
    private final Waiter waiter;
    private final Duration limit;
    private final String area;

    /**
     * @param limit for each request, its repetitions included
     * @param area  in whose name waits are told
     */
    public ClusterWriter(KubeApi api, Waiter waiter, Duration limit, String area) {
        this.api = api;
        this.waiter = waiter;
        this.limit = limit;
        this.area = area;
    }

    /** The client that it writes with. */
    public KubeApi api() {
        return api;
    }

    /** The present moment. */
    public Instant now() {
        return waiter.now();
    }

    /**
     * The answer of a request.
     *
     * @param what to do, as in "the API server to …"
     */
    public <T> T repeat(String what, Supplier<T> request) {
        return new KubeCalls(waiter, limit).repeatWhileStarting(area, what, request);
    }

    /** Creates objects, or replaces those that are there. */
    public void apply(List<? extends HasMetadata> objects) {
        for (HasMetadata object : objects) {
            repeat(writing(object), () -> api.createOrReplace(object));
        }
    }

    /**
     * Creates a ConfigMap, or sets its entries and annotations in the one that is there: others, and
     * labels, stay.
     */
    public void merge(ConfigMap map) {
        repeat(writing(map), () -> merged(map));
    }

    private ConfigMap merged(ConfigMap map) {
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
                    found -> found.edit()
                            .addToData(map.getData())
                            .editMetadata()
                            .addToAnnotations(map.getMetadata().getAnnotations())
                            .endMetadata()
                            .build());
        }
    }

    /** What a write is called when it is waited for, or fails. */
    public static String writing(HasMetadata object) {
        return "write %s %s".formatted(object.getKind(), object.getMetadata().getName());
    }
}
