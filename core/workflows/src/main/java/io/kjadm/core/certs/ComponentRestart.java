package io.kjadm.core.certs;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.ca.CertificateProbe;
import io.kjadm.core.etcd.ca.EtcdRestart;
import io.kjadm.core.machine.HealthProbe;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.core.staticpod.StaticPods;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.SchedulerPod;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Restarts the static pods of this node that read renewed certificates, one after the other, and
 * sees that each serves with the new ones. It asks the container runtime and the components
 * themselves: the API server may be down for want of just that restart.
 */
public final class ComponentRestart implements CertificateUsers {

    /** In order of need: each can start when those before it serve. */
    private static final List<String> ORDER =
            List.of(EtcdPod.NAME, ApiServerPod.NAME, ControllerManagerPod.NAME, SchedulerPod.NAME);

    private static final String AREA = "renew";
    private static final Duration GRACE = Duration.ofSeconds(30);

    private static final Duration INTERVAL = Duration.ofMillis(500);
    /**
     * The kubelet starts what has ended within a second, unless that has happened too often: what was
     * stopped on purpose counts, too.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final Machine machine;
    private final String criSocket;
    private final Probes probes;
    private final EtcdRestart etcd;
    private final Reporter out;

    /** What is asked of components. */
    record Probes(CertificateProbe certificates, HealthProbe health) {}

    /**
     * @param criSocket of the runtime that the kubelet uses
     */
    public ComponentRestart(
            Machine machine,
            String criSocket,
            CertificateProbe certificates,
            EtcdRestart etcd,
            Reporter out) {
        this.machine = machine;
        this.criSocket = criSocket;
        this.probes = new Probes(certificates, machine.health());
        this.etcd = etcd;
        this.out = out;
    }

    @Override
    public void restart(CertsNode node, List<ManagedCertificate> renewed) {
        Set<String> components = renewed.stream()
                .flatMap(certificate -> certificate.component().stream())
                .collect(Collectors.toSet());
        boolean served = true;
        for (String component : ORDER) {
            if (components.contains(component)) {
                served &= restart(node, component, served);
            }
        }
    }

    /**
     * @param served whether what it needs is there, so that it can be awaited
     * @return the same for what needs this one
     */
    private boolean restart(CertsNode node, String component, boolean served) {
        Optional<StaticPodText> pod = StaticPodText.of(machine.files(), node.paths(), component);
        if (pod.isEmpty()) {
            out.step(AREA, component + " is no static pod of this node: nothing to restart");
            return true;
        }
        ServingPod serving = new ServingPod(machine.files(), node, component, pod.get());
        if (component.equals(EtcdPod.NAME)) {
            return etcd.guard(() -> restartContainer(serving, true));
        }
        restartContainer(serving, served);
        return served;
    }

    @Override
    public void awaitShown(CertsNode node, String component) {
        StaticPodText.of(machine.files(), node.paths(), component)
                .map(pod -> new ServingPod(machine.files(), node, component, pod))
                .ifPresent(this::awaitShown);
    }

    private void awaitShown(ServingPod pod) {
        Await await = new Await(
                AREA,
                pod.component() + " to show its new certificates",
                EtcdRestart.COMPONENT_LIMIT,
                INTERVAL,
                "the certificates are renewed; restart it by hand if it keeps the old ones");
        machine.waiter()
                .until(
                        await,
                        () -> pod.fault(probes)
                                .map(Attempt::<String>notYet)
                                .orElseGet(() -> Attempt.done(pod.serves())))
                .ifPresent(what -> out.step(AREA, what));
    }

    private void restartContainer(ServingPod pod, boolean awaited) {
        StaticPods pods = new StaticPods(machine.runtimes().connect(criSocket));
        if (!awaited) {
            pods.stop(pod.component(), GRACE);
            out.step(
                    AREA,
                    "Stopped %s: it starts with its new certificates, and serves when etcd has a leader"
                            .formatted(pod.component()));
            return;
        }
        out.step(
                AREA,
                pods.running(pod.component()).isEmpty()
                        ? "%s does not run: waiting until the kubelet starts it"
                                .formatted(pod.component())
                        : "Restarting %s".formatted(pod.component()));
        List<String> old = pods.stop(pod.component(), GRACE);
        Await await = new Await(
                AREA,
                pod.component() + " to serve with its new certificates",
                EtcdRestart.COMPONENT_LIMIT,
                INTERVAL,
                "the certificates are renewed; read the container's log (crictl --runtime-endpoint %s ps -a), then restart it by hand"
                        .formatted(criSocket));
        BackOff backOff = new BackOff(pod.component(), machine.waiter().now().plus(PATIENCE));
        // a dry run reports the wait
        machine.waiter()
                .until(await, () -> look(pods, pod, old, backOff))
                .ifPresent(what -> out.step(AREA, what));
    }

    private Attempt<String> look(
            StaticPods pods, ServingPod pod, List<String> old, BackOff backOff) {
        try {
            if (pods.running(pod.component()).stream().map(Container::id).allMatch(old::contains)) {
                backOff.shorten(pods);
                return Attempt.notYet("it has not started yet");
            }
        } catch (HostException e) {
            return Attempt.notYet(e.getMessage());
        }
        return pod.fault(probes)
                .map(Attempt::<String>notYet)
                .orElseGet(() -> Attempt.done(pod.serves()));
    }

    /**
     * A pod that ended a few times is started after up to five minutes only. A kubelet that starts
     * anew has forgotten that, and takes longer: it first wants an answer of the API server, and the
     * one of this node waits for its etcd.
     */
    private final class BackOff {

        private final String component;
        private final Instant patience;
        private boolean over;

        BackOff(String component, Instant patience) {
            this.component = component;
            this.patience = patience;
        }

        void shorten(StaticPods pods) {
            if (!over && !machine.waiter().now().isBefore(patience)) {
                over = true;
                out.step(
                        AREA,
                        "Removing the ended pod of %s, so that the kubelet starts it at once"
                                .formatted(component));
                pods.removeEnded(component, Set.of());
            }
        }
    }
}
