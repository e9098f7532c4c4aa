package io.kjadm.core.standalone;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.StandaloneEtcd;

import java.nio.file.Path;

/** {@code etcdctl}: what clients of this etcd need, {@code etcdctl} here and API servers elsewhere. */
record EtcdctlPhase(StandalonePorts ports) implements Phase<EtcdRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                        "etcdctl",
                        "Write what etcdctl and API servers need to reach this etcd",
                        EtcdPhaseFlags.MEMBER)
                .alias("client-certs");
    }

    @Override
    public EtcdRun run(EtcdRun run, Reporter out) {
        HostFiles files = ports.machine().files();
        Path certificates = run.settings().directories().certificates();
        Path install = run.settings().directories().install();
        Path wrapper = run.paths().etcdctlWrapper(install);
        files.write(
                run.paths().etcdctlEnvironment(),
                StandaloneEtcd.etcdctlEnvironment(run.settings().address(), certificates),
                FileMode.OWNER_ONLY);
        files.write(
                wrapper,
                StandaloneEtcd.etcdctlWrapper(run.paths().etcdctlEnvironment(), install),
                FileMode.EXECUTABLE);
        out.step("etcdctl", "etcdctl for this etcd is %s".formatted(wrapper));
        if (!new MemberCertificates(ports.etcd(run), ports.clients(), out)
                .provideForControlPlanes()) {
            throw new HostException(
                    "%s cannot be written".formatted(run.paths().externalEtcd()),
                    "the CA, or the certificate or key of the API servers, is not in "
                            + certificates,
                    "run phase certs first");
        }
        out.step(
                "etcdctl",
                "Wrote %s for 'kjadm init --external-etcd'"
                        .formatted(run.paths().externalEtcd()));
        return run;
    }
}
