package io.kjadm.core.simulation;

import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.RuntimeConnector;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A container runtime that has every image and is well, on whatever machine. */
abstract class SimulatedRuntime implements ContainerRuntime, RuntimeConnector {

    @Override
    public ContainerRuntime connect(String criSocket) {
        return this;
    }

    @Override
    public boolean canConnect(Path socket) {
        return true;
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
    public boolean hasImage(String image) {
        return true;
    }
}
