package io.kjadm.core.upgrade;

import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.host.EtcdHost;
import io.kjadm.core.etcd.host.StaticPodEtcd;
import io.kjadm.core.etcd.version.ComponentJudge;
import io.kjadm.core.etcd.version.EtcdMemberExchange;
import io.kjadm.core.etcd.version.EtcdServer;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.manifests.EtcdPod;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A member of a stacked etcd: a static pod, exchanged by its manifest. */
class EtcdPodServer implements EtcdServer {

    final Machine machine;
    final ClusterClients clients;
    private final InstalledNode node;
    private final EtcdHost host;
    private final Path kubeconfig;
    private final StaticPodExchange exchange;
    final Reporter out;

    /**
     * @param node       whose member it is
     * @param kubeconfig to find the other members with
     * @param limit      until it works, once its container has come up
     */
    EtcdPodServer(
            Machine machine,
            ClusterClients clients,
            InstalledNode node,
            Path kubeconfig,
            Duration limit,
            Reporter out) {
        this.machine = machine;
        this.clients = clients;
        this.node = node;
        this.host = new StaticPodEtcd(machine, node.paths());
        this.kubeconfig = kubeconfig;
        this.exchange = new StaticPodExchange(machine, node, limit, out);
        this.out = out;
    }

    @Override
    public String name() {
        return node.name();
    }

    @Override
    public EtcdHost host() {
        return host;
    }

    /** To what {@link #connect} asks. */
    public EtcdAccess access() {
        return clients.etcd().access(host.state(), Optional.of(kubeconfig), out);
    }

    @Override
    public EtcdCluster connect() {
        return clients.etcd().connect(access());
    }

    /** The manifest that an earlier run has written. */
    @Override
    public Optional<String> exchanged(EtcdVersion target, NodeChanges changes) {
        return changes.changedSteps().contains(STEP)
                ? machine.files()
                        .read(node.paths().manifest(EtcdPod.NAME))
                        .filter(text -> version(text).filter(target::equals).isPresent())
                : Optional.empty();
    }

    @Override
    public Optional<EtcdVersion> former(NodeChanges changes) {
        return changes.former(node.paths().manifest(EtcdPod.NAME)).flatMap(EtcdPodServer::version);
    }

    private static Optional<EtcdVersion> version(String manifest) {
        return StaticPodText.parse(manifest)
                .flatMap(StaticPodText::image)
                .map(EtcdMemberExchange::version);
    }

    @Override
    public void exchange(NodeChanges changes, String text, ComponentJudge judge) {
        exchange.exchange(changes, EtcdPod.NAME, text, judge);
    }

    @Override
    public void restore(NodeChanges changes, ComponentJudge judge) {
        exchange.restore(changes, EtcdPod.NAME, judge);
    }

    @Override
    public void goForward(NodeChanges changes) {
        changes.redo(STEP);
    }

    /** What exchanges its pod. */
    StaticPodExchange pods() {
        return exchange;
    }
}
