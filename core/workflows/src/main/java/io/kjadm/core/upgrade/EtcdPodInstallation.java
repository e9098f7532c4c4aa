package io.kjadm.core.upgrade;

import io.kjadm.core.check.Preflight;
import io.kjadm.core.cluster.ClusterWriter;
import io.kjadm.core.cluster.ConfigurationUpload;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.Images;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.version.EtcdInstallation;
import io.kjadm.core.etcd.version.EtcdMemberExchange;
import io.kjadm.core.etcd.version.EtcdOrder;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.etcd.version.NodeReturn;
import io.kjadm.core.journal.Failpoints.Fuse;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.preflight.ImagePulls;
import io.kjadm.core.preflight.InitChecks;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.core.value.ImagePullPolicy;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.upgrade.EtcdFlags;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.NameAndUrl;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The member of a stacked etcd on a control-plane node. The cluster's configuration gets the
 * version when the last member has it: until then a node that joins gets the former one, which
 * every cluster version between takes.
 */
public final class EtcdPodInstallation extends EtcdPodServer implements EtcdInstallation {

    private static final String AREA = "etcd";
    /** What a journal calls a version of etcd, and not of Kubernetes. */
    static final String JOURNAL = "etcd ";

    private final EtcdPlace place;
    private final PreflightHost host;
    private final Fuse fuse;

    /**
     * @param host gets the image
     * @param fuse a fault on purpose, or none
     */
    public EtcdPodInstallation(
            Machine machine,
            ClusterClients clients,
            EtcdPlace place,
            PreflightHost host,
            Fuse fuse,
            Reporter out) {
        super(
                machine,
                clients,
                place.node(),
                place.kubeconfig(),
                place.timeouts().upgradeManifests(),
                out);
        this.place = place;
        this.host = host;
        this.fuse = fuse;
    }

    private EtcdManifest manifest() {
        Path file = place.node().paths().manifest(EtcdPod.NAME);
        return EtcdManifest.of(machine.files()
                .read(file)
                .orElseThrow(() -> new HostException(
                        "no etcd member is known on this node",
                        "there is no " + file,
                        "run this on a control-plane node")));
    }

    @Override
    public MembershipLock lock() {
        return clients.locks()
                .of(() -> clients.kube().of(place.kubeconfig()), place.node().name(), out);
    }

    @Override
    public Path snapshotDir() {
        return place.node().paths().tmpDir();
    }

    @Override
    public EtcdVersion version() {
        return manifest().version();
    }

    @Override
    public String release(EtcdOrder order) {
        return manifest().imageWith(order.tag());
    }

    @Override
    public boolean has(EtcdOrder order, Optional<EtcdVersion> running) {
        return manifest().image().equals(release(order));
    }

    @Override
    public EtcdFlags flags(EtcdVersion target) {
        return manifest().flags(target);
    }

    @Override
    public String text(EtcdOrder order, List<NameAndUrl> members) {
        return manifest().with(release(order), order.target(), members);
    }

    @Override
    public void fetch(EtcdOrder order) {
        new Preflight(List.of(), out)
                .run(InitChecks.imagePull(
                        host,
                        new ImagePulls(
                                List.of(release(order)),
                                Images.of(place.stored().cluster()).pause(),
                                place.node().criSocket(),
                                ImagePullPolicy.IF_NOT_PRESENT,
                                true)));
    }

    @Override
    public NodeChanges begin(EtcdVersion target) {
        NodeChanges changes = NodeChanges.begin(
                machine.files(),
                changes(),
                JOURNAL + version(),
                JOURNAL + target,
                machine.waiter().now());
        changes.overtaken().ifPresent(change -> out.warn(change.problem().toString()));
        return changes;
    }

    private NodeChanges.Place changes() {
        return NodeChanges.Place.of(place.node().paths(), Operation.ETCD_VERSION, fuse);
    }

    /** An upgrade changes the manifest of etcd, too, and each puts back what it has kept. */
    @Override
    public void requireNoOtherChange() {
        NodeChanges.unfinished(machine.files(), changes());
    }

    @Override
    public void awaitUsers() {
        Supplier<KubeApi> local = () -> clients.kube()
                .of(
                        place.node().paths().adminConf(),
                        place.node().endpoint().orElseThrow().hostAndPort().httpsUri());
        new NodeReturn(
                        place.node().name(),
                        new ComponentJudges(machine.files(), place.node(), machine.health(), local)
                                .ofAll(),
                        pods()::startAtOnce,
                        local,
                        machine.waiter(),
                        out)
                .await();
    }

    /** Nodes that join, and upgrades of Kubernetes, take it from there. */
    @Override
    public void store(EtcdOrder order) {
        KubeApi api = clients.kube().of(place.kubeconfig());
        StoredConfiguration now = StoredConfiguration.read(
                api,
                new KubeCalls(machine.observer(), place.timeouts().kubernetesApiCall()),
                Optional.empty(),
                out::warn);
        ClusterConfiguration cluster = now.cluster();
        if (!(cluster.etcd() instanceof LocalEtcd etcd)
                || Images.of(cluster).etcdTag().equals(order.tag())) {
            return;
        }
        EtcdVersion former = EtcdMemberExchange.version(Images.of(cluster).etcd());
        LocalEtcd wanted = etcd.withImageTag(Optional.of(order.tag()))
                .withExtraArgs(arguments(etcd.extraArgs(), former, order.target()));
        out.step(
                AREA,
                "Storing etcd.local.imageTag %s in ConfigMap \"kubeadm-config\" in the \"kube-system\" Namespace"
                        .formatted(order.tag()));
        ConfigurationUpload.kubeadm(
                cluster.withEtcd(wanted),
                order.tag(),
                new ClusterWriter(
                        api, machine.waiter(), place.timeouts().kubernetesApiCall(), AREA));
    }

    private static List<Argument> arguments(
            List<Argument> extra, EtcdVersion former, EtcdVersion target) {
        return EtcdFlags.of(extra.stream().map(Argument::text).toList(), former, target)
                .arguments()
                .stream()
                .map(text -> {
                    int equals = text.indexOf('=');
                    return new Argument(text.substring(2, equals), text.substring(equals + 1));
                })
                .toList();
    }
}
