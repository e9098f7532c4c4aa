package io.kjadm.core.upgrade.check;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.ControlPlaneComponent;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.lock.LockRecord;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.upgrade.check.ClusterState.Election;
import io.kjadm.core.value.GoBoolean;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.KubeSystem;
import io.kjadm.manifests.SchedulerPod;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the Leases by which components show that one of their instances works. */
record LeaseReader(KubeApi api, KubeCalls calls, Waiter waiter) {

    /** Two times the interval in which a leader renews its Lease, and some. */
    private static final Duration UNTIL_RENEWED = Duration.ofSeconds(5);

    /** Of the components that have one. */
    List<Election> elections(ClusterConfiguration cluster) {
        List<Election> elections = new ArrayList<>();
        if (elects(cluster.controllerManager())) {
            elections.add(election(ControllerManagerPod.NAME));
        }
        if (elects(cluster.scheduler())) {
            elections.add(election(SchedulerPod.NAME));
        }
        return elections;
    }

    private static boolean elects(ControlPlaneComponent component) {
        return component.extraArg("leader-elect").flatMap(GoBoolean::parse).orElse(true);
    }

    /**
     * A Lease carries the time of its holder's clock. Where that does not go like this one, it is
     * seen whether the Lease is renewed.
     */
    private Election election(String component) {
        Optional<Instant> first = renewed(component);
        Optional<Duration> age = first.map(time -> Duration.between(time, waiter.now()));
        if (age.filter(old -> old.abs().compareTo(ClusterRules.LEASE_AGE) >= 0).isPresent()) {
            waiter.pause(
                    ClusterStateReader.AREA,
                    "to see whether %s renews its Lease".formatted(component),
                    UNTIL_RENEWED);
            if (!renewed(component).equals(first)) {
                age = Optional.of(Duration.ZERO);
            }
        }
        return new Election(component, age.map(Duration::abs));
    }

    private Optional<Instant> renewed(String component) {
        return calls.repeat(
                        ClusterStateReader.AREA,
                        "read Lease " + component,
                        () -> api.get(Lease.class, KubeSystem.NAMESPACE, component))
                .map(LockRecord::renewed);
    }
}
