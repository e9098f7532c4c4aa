package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;

import java.time.Duration;

/** Where the kubelet asks a static pod for its health; an empty host means the pod's address. */
record ProbeEndpoint(String host, String scheme) {

    static final String PORT_NAME = "probe-port";

    private static final int PERIOD_SECONDS = 10;

    /** A pod that listens everywhere is asked at its own address. */
    static ProbeEndpoint of(String host, String scheme) {
        boolean everywhere = host.equals("0.0.0.0") || host.equals("::");
        return new ProbeEndpoint(everywhere ? "" : host, scheme);
    }

    /** Where a component listens that takes a {@code bind-address}, by default the loopback. */
    static ProbeEndpoint ofBindAddress(PodOptions options) {
        return of(
                Argument.lastValue(options.extraArgs(), "bind-address").orElse("127.0.0.1"),
                "HTTPS");
    }

    /** Failures until {@code limit} has passed. */
    Probe startup(String path, Duration limit) {
        return probe(path)
                .withInitialDelaySeconds(10)
                .withPeriodSeconds(PERIOD_SECONDS)
                .withFailureThreshold(rounds(limit))
                .build();
    }

    Probe liveness(String path) {
        return probe(path)
                .withInitialDelaySeconds(10)
                .withPeriodSeconds(PERIOD_SECONDS)
                .withFailureThreshold(8)
                .build();
    }

    Probe readiness(String path) {
        return probe(path).withPeriodSeconds(1).withFailureThreshold(3).build();
    }

    private ProbeBuilder probe(String path) {
        return new ProbeBuilder()
                .withNewHttpGet()
                .withHost(host.isEmpty() ? null : host)
                .withPath(path)
                .withNewPort(PORT_NAME)
                .withScheme(scheme)
                .endHttpGet()
                .withTimeoutSeconds(15);
    }

    private static int rounds(Duration limit) {
        return Math.toIntExact(Math.ceilDiv(limit.toMillis(), PERIOD_SECONDS * 1000L));
    }
}
