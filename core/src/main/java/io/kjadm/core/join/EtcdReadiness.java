package io.kjadm.core.join;

import io.kjadm.core.node.HealthProbe;

import java.net.URI;

/**
 * This node's etcd asked whether it is ready: its own judgement, which takes in a read that the
 * others must confirm.
 *
 * @param metrics etcd's metrics endpoint on this node, which needs no credentials
 */
record EtcdReadiness(HealthProbe probe, URI metrics) {

    /** Why it is not; empty text if it is. */
    String missing() {
        URI ready = metrics.resolve("/readyz");
        String answer = probe.ask(ready);
        // etcd before 3.4.29 and 3.5.11 knows only the older question
        return answer.equals(ready + " answers 404")
                ? probe.ask(metrics.resolve("/health"))
                : answer;
    }
}
