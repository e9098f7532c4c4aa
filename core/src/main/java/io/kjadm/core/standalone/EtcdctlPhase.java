package io.kjadm.core.standalone;

import io.kjadm.core.config.ExternalEtcdFile;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdCertificateFiles;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.manifests.StandaloneEtcd;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** {@code etcdctl}: what clients of this etcd need, {@code etcdctl} here and API servers elsewhere. */
final class EtcdctlPhase implements Phase<EtcdRun> {

    private final StandalonePorts ports;

    EtcdctlPhase(StandalonePorts ports) {
        this.ports = ports;
    }

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
        new ExternalEtcdFile(
                        endpoints(run),
                        read(EtcdCertificateFiles.standalone(certificates).ca().certificate()),
                        read(EtcdCertificates.certificate(
                                certificates, EtcdCertificates.API_SERVER_CLIENT)),
                        read(EtcdCertificates.key(
                                certificates, EtcdCertificates.API_SERVER_CLIENT)))
                .write(files, run.paths().externalEtcd());
        out.step(
                "etcdctl",
                "Wrote %s for 'kjadm init --external-etcd'"
                        .formatted(run.paths().externalEtcd()));
        return run;
    }

    /** Those of all voters, its own first. */
    private List<URI> endpoints(EtcdRun run) {
        URI own = run.settings().clientUrl();
        try (EtcdCluster etcd = ports.connect(run, List.of(own))) {
            return Stream.concat(
                            Stream.of(own),
                            etcd.members().stream()
                                    .filter(Member::voter)
                                    .flatMap(member -> member.clientUrls().stream()))
                    .distinct()
                    .toList();
        } catch (EtcdCallException e) {
            return List.of(own);
        }
    }

    private String read(Path path) {
        return ports.machine()
                .files()
                .read(path)
                .orElseThrow(() -> new HostException(
                        "the file %s is missing".formatted(path),
                        "clients need it",
                        "run phase certs first"));
    }
}
