package io.kjadm.core.join;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.EtcdPods;
import io.kjadm.core.etcd.check.MemberData;
import io.kjadm.core.etcd.check.PeerCalls;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.Machine;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.LocalDataDir;
import io.kjadm.etcd.join.LocalMember;
import io.kjadm.etcd.join.LocalMemberHealth;
import io.kjadm.etcd.join.StartProblem;
import io.kjadm.manifests.EtcdPod;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * This node's side of its etcd member: the manifest, the container the kubelet makes of it, and its
 * data.
 */
final class NodeMember implements LocalMember {

    private final ControlPlaneNode node;
    private final LocalEtcd etcd;
    private final Machine machine;
    private final ManifestStore manifests;
    private final MemberContainer container;
    private final PeerCalls peers;
    private final MemberData data;

    NodeMember(
            ControlPlaneNode node,
            LocalEtcd etcd,
            Machine machine,
            ManifestStore manifests,
            MemberContainer container,
            PeerCalls peers) {
        this.node = node;
        this.etcd = etcd;
        this.machine = machine;
        this.manifests = manifests;
        this.container = container;
        this.peers = peers;
        this.data = new MemberData(machine.files(), etcd.dataDir());
    }

    private Path manifest() {
        return node.paths().manifest(EtcdPod.NAME);
    }

    @Override
    public LocalDataDir localDataDir() {
        return data.look();
    }

    @Override
    public LocalMemberHealth memberHealth() {
        if (!machine.files().exists(manifest())) {
            return LocalMemberHealth.NONE;
        }
        boolean alive = container.showsLife();
        return new LocalMemberHealth(
                alive,
                machine.files().treeBytes(etcd.dataDir()),
                machine.files()
                        .treeBytes(etcd.dataDir()
                                .resolve(KubernetesPaths.ETCD_MEMBER)
                                .resolve("snap")),
                alive ? Optional.empty() : container.cause());
    }

    @Override
    public Optional<StartProblem> startProblem() {
        return container.startProblem();
    }

    @Override
    public Map<MemberId, String> unreached(List<Member> voters) {
        return peers.unreached(voters, node.paths(), node.endpoint().address());
    }

    @Override
    public boolean listens(Member member) {
        return peers.listens(member, node.paths(), node.endpoint().address());
    }

    @Override
    public String notReadyReason() {
        return container.notReadyReason();
    }

    @Override
    public void writeManifest(List<Member> members, Member own) {
        container.starts();
        manifests.writeEtcd(
                node, etcd, Optional.of(EtcdPods.initialCluster(members, own, node.name())));
    }

    @Override
    public String stopAndSetAside() {
        data.forget();
        machine.files().delete(manifest());
        container.forget(node.registration().criSocket());
        return new DataDirBackup(machine.files(), etcd.dataDir())
                .setAside("failed", machine.waiter().now())
                .toString();
    }

    @Override
    public void help(boolean announced) {
        container.help(announced);
    }
}
