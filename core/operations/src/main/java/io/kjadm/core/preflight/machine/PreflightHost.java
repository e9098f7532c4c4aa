package io.kjadm.core.preflight.machine;

import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostInfo;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.Mounts;
import io.kjadm.core.host.Services;
import io.kjadm.core.net.ProxyEnvironment;
import io.kjadm.core.phase.Waiter;

/** The ports through which checks look at the machine. Even a dry run checks the real one. */
public record PreflightHost(
        HostFiles files,
        CommandRunner runner,
        RuntimeConnector runtimes,
        Network network,
        Waiter waiter,
        KubernetesPaths paths) {

    /** Its ports, names and proxies. */
    public record Network(PortProbe ports, NameResolver names, ProxyEnvironment proxies) {}

    /** The services of its init system. */
    public Services services() {
        return Services.of(runner);
    }

    /** What its kernel tells. */
    public HostInfo info() {
        return new HostInfo(files);
    }

    /** What is mounted on it. */
    public Mounts mounts() {
        return new Mounts(files, runner);
    }
}
