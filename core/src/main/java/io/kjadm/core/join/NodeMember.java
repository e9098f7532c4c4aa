package io.kjadm.core.join;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.EtcdContainerWatch;
import io.kjadm.core.etcd.EtcdPods;
import io.kjadm.core.etcd.check.DataDirReader;
import io.kjadm.core.etcd.check.PeerCalls;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.node.StaticPodShutdown;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.WalIdentity;
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
    private final Tools tools;
    private Optional<LocalDataDir> found = Optional.empty();

    /**
     * What it works with.
     *
     * @param watch   sees in the container runtime why it does not come up
     * @param process works around etcd's start race of a learner, too
     * @param learner whether the member is added as a learner, which may be started again without
     *         harm
     */
    record Tools(
            HostFiles files,
            ManifestStore manifests,
            EtcdContainerWatch watch,
            StaticPodShutdown shutdown,
            LocalEtcdProcess process,
            PeerCalls peers,
            NodeReadiness conditions,
            boolean learner,
            Waiter waiter) {}

    NodeMember(ControlPlaneNode node, LocalEtcd etcd, Tools tools) {
        this.node = node;
        this.etcd = etcd;
        this.tools = tools;
    }

    private Path manifest() {
        return node.paths().manifest(EtcdPod.NAME);
    }

    /**
     * Data that was there before anything was started here can be of anybody; a log is large, so it
     * is read once.
     */
    @Override
    public LocalDataDir localDataDir() {
        LocalDataDir now = hasData() ? LocalDataDir.SOME_DATA : LocalDataDir.NONE;
        if (found.isEmpty()) {
            found = Optional.of(now.dataPresent() ? read() : now);
        }
        return now.dataPresent() && found.get().dataPresent() ? found.get() : now;
    }

    /** An empty directory is no data: etcd starts in it as in none. */
    private boolean hasData() {
        Path member = etcd.dataDir().resolve("member");
        return tools.files().exists(member)
                && !(tools.files().isDirectory(member)
                        && tools.files().list(member).isEmpty());
    }

    private LocalDataDir read() {
        return switch (new DataDirReader(tools.files()).read(etcd.dataDir())) {
            case DataDirectory.Empty() -> LocalDataDir.NONE;
            case DataDirectory.Held(String path, WalIdentity identity) ->
                new LocalDataDir(
                        true, Optional.of(identity.memberId()), Optional.of(identity.clusterId()));
            case DataDirectory.Unreadable(String path, String why) -> LocalDataDir.SOME_DATA;
        };
    }

    @Override
    public LocalMemberHealth memberHealth() {
        if (!tools.files().exists(manifest())) {
            return LocalMemberHealth.NONE;
        }
        tools.process().observe();
        boolean alive = tools.process().showsLife();
        return new LocalMemberHealth(
                alive,
                tools.files().treeBytes(etcd.dataDir()),
                tools.files().treeBytes(etcd.dataDir().resolve("member/snap")),
                alive ? Optional.empty() : tools.watch().cause());
    }

    @Override
    public Optional<StartProblem> startProblem() {
        return tools.conditions().startProblem();
    }

    @Override
    public Map<MemberId, String> unreached(List<Member> voters) {
        return tools.peers().unreached(voters, node.paths(), node.endpoint().address());
    }

    @Override
    public boolean listens(Member member) {
        return tools.peers().listens(member, node.paths(), node.endpoint().address());
    }

    @Override
    public String notReadyReason() {
        return tools.process().notReadyReason();
    }

    @Override
    public void writeManifest(List<Member> members, Member own) {
        tools.watch().starts();
        tools.manifests()
                .writeEtcd(
                        node,
                        etcd,
                        Optional.of(EtcdPods.initialCluster(members, own, node.name())));
    }

    @Override
    public String stopAndSetAside() {
        found = Optional.empty();
        tools.files().delete(manifest());
        tools.shutdown().forget(node.registration().criSocket(), List.of(EtcdPod.NAME));
        return new DataDirBackup(tools.files(), etcd.dataDir())
                .setAside("failed", tools.waiter().now())
                .toString();
    }

    @Override
    public void help(boolean announced) {
        if (tools.learner()) {
            tools.watch().asked(tools.process().restartIfStalled(announced));
        }
    }
}
