package io.kjadm.core.etcd.version;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.lock.LockRecord;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.KubeSystem;
import io.kjadm.manifests.SchedulerPod;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Waits until a node whose control plane was changed is one that the next run can build on: its
 * own components work, and its kubelet is heard. What asks its API server ends after a while
 * without it, and the kubelet starts it again later and later. A kubelet that could not reach its
 * API server for 50 s has its node taken for lost ({@code --node-monitor-grace-period}), and after
 * it has come back it takes some seconds to tell.
 */
public final class NodeReturn {

    private static final String AREA = "upgrade";
    private static final String NODE_LEASES = "kube-node-lease";
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration BETWEEN_STARTS = Duration.ofSeconds(10);
    /** A kubelet renews its Lease every 10 s, and one renewal may be late; leaders every 2 s. */
    private static final Duration HEARD = Duration.ofSeconds(20);

    private final String node;
    private final Map<String, ComponentJudge> components;
    private final Consumer<String> startAtOnce;
    private final Supplier<KubeApi> local;
    private final Waiter waiter;
    private final Reporter out;

    private Instant asked = Instant.EPOCH;

    /**
     * @param components  of this node, the API server first
     * @param startAtOnce for one that does not work, which the kubelet may be making wait
     * @param local       a client of this node's API server
     */
    public NodeReturn(
            String node,
            Map<String, ComponentJudge> components,
            Consumer<String> startAtOnce,
            Supplier<KubeApi> local,
            Waiter waiter,
            Reporter out) {
        this.node = node;
        this.components = components;
        this.startAtOnce = startAtOnce;
        this.local = local;
        this.waiter = waiter;
        this.out = out;
    }

    /** Waits for it; a node that does not come back in time is told of, and the run goes on. */
    public void await() {
        try {
            waiter.until(
                    new Await(
                            AREA,
                            "node %s to report its status".formatted(node),
                            LIMIT,
                            INTERVAL,
                            "see the kubelet's log (journalctl -xeu kubelet)"),
                    () -> {
                        String problem = problem();
                        return problem.isEmpty() ? Attempt.done(true) : Attempt.notYet(problem);
                    });
        } catch (ClusterException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            out.warn(e.problem().facts());
        }
    }

    private String problem() {
        for (Map.Entry<String, ComponentJudge> component : components.entrySet()) {
            String ailing = component.getValue().problem();
            if (!ailing.isEmpty()) {
                startAtOnce(component.getKey());
                return "its %s: %s".formatted(component.getKey(), ailing);
            }
        }
        try {
            KubeApi api = local.get();
            if (api.get(Node.class, "", node).filter(NodeReturn::isLost).isPresent()) {
                return "it is considered lost";
            }
            return Stream.of(
                            silent(api, NODE_LEASES, node),
                            silent(api, KubeSystem.NAMESPACE, ControllerManagerPod.NAME),
                            silent(api, KubeSystem.NAMESPACE, SchedulerPod.NAME))
                    .flatMap(Optional::stream)
                    .findFirst()
                    .orElse("");
        } catch (KubeApiException e) {
            return e.getMessage();
        }
    }

    /** One without a Lease, as where no leader is elected, shows nothing by it. */
    private Optional<String> silent(KubeApi api, String namespace, String name) {
        return api.get(Lease.class, namespace, name)
                .map(LockRecord::renewed)
                .filter(time -> Duration.between(time, waiter.now()).compareTo(HEARD) > 0)
                .map(time ->
                        "Lease %s in %s was renewed last at %s".formatted(name, namespace, time));
    }

    /** Not too often: one that ends at once would do so again and again. */
    private void startAtOnce(String component) {
        if (Duration.between(asked, waiter.now()).compareTo(BETWEEN_STARTS) >= 0) {
            asked = waiter.now();
            startAtOnce.accept(component);
        }
    }

    /** A kubelet that tells itself that it is not ready is heard. */
    private static boolean isLost(Node found) {
        return found.getStatus() != null
                && found.getStatus().getConditions().stream()
                        .filter(condition -> "Ready".equals(condition.getType()))
                        .map(NodeCondition::getStatus)
                        .anyMatch("Unknown"::equals);
    }
}
