package io.kjadm.core.upgrade;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.kjadm.core.config.UpgradeConfiguration.Scope;
import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.etcd.version.EtcdDowngrade;
import io.kjadm.core.etcd.version.EtcdInstallation;
import io.kjadm.core.etcd.version.EtcdOrder;
import io.kjadm.core.etcd.version.EtcdVersionChange;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.lock.VirtualBackground;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.node.ComponentHealth;
import io.kjadm.core.node.NodeStores;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.preflight.machine.GoodHost;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.core.staticpod.ManifestImages;
import io.kjadm.core.staticpod.PodContainers;
import io.kjadm.core.staticpod.StaticPods;
import io.kjadm.core.upgrade.check.UpgradeLab;
import io.kjadm.core.value.Timeouts;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.SchedulerPod;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A control-plane node of v1.36.2 in memory, one of three unless said otherwise, with a kubelet
 * that makes pods of manifests: whatever an upgrade does to it is the production code.
 */
public final class UpgradingNode {

    static final String FROM = "v1.36.2";
    static final String TO = "v1.37.0";
    public static final String JOURNAL = "/etc/kubernetes/tmp/kjadm-upgrade/journal.json";

    private static final String KUBELET_CONF = "/etc/kubernetes/kubelet.conf";
    private static final int KUBELET_HEALTH_PORT = 10248;
    private static final String ADDRESS = "192.0.2.10";
    private static final String BALANCER = "cluster.example";
    private static final Path ADMIN_CONF = Path.of("/etc/kubernetes/admin.conf");
    private static final List<String> COMPONENTS =
            List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler");

    private static final List<String> CLIENTS =
            List.of("kube-controller-manager", "kube-scheduler");

    public final UpgradeLab lab = new UpgradeLab();
    public final SimulatedCluster etcd;
    public final MemberId member;

    /** Images of which every container ends at once. */
    public final Set<String> broken = new HashSet<>();

    /** Whether the balancer of the API servers leads nowhere. */
    boolean outage;
    /** How long the kubelet takes. */
    Duration startsAfter = Duration.ZERO;

    /** Whether what asks the API server ends without it, and the kubelet makes it wait then. */
    boolean clientsEnd;
    /** Servers in {@code kubelet.conf} with which the kubelet is not healthy. */
    final Set<String> unfitServers = new HashSet<>();

    /** The version that is wanted. */
    String target = TO;

    /** Whether certificates are renewed. */
    boolean renews;
    /** Whether {@code --adopt-changes} is given. */
    boolean adopts;
    /** {@code --etcd-patch-wait}. */
    Duration patchWait = Duration.ZERO;
    /** {@code --patches}. */
    Optional<Path> patches = Optional.empty();
    /** What happens to others while etcd's snapshot is taken. */
    Runnable duringSnapshot = () -> {};
    /** What happens when this node's member hands leadership over. */
    Runnable duringHandOver = () -> {};
    /** How long after that another member applies the first entry of the new term. */
    Duration followerLags = Duration.ZERO;

    /** What runs. */
    Selection selection = Selection.allBut(List.of("preflight"));

    private final Map<String, Instant> ended = new TreeMap<>();
    private final VirtualWaiter waiter = lab.waiter;
    private final PodContainers containers = new PodContainers(lab.init.runtime, waiter::now);

    public UpgradingNode() {
        this(2, "3.6.8");
    }

    /**
     * @param others how many other members etcd has
     * @param version of all members
     */
    public UpgradingNode(int others, String version) {
        etcd = SimulatedCluster.ofVoters(Math.max(1, others), version);
        member = etcd.plant(URI.create("https://%s:2380".formatted(ADDRESS)), false);
        etcd.start(member, ADDRESS);
        if (others == 0) {
            etcd.removeByOther(etcd.id("cp-1"));
        }
        lab.init.files.with(
                UpgradeLab.MANIFESTS + "etcd.yaml",
                manifest("etcd").replace("etcd:3.6.11-0", "etcd:%s-0".formatted(version)));
        etcd.local(ADDRESS);
        if (!etcd.leader().equals(member)) {
            etcd.moveLeader(etcd.leader(), member);
        }
        lab.etcd = etcd;
        lab.api.withPage("/readyz", "ok");
        configured("  local:\n", "  local:\n    imageTag: 3.6.14-0\n");
        lab.init.runner.answering("systemctl is-active kubelet", "active\n");
        waiter.eachTime(this::kubelet);
        kubelet();
        kubelet();
    }

    /** One look of the kubelet, which needs another one to start what it has stopped. */
    void kubelet() {
        COMPONENTS.forEach(this::sync);
        boolean etcdRuns = containers.running("etcd").isPresent();
        if (etcdRuns) {
            etcd.version(member, tag("etcd").substring(0, tag("etcd").lastIndexOf('-')));
            etcd.start(member, ADDRESS);
        } else {
            etcd.stop(member);
        }
        if (clientsEnd && (!etcdRuns || containers.running("kube-apiserver").isEmpty())) {
            CLIENTS.forEach(client -> containers.running(client).ifPresent(found -> end(found, 1)));
        }
        if (etcdRuns && containers.running("kube-apiserver").isPresent()) {
            lab.unreachable.remove(ADDRESS);
            lab.api.withPage(
                    "/version", "{\"gitVersion\": \"%s\"}".formatted(tag("kube-apiserver")));
        } else {
            lab.unreachable.add(ADDRESS);
        }
        if (etcd.writable() && !outage) {
            lab.unreachable.remove(BALANCER);
            CLIENTS.stream()
                    .filter(client -> containers.running(client).isPresent())
                    .forEach(lab::renew);
        } else {
            lab.unreachable.add(BALANCER);
        }
    }

    private void sync(String component) {
        lab.init.runtime.images.add(image(component));
        String wanted = uid(component);
        Optional<Container> now = containers.running(component);
        if (now.isPresent()) {
            if (!StaticPods.podUid(now.get()).equals(wanted)) {
                end(now.get(), 0);
            }
            return;
        }
        if (Duration.between(ended.getOrDefault(component, Instant.EPOCH), waiter.now())
                        .compareTo(startsAfter)
                < 0) {
            return;
        }
        if (clientsEnd && CLIENTS.contains(component) && containers.hasRun(wanted)) {
            return;
        }
        Container container = containers.start(component, wanted);
        if (broken.contains(image(component))) {
            end(container, 1);
        }
    }

    private void end(Container container, int status) {
        ended.put(container.name(), waiter.now());
        containers.end(container, status);
    }

    public String manifest(String component) {
        return lab.init.files.text(UpgradeLab.MANIFESTS + component + ".yaml");
    }

    /** Changes a manifest by hand. */
    void edit(String component, String old, String replacement) {
        String text = manifest(component);
        if (!text.contains(old)) {
            throw new IllegalArgumentException("%s has no %s:%n%s".formatted(component, old, text));
        }
        lab.init.files.with(
                UpgradeLab.MANIFESTS + component + ".yaml", text.replace(old, replacement));
        kubelet();
        kubelet();
    }

    private String uid(String component) {
        return Integer.toHexString(manifest(component).hashCode());
    }

    private String image(String component) {
        return ManifestImages.of(manifest(component)).orElseThrow();
    }

    /** Of a component's image. */
    public String tag(String component) {
        return image(component).substring(image(component).lastIndexOf(':') + 1);
    }

    /** Of the images that really run. */
    public Map<String, String> runningTags() {
        return COMPONENTS.stream()
                .filter(component -> containers
                        .running(component)
                        .filter(found -> StaticPods.podUid(found).equals(uid(component)))
                        .isPresent())
                .collect(Collectors.toMap(component -> component, this::tag));
    }

    /** Of the manifests. */
    Map<String, String> manifests() {
        return COMPONENTS.stream()
                .collect(Collectors.toMap(component -> component, this::manifest));
    }

    /** {@code upgrade apply}, without preflight. */
    UpgradeRun apply() {
        return apply(lab.init.files, new ChangingLeader(this));
    }

    /**
     * Applies it on a machine whose power goes at a step, and comes back later.
     *
     * @return whether it went
     */
    boolean cut(PowerCut.Socket socket) {
        boolean went = socket.cuts(() -> apply(
                socket.plug(HostFiles.class, lab.init.files),
                socket.plug(EtcdCluster.class, etcd)));
        comeBack();
        return went;
    }

    /** Whatever ran is gone, and the machine starts anew. */
    private void comeBack() {
        List.copyOf(lab.init.runtime.containers.values()).stream()
                .filter(Container::running)
                .forEach(container -> end(container, 137));
        waiter.pause("", "", Duration.ofMinutes(2));
        waiter.pause("", "", Duration.ofSeconds(1));
    }

    /** {@link #apply()} by a run that is killed right before its end. */
    void applyAndDie() {
        HostFiles files = lab.init.files;
        workflow(machine(files), etcd).apply().run(start(files), selection, lab.out);
    }

    private UpgradeRun apply(HostFiles files, EtcdCluster cluster) {
        UpgradeRun done =
                workflow(machine(files), cluster).apply().run(start(files), selection, lab.out);
        done.changes().end(waiter.now());
        return done;
    }

    /** The cluster's configuration has that tag of etcd's image instead of the one to come. */
    public UpgradingNode storing(String tag) {
        return configured("imageTag: 3.6.14-0\n", "imageTag: %s\n".formatted(tag));
    }

    /** The cluster's configuration has another text instead of one of its lines. */
    UpgradingNode configured(String line, String other) {
        lab.api.patch(ConfigMap.class, "kube-system", "kubeadm-config", map -> {
            map.getData()
                    .computeIfPresent(
                            "ClusterConfiguration", (key, text) -> text.replace(line, other));
            return map;
        });
        return this;
    }

    /** Nobody has chosen a tag of etcd's image. */
    UpgradingNode storingNoTag() {
        return configured("    imageTag: 3.6.14-0\n", "");
    }

    /** {@code etcd upgrade} or {@code etcd downgrade apply}. */
    public void change(EtcdOrder order) {
        change(lab.init.files, etcd, order);
    }

    private void change(HostFiles files, EtcdCluster cluster, EtcdOrder order) {
        versionChange(files, cluster).apply(order);
    }

    /** {@code --plan}. */
    public void plan(EtcdOrder order) {
        versionChange(lab.init.files, etcd).plan(order);
    }

    /** What is said to the cluster before and instead. */
    public EtcdDowngrade downgrade() {
        HostFiles files = lab.init.files;
        EtcdCluster all = new ChangingLeader(this);
        return new EtcdDowngrade(machine(files), checkup(all), installation(files, all), lab.out);
    }

    /** {@link #cut} of a change of etcd's version. */
    public boolean cutChange(PowerCut.Socket socket, EtcdOrder order) {
        boolean went = socket.cuts(() -> change(
                socket.plug(HostFiles.class, lab.init.files),
                socket.plug(EtcdCluster.class, etcd),
                order));
        comeBack();
        return went;
    }

    private EtcdVersionChange versionChange(HostFiles files, EtcdCluster cluster) {
        return new EtcdVersionChange(
                machine(files), checkup(cluster), installation(files, cluster), lab.out);
    }

    private EtcdInstallation installation(HostFiles files, EtcdCluster cluster) {
        return new EtcdPodInstallation(
                machine(files),
                clients(files, cluster),
                place(files),
                host(machine(files)),
                Failpoints.none().fuse(waiter),
                lab.out);
    }

    private EtcdCheckup checkup(EtcdCluster cluster) {
        return new EtcdCheckup(lab.probesOf(() -> cluster), waiter);
    }

    private EtcdPlace place(HostFiles files) {
        StoredConfiguration stored = lab.storedConfiguration();
        return new EtcdPlace(
                stored, InstalledNode.look(files, stored.cluster()), ADMIN_CONF, Timeouts.DEFAULTS);
    }

    /** What was told so far. */
    public String told() {
        return lab.out.text();
    }

    private Machine machine(HostFiles files) {
        return new Machine(files, lab.init.runner, lab.init.runtime, this::health, waiter, waiter);
    }

    /** What is kept of changes made by hand, alone, by a program that has these files. */
    UpgradeRun adopt(HostFiles files) {
        UpgradeRun run = start(files);
        NodeChanges changes = run.changes().begin();
        Machine machine = machine(files);
        var clients = clients(files, etcd);
        return new Adoption(files, stores(machine).manifests(), lab.out)
                .adopt(
                        run,
                        new EtcdUpgrade(machine, stores(machine).manifests(), clients, lab.out)
                                .membersToBeListed(run, changes),
                        changes);
    }

    private UpgradeRun start(HostFiles files) {
        Scope scope = new Scope(renews, true, false, adopts, patchWait);
        return new UpgradeRunLoader(
                        files, lab.clients(files), waiter, waiter, Failpoints.none(), lab.out)
                .apply(ChosenUpgrade.to(target, scope, patches), ADMIN_CONF, wanted -> wanted);
    }

    /** Where the kubelet asks for its pods. */
    String kubeletServer() {
        return Kubeconfig.parse(lab.init.files.text(KUBELET_CONF)).cluster().server();
    }

    void kubeletServer(String url) {
        String text = lab.init.files.text(KUBELET_CONF);
        lab.init.files.with(KUBELET_CONF, Kubeconfig.parse(text).withServer(url).render());
    }

    private String health(URI url) {
        if (url.getPort() == KUBELET_HEALTH_PORT) {
            return unfitServers.contains(kubeletServer()) ? "connection refused" : "";
        }
        String component = switch (url.getPort()) {
            case ControllerManagerPod.PORT -> "kube-controller-manager";
            case SchedulerPod.PORT -> "kube-scheduler";
            default -> "etcd";
        };
        return containers.running(component).isPresent() ? "" : "connection refused";
    }

    private UpgradeWorkflow workflow(Machine machine, EtcdCluster cluster) {
        HostFiles files = machine.files();
        return new UpgradeWorkflow(
                machine,
                stores(machine),
                new ComponentHealth(files, machine.health(), waiter, lab.out),
                clients(files, cluster),
                new UpgradeWorkflow.Before(
                        host(machine), checkup(cluster), run -> List.of(), Confirmation.GIVEN),
                KeyPairPool::onDemand);
    }

    private PreflightHost host(Machine machine) {
        return GoodHost.of(machine.files(), machine.runner(), machine.runtimes(), waiter);
    }

    private NodeStores stores(Machine machine) {
        return NodeStores.on(
                machine, KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256), "cp-1", Map.of(), lab.out);
    }

    private ClusterClients clients(HostFiles files, EtcdCluster cluster) {
        var clients = lab.clients(files);
        return new ClusterClients(
                clients,
                new EtcdClients(files, clients, access -> cluster, waiter),
                new LeaseLocks(
                        files, waiter, new VirtualBackground(waiter), new SplittableRandom(7)));
    }
}
