package io.kjadm.core.restore;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.StaticPodWatch;
import io.kjadm.core.etcd.host.EtcdHost;
import io.kjadm.core.etcd.host.StaticPodEtcd;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.Owner;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.staticpod.ComponentEndpoint;
import io.kjadm.core.staticpod.KubeletCriSocket;
import io.kjadm.core.staticpod.ManifestStash;
import io.kjadm.core.staticpod.StaticPodShutdown;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.etcd.join.StartProblem;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.EtcdRestorePod;
import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.SchedulerPod;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * A stacked etcd that gets other data: static pods, which stop when their manifests are out of the
 * kubelet's sight.
 */
public final class RestoredControlPlane implements RestoredEtcd {

    private static final String AREA = SnapshotRestore.AREA;
    private static final List<String> COMPONENTS =
            List.of(ApiServerPod.NAME, ControllerManagerPod.NAME, SchedulerPod.NAME, EtcdPod.NAME);
    private static final List<String> RUNNING =
            Stream.concat(COMPONENTS.stream(), Stream.of(EtcdRestorePod.NAME)).toList();
    private static final String KUBELET = "kubelet";
    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final Duration API_LIMIT = Duration.ofMinutes(4);

    private final Machine machine;
    private final HostFiles files;
    private final KubernetesPaths paths;
    private final RandomGenerator random;
    private final Reporter out;
    private final StaticPodEtcd host;
    private final ManifestStash stash;

    /** @param random makes each pod another one */
    public RestoredControlPlane(StaticPodEtcd host, RandomGenerator random, Reporter out) {
        this.machine = host.machine();
        this.files = host.machine().files();
        this.host = host;
        this.paths = host.paths();
        this.random = random;
        this.out = out;
        this.stash = host.stash();
    }

    @Override
    public EtcdHost host() {
        return host;
    }

    @Override
    public void requireRestorable(LocalEtcdState node) {
        if (!node.manifest() || node.unreadable().isPresent() || node.peerUrls().isEmpty()) {
            throw new HostException(
                    "this node has no etcd that a snapshot could be restored to",
                    node.unreadable().orElse("there is no " + paths.manifest(EtcdPod.NAME)),
                    "run this on a control-plane node with a stacked etcd, or on a machine with a member of a standalone etcd");
        }
        host.criSocket();
        if (machine.services().available() && !machine.services().isActive(KUBELET)) {
            throw new HostException(
                    "the kubelet of this node does not run",
                    "it restores etcd's data in a static pod, and starts etcd and the API server afterwards",
                    "start it (systemctl start kubelet), then run the same command again; nothing was changed");
        }
    }

    @Override
    public String byHand() {
        return "restore the manifests next to it by hand, then move that directory away";
    }

    @Override
    public String stopOthers() {
        return "stop their nodes first: shut them down for good, or stop the kubelet there so that no boot starts it, and then etcd and the API server (systemctl disable --now kubelet; pkill -x etcd; pkill -x kube-apiserver); then run the same command again";
    }

    @Override
    public List<String> cautions(LocalEtcdState node) {
        return List.of();
    }

    @Override
    public long raisedBy() {
        return SnapshotRestore.BUMP_REVISIONS;
    }

    /** The tool is in etcd's image. */
    @Override
    public void prepare() {}

    @Override
    public void stop() {
        out.step(AREA, "Stopping the control plane of this node");
        COMPONENTS.forEach(stash::takeOut);
        shutdown().awaitKubelet(host.criSocket(), COMPONENTS);
    }

    @Override
    public boolean runsAgain() {
        return stash.inPlace(ApiServerPod.NAME) && stash.etcdInPlace();
    }

    private StaticPodShutdown shutdown() {
        return new StaticPodShutdown(AREA, machine, out);
    }

    @Override
    public void make(Making making) {
        files.delete(paths.manifest(EtcdRestorePod.NAME));
        shutdown().awaitKubelet(host.criSocket(), List.of(EtcdRestorePod.NAME));
        letEtcdMake(making);
        String text = etcdManifest();
        out.step(
                AREA,
                "Restoring %s with etcdutl of ".formatted(making.source().title())
                        + StaticPodText.parse(text)
                                .flatMap(StaticPodText::image)
                                .orElse("its image"));
        RestoreContainer container =
                new RestoreContainer(machine.runtimes(), host.criSocket(), files);
        StaticPodWatch watch = host.watch(EtcdRestorePod.NAME);
        watch.starts();
        files.write(paths.manifest(EtcdRestorePod.NAME), pod(text, making), FileMode.OWNER_ONLY);
        try {
            awaitMade(container, watch);
        } finally {
            files.delete(paths.manifest(EtcdRestorePod.NAME));
        }
        shutdown().awaitKubelet(host.criSocket(), List.of(EtcdRestorePod.NAME));
        files.own(making.folder(), files.owner(making.work()), FileMode.PRIVATE_DIRECTORY);
        // etcdutl does not sync all of it, and from now on it counts as made
        files.ownTree(making.target(), files.owner(making.dataDir()));
    }

    /**
     * An etcd that is not root's makes its data below a folder of root's, in which it can exchange
     * nothing: what root does there later would follow a link.
     */
    private void letEtcdMake(Making making) {
        Owner etcd = files.owner(making.dataDir());
        Owner own = files.owner(making.work());
        files.deleteTree(making.folder());
        files.createOwnDirectory(making.folder());
        if (!etcd.equals(own)) {
            files.own(making.work(), own, FileMode.PASSABLE_DIRECTORY);
            files.ownTree(making.folder(), etcd);
            files.own(making.snapshot(), etcd, FileMode.OWNER_ONLY);
        }
    }

    private String etcdManifest() {
        return stash.text(EtcdPod.NAME)
                .orElseThrow(() -> new HostException(
                        "the manifest of etcd is gone",
                        "it is neither in %s nor where this restore keeps it"
                                .formatted(paths.manifest(EtcdPod.NAME)),
                        "restore it, then run the same command again"));
    }

    private String pod(String etcd, Making making) {
        try {
            return ManifestYaml.write(ManifestYaml.tree(EtcdRestorePod.build(
                    etcd,
                    new EtcdRestorePod.Restore(
                            making.snapshot(),
                            making.target(),
                            making.member(),
                            making.token(),
                            making.raise(),
                            making.source().summed()),
                    Long.toHexString(random.nextLong()))));
        } catch (ManifestException e) {
            throw new HostException(
                    "the manifest of etcd cannot be used",
                    e.getMessage(),
                    "repair it, then run the same command again",
                    e);
        }
    }

    private void awaitMade(RestoreContainer container, StaticPodWatch watch) {
        machine.waiter()
                .until(
                        new Await(
                                AREA,
                                "etcdutl to restore the data",
                                SnapshotRestore.MAKING_LIMIT,
                                INTERVAL,
                                "see the kubelet's log (journalctl -xeu kubelet), then run the same command again"),
                        () -> {
                            Optional<StartProblem> cause = watch.cause();
                            if (cause.isPresent()) {
                                throw new ClusterException(cause.get().problem());
                            }
                            return container.ended()
                                    ? Attempt.done(true)
                                    : Attempt.notYet("it is running");
                        });
    }

    @Override
    public Supplier<Optional<StartProblem>> start(NameAndUrl member, String token) {
        StaticPodWatch watch = host.watch(EtcdPod.NAME);
        watch.starts();
        files.write(
                paths.manifest(EtcdPod.NAME),
                EtcdRestorePod.alone(etcdManifest(), member),
                FileMode.OWNER_ONLY);
        return watch::cause;
    }

    @Override
    public void halt() {
        withdraw(EtcdPod.NAME, withdrawn());
        shutdown().awaitKubelet(host.criSocket(), List.of(EtcdPod.NAME));
    }

    @Override
    public void startOthers() {
        COMPONENTS.stream()
                .filter(component -> !component.equals(EtcdPod.NAME))
                .forEach(stash::putBack);
    }

    @Override
    public void awaitOthers() {
        Optional<URI> ready = StaticPodText.of(files, paths, ApiServerPod.NAME)
                .filter(pod -> pod.flag("advertise-address").isPresent())
                .map(pod -> ComponentEndpoint.apiServer(pod, "/readyz"));
        if (ready.isEmpty()) {
            return;
        }
        machine.waiter()
                .until(
                        new Await(
                                AREA,
                                "the API server of this node to be ready",
                                API_LIMIT,
                                INTERVAL,
                                "etcd has its data, so nothing has to be restored again; list the containers with 'crictl ps -a' and read the log of the one that fails"),
                        () -> {
                            String problem = machine.health().ask(ready.get());
                            return problem.isEmpty() ? Attempt.done(true) : Attempt.notYet(problem);
                        });
        out.step(AREA, "The API server of this node is ready");
    }

    @Override
    public void withdraw() {
        files.delete(paths.manifest(EtcdRestorePod.NAME));
        Path directory = withdrawn();
        COMPONENTS.forEach(component -> withdraw(component, directory));
        KubeletCriSocket.find(files, paths)
                .ifPresent(socket -> shutdown().awaitKubelet(socket, RUNNING));
    }

    private Path withdrawn() {
        return paths.tmpDir()
                .resolve("kjadm-withdrawn-%s"
                        .formatted(DataDirBackup.stamp(machine.waiter().now())));
    }

    /** What this restore wrote itself can be written again. */
    private void withdraw(String component, Path directory) {
        Optional<String> own = stash.takenOut(component)
                .filter(_ -> component.equals(EtcdPod.NAME))
                .map(former -> EtcdRestorePod.alone(former, RestorePlan.member(host.state())));
        if (own.isPresent() && own.equals(files.read(paths.manifest(component)))) {
            files.delete(paths.manifest(component));
            return;
        }
        stash.withdraw(component, directory)
                .ifPresent(
                        newer -> out.warn("%s was written since the restore began; it is kept as %s"
                                .formatted(paths.manifest(component), newer)));
    }

    @Override
    public void putBack() {
        COMPONENTS.forEach(stash::putBack);
    }

    @Override
    public String asBefore() {
        return "The data and the manifests are as they were before";
    }

    @Override
    public void discard() {
        stash.discard();
    }

    @Override
    public String othersJoin(LocalEtcdState node) {
        return "The other control-plane nodes must join again, one after the other: run 'kjadm reset --force' on the node, 'kubectl delete node NAME' here, then on the node what 'kjadm token create --print-join-command --certificate-key KEY' prints here, with the KEY of 'kjadm init phase upload-certs --upload-certs'";
    }
}
