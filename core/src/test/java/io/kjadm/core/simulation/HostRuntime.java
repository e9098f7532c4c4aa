package io.kjadm.core.simulation;

import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.etcd.model.VirtualWorld;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The containers of a machine: etcd's, which is the model's, and those that use it. */
record HostRuntime(Host host, Program program, VirtualWorld world)
        implements ContainerRuntime, RuntimeConnector {

    private static final Map<String, String> LABELS =
            Map.of("io.kubernetes.pod.namespace", "kube-system");

    @Override
    public ContainerRuntime connect(String criSocket) {
        return this;
    }

    @Override
    public boolean canConnect(Path socket) {
        return true;
    }

    @Override
    public List<Container> containers() {
        program.point();
        List<Container> containers = new ArrayList<>();
        if (host.up) {
            containers.add(container("etcd"));
        }
        Host.CLIENTS.stream()
                .filter(host.running::contains)
                .forEach(component -> containers.add(container(component)));
        return containers;
    }

    private static Container container(String name) {
        return new Container(name, name, name, 0, true, Instant.EPOCH, LABELS);
    }

    @Override
    public void stopContainer(String id, Duration grace) {
        program.point();
        program.pass(200);
        host.stop(id, world.now());
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
    public List<String> sandboxes() {
        return containers().stream().map(Container::sandboxId).toList();
    }

    @Override
    public String version() {
        return "simulated";
    }

    @Override
    public State state() {
        return new State(true, "");
    }

    @Override
    public Optional<String> sandboxImage() {
        return Optional.empty();
    }

    @Override
    public Optional<CgroupDriver> cgroupDriver() {
        return Optional.empty();
    }

    @Override
    public Optional<Exit> exitOf(String id) {
        return Optional.empty();
    }

    @Override
    public boolean hasImage(String image) {
        return true;
    }

    @Override
    public void pull(String image) {
        // it is there
    }
}
