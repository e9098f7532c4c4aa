package io.kjadm.etcd.model;

import io.kjadm.etcd.EtcdVersion;

import java.net.URI;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The kubelets of the machines, which start and stop etcd. */
final class Kubelets {

    private final EtcdModel model;

    Kubelets(EtcdModel model) {
        this.model = model;
    }

    /**
     * Starts what has a manifest, as etcd starts. Without a kubelet what runs
     * goes on running.
     */
    void look(Machine machine) {
        if (machine.kubelet) {
            machine.kubeletLooks(model.world.now());
        }
        boolean stops = machine.stopped || machine.manifest.isEmpty() && machine.kubelet;
        if (stops) {
            machine.down(model.world.now());
            return;
        }
        if (machine.up && machine.kubelet && machine.outdated()) {
            machine.down(model.world.now());
            machine.nextStart = model.world.now() + 1_000 + model.random.nextInt(4_000);
            return;
        }
        if (machine.up) {
            boolean out = machine.data.isEmpty()
                    || machine.reachable
                            && model.serving()
                            && model.removed.contains(machine.data.get());
            if (out) {
                machine.down(model.world.now());
            } else if (machine.reachable && model.serving()) {
                machine.remembered = model.members();
            }
            return;
        }
        if (!machine.kubelet
                || machine.manifest.isEmpty()
                || machine.nextStart > model.world.now()) {
            return;
        }
        machine.nextStart = model.world.now() + 10_000;
        if (!starts(machine)) {
            return;
        }
        if (machine.data.isEmpty()) {
            firstStart(machine);
        } else if (model.servers.stream().anyMatch(server -> server.id.equals(machine.data.get()))
                || !machine.reachable) {
            up(machine);
        }
    }

    private void firstStart(Machine machine) {
        Optional<ModelServer> own = model.servers.stream()
                .filter(server -> server.peerUrl.equals(machine.peerUrl))
                .findFirst();
        Set<URI> now =
                model.servers.stream().map(server -> server.peerUrl).collect(Collectors.toSet());
        boolean peersAnswer =
                machine.reachable && model.servers.stream().anyMatch(server -> server.answers());
        // a voter that has forgotten what it promised panics as soon as it hears the leader
        boolean forgot =
                own.isPresent() && !own.get().learner && !own.get().name.isEmpty();
        if (own.isEmpty() || !peersAnswer || forgot || !machine.manifest.get().equals(now)) {
            return;
        }
        machine.born(own.get().id);
        up(machine);
    }

    /** Its etcd runs from now on. */
    void up(Machine machine) {
        machine.up = true;
        machine.version = wanted(machine);
        machine.connectedSince = model.world.now();
        machine.started(model.world.now());
    }

    private EtcdVersion wanted(Machine machine) {
        return machine.image.orElse(model.version);
    }

    /** An etcd that is older than the cluster, or newer by more than a minor, ends at once. */
    private boolean starts(Machine machine) {
        int step = wanted(machine).minor() - model.clusterVersion.minor();
        boolean fits = step == 0 || step == 1;
        if (!fits) {
            machine.doesNotFit();
        }
        return fits && machine.binds() && !machine.broken.contains(wanted(machine));
    }
}
