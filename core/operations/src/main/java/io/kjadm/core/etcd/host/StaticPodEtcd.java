package io.kjadm.core.etcd.host;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdMetricsUrl;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.StaticPodWatch;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.staticpod.KubeletCriSocket;
import io.kjadm.core.staticpod.ManifestStash;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.manifests.EtcdPod;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** etcd as a static pod, beside the API server of a control-plane node. */
public final class StaticPodEtcd implements EtcdHost {

    /** A directory of a restore, beside other temporary files and in the data directory. */
    public static final String RESTORE = "kjadm-restore";

    /** Which clusters this machine's was restored from. */
    public static final Path LINEAGE = Path.of("/var/lib/kjadm/etcd-lineage.json");

    private final Machine machine;
    private final HostFiles files;
    private final KubernetesPaths paths;
    private final ManifestStash stash;

    public StaticPodEtcd(Machine machine, KubernetesPaths paths) {
        this.machine = machine;
        this.files = machine.files();
        this.paths = paths;
        this.stash = new ManifestStash(files, paths, restoreDir());
    }

    @Override
    public Machine machine() {
        return machine;
    }

    @Override
    public LocalEtcdState state() {
        return LocalEtcdState.look(files, paths, stash::text, Optional.empty());
    }

    private Optional<String> flag(String name) {
        return stash.text(EtcdPod.NAME)
                .flatMap(StaticPodText::parse)
                .flatMap(pod -> pod.flag(name));
    }

    @Override
    public String initialCluster() {
        return flag("initial-cluster").orElse("");
    }

    /** Where the other members are a quorum, its API server responds. */
    @Override
    public Optional<Path> kubeconfig() {
        return Optional.of(paths.adminConf());
    }

    @Override
    public Path restoreDir() {
        return paths.tmpDir().resolve(RESTORE);
    }

    @Override
    public Path lineage() {
        return LINEAGE;
    }

    @Override
    public URI metrics() {
        return EtcdMetricsUrl.of(flag("listen-metrics-urls"), ipv6()).resolve("/metrics");
    }

    /** Whether its peers reach it over IPv6. */
    private boolean ipv6() {
        return state().peerUrls().stream().anyMatch(url -> EtcdUrls.host(url).contains(":"));
    }

    @Override
    public String logHint() {
        return "read the log of its container (crictl --runtime-endpoint %s ps -a)"
                .formatted(criSocket());
    }

    /** Where its files are. */
    public KubernetesPaths paths() {
        return paths;
    }

    /** Where a restore keeps the manifests that are out of the kubelet's sight. */
    public ManifestStash stash() {
        return stash;
    }

    /**
     * The socket of the container runtime.
     *
     * @throws HostException if no file of the kubelet names it
     */
    public String criSocket() {
        return KubeletCriSocket.require(files, paths);
    }

    /** Sees why a component does not come up. */
    public StaticPodWatch watch(String component) {
        return new StaticPodWatch(component, machine, criSocket(), paths.manifest(component));
    }
}
