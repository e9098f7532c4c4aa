package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** The Lease by which a component says that it works; a stand-in takes it whoever else has it. */
final class LeaderLease {
    private static final String LEASES =
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
    private static final Duration INTERVAL = Duration.ofSeconds(2);
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final ApiClient api;
    private final String name;
    private Instant renewed = Instant.EPOCH;

    LeaderLease(ApiClient api, String name) {
        this.api = api;
        this.name = name;
    }

    /** Renews it, if that was not done just now. */
    void renew() throws IOException {
        var now = Instant.now();
        if (now.isBefore(renewed.plus(INTERVAL))) {
            return;
        }
        if (api.get(LEASES + "/" + name).isPresent()) {
            api.patch(LEASES + "/" + name, held(now));
        } else {
            var lease = held(now).put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
            lease.withObject("/metadata").put("name", name);
            api.create(LEASES, lease);
        }
        renewed = now;
    }

    private ObjectNode held(Instant now) {
        var lease = Json.object();
        lease.withObject("/spec")
                .put("holderIdentity", "sandbox")
                .put("leaseDurationSeconds", 15)
                .put("renewTime", MICROS.format(now));
        return lease;
    }
}
