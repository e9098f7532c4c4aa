package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** The Lease by which one of all instances of a component works, and says so. */
final class LeaderLease {
    private static final String LEASES =
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
    private static final Duration INTERVAL = Duration.ofSeconds(2);
    private static final int DURATION_SECONDS = 6;
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final ApiClient api;
    private final String name;
    private final String holder;
    private Instant looked = Instant.EPOCH;
    private boolean leads;
    /** As this instance has written it. */
    private Optional<ObjectNode> lease = Optional.empty();

    LeaderLease(ApiClient api, String name) throws IOException {
        this.api = api;
        this.name = name;
        this.holder = InetAddress.getLocalHost().getHostName();
    }

    /** Renews it or takes it, if that was not tried just now; whether this instance has it. */
    boolean leads() throws IOException {
        var now = Instant.now();
        if (now.isBefore(looked.plus(INTERVAL))) {
            return leads;
        }
        leads = false;
        leads = renew(now) || acquire(now);
        looked = now;
        return leads;
    }

    /** By what it had written itself: refused if another instance has written since. */
    private boolean renew(Instant now) throws IOException {
        var own = lease;
        lease = Optional.empty();
        if (own.isEmpty()) {
            return false;
        }
        own.get().set("spec", held(now).path("spec"));
        lease = api.replace(LEASES + "/" + name, own.get());
        return lease.isPresent();
    }

    private boolean acquire(Instant now) throws IOException {
        var found = api.get(LEASES + "/" + name);
        if (found.isEmpty()) {
            var first = held(now).put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
            first.withObject("/metadata").put("name", name);
            api.create(LEASES, first);
            return true;
        }
        if (!isFree(found.get().path("spec"), now)) {
            return false;
        }
        found.get().set("spec", held(now).path("spec"));
        lease = api.replace(LEASES + "/" + name, found.get());
        return lease.isPresent();
    }

    private boolean isFree(JsonNode spec, Instant now) {
        return spec.path("holderIdentity").asText().equals(holder)
                || Instant.parse(spec.path("renewTime").asText())
                        .plusSeconds(DURATION_SECONDS)
                        .isBefore(now);
    }

    private ObjectNode held(Instant now) {
        var lease = Json.object();
        lease.withObject("/spec")
                .put("holderIdentity", holder)
                .put("leaseDurationSeconds", DURATION_SECONDS)
                .put("renewTime", MICROS.format(now));
        return lease;
    }
}
