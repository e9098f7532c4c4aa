package io.kjadm.core.node;

import io.fabric8.kubernetes.api.model.Node;
import io.kjadm.core.config.Taint;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Labels and taints a node as one of the control plane. */
public final class ControlPlaneMarker {

    private static final List<String> LABELS = List.of(
            "node-role.kubernetes.io/control-plane",
            "node.kubernetes.io/exclude-from-external-load-balancers");
    private static final String HOSTNAME_LABEL = "kubernetes.io/hostname";
    private static final Duration INTERVAL = Duration.ofMillis(200);

    private final Waiter waiter;

    public ControlPlaneMarker(Waiter waiter) {
        this.waiter = waiter;
    }

    /** Waits until the node has registered itself, then marks it. */
    public void mark(ControlPlaneNode node, KubeApi api, Reporter out) {
        List<Taint> taints = node.registration().taints().orElse(List.of());
        out.step(
                "mark-control-plane",
                "Marking the node %s as control-plane by adding the labels: [%s]"
                        .formatted(node.name(), String.join(" ", LABELS)));
        if (!taints.isEmpty()) {
            out.step(
                    "mark-control-plane",
                    "Marking the node %s as control-plane by adding the taints [%s]"
                            .formatted(
                                    node.name(),
                                    String.join(
                                            " ",
                                            taints.stream()
                                                    .map(ControlPlaneMarker::text)
                                                    .toList())));
        }
        Await await = new Await(
                "mark-control-plane",
                "node %s to register itself".formatted(node.name()),
                node.timeouts().kubernetesApiCall(),
                INTERVAL,
                "see the kubelet's log for why it does not register, then run the command again");
        waiter.until(await, () -> attempt(node, taints, api));
    }

    private static Attempt<Node> attempt(ControlPlaneNode node, List<Taint> taints, KubeApi api) {
        try {
            boolean registered = api.get(Node.class, "", node.name())
                    .filter(found -> labels(found).containsKey(HOSTNAME_LABEL))
                    .isPresent();
            return registered
                    ? Attempt.done(
                            api.patch(Node.class, "", node.name(), found -> marked(found, taints)))
                    : Attempt.notYet("it is not registered yet");
        } catch (KubeApiException e) {
            return Attempt.notYet(e.getMessage());
        }
    }

    private static Node marked(Node node, List<Taint> wanted) {
        Map<String, String> labels = new HashMap<>(labels(node));
        LABELS.forEach(label -> labels.put(label, ""));
        List<io.fabric8.kubernetes.api.model.Taint> taints =
                new ArrayList<>(wanted.stream().map(ControlPlaneMarker::typed).toList());
        node.getSpec().getTaints().stream()
                .filter(existing -> wanted.stream().noneMatch(taint -> same(taint, existing)))
                .forEach(taints::add);
        return node.edit()
                .editMetadata()
                .withLabels(labels)
                .endMetadata()
                .editSpec()
                .withTaints(taints)
                .endSpec()
                .build();
    }

    private static Map<String, String> labels(Node node) {
        Map<String, String> labels = node.getMetadata().getLabels();
        return labels == null ? Map.of() : labels;
    }

    private static io.fabric8.kubernetes.api.model.Taint typed(Taint taint) {
        return new io.fabric8.kubernetes.api.model.TaintBuilder()
                .withKey(taint.key())
                .withValue(taint.value().isEmpty() ? null : taint.value())
                .withEffect(taint.effect())
                .build();
    }

    private static boolean same(Taint wanted, io.fabric8.kubernetes.api.model.Taint existing) {
        return wanted.key().equals(existing.getKey())
                && wanted.effect().equals(existing.getEffect())
                && wanted.value().equals(existing.getValue() == null ? "" : existing.getValue());
    }

    private static String text(Taint taint) {
        return taint.key() + (taint.value().isEmpty() ? "" : "=" + taint.value()) + ":"
                + taint.effect();
    }
}
