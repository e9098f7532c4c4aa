package io.kjadm.core.preflight;

import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.RuntimeConnector;

import java.util.List;

/** The container runtime answers and can run pods. */
record RuntimeCheck(RuntimeConnector runtimes, String criSocket) implements Check {

    @Override
    public String name() {
        return "CRI";
    }

    @Override
    public List<Finding> run() {
        ContainerRuntime.State state = runtimes.connect(criSocket).state();
        return Finding.errorIf(
                !state.ready(),
                "container runtime at %s is not ready: %s".formatted(criSocket, state.reason()));
    }
}
