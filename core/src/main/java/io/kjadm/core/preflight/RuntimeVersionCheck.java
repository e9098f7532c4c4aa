package io.kjadm.core.preflight;

import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.RuntimeConnector;

import java.util.List;

/** The container runtime tells its cgroup driver, which kubelets of v1.37 will rely on. */
record RuntimeVersionCheck(RuntimeConnector runtimes, String criSocket) implements Check {

    @Override
    public String name() {
        return "ContainerRuntimeVersion";
    }

    @Override
    public List<Finding> run() {
        ContainerRuntime runtime = runtimes.connect(criSocket);
        return Finding.warningIf(
                runtime.cgroupDriver().isEmpty(),
                "the container runtime at %s does not serve the RuntimeConfig call; "
                                .formatted(criSocket)
                        + "from v1.37 on the kubelet needs it, so update the runtime before");
    }
}
