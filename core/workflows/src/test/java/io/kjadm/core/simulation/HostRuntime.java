package io.kjadm.core.simulation;

import io.kjadm.etcd.model.VirtualWorld;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The containers of a machine: etcd's, which is the model's, and those that use it. */
final class HostRuntime extends SimulatedRuntime {

    private final Host host;
    private final Program program;
    private final VirtualWorld world;

    HostRuntime(Host host, Program program, VirtualWorld world) {
        this.host = host;
        this.program = program;
        this.world = world;
    }

    @Override
    public List<Container> containers() {
        program.point();
        return Host.PODS.stream()
                .filter(host.running::containsKey)
                .map(component -> container(component, host.running.get(component)))
                .toList();
    }

    private Container container(String name, Host.Running running) {
        String id = "%s/%s/%d".formatted(name, running.podUid(), running.since());
        return new Container(
                id,
                id,
                name,
                0,
                true,
                world.instant().minusMillis(world.now() - running.since()),
                Map.of(
                        "io.kubernetes.pod.namespace",
                        "kube-system",
                        "io.kubernetes.pod.uid",
                        running.podUid()));
    }

    @Override
    public void stopContainer(String id, Duration grace) {
        program.point();
        program.pass(200);
        if (containers().stream().anyMatch(container -> container.id().equals(id))) {
            host.stop(id.substring(0, id.indexOf('/')), world.now());
        }
        program.point();
    }

    @Override
    public void stopSandbox(String id) {
        stopContainer(id, Duration.ZERO);
    }

    @Override
    public void removeSandbox(String id) {
        program.point();
    }

    @Override
    public Optional<Exit> exitOf(String id) {
        return Optional.empty();
    }

    @Override
    public void pull(String image) {
        // it is there
    }
}
