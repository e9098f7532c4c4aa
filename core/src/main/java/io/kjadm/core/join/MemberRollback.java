package io.kjadm.core.join;

import io.kjadm.core.etcd.KeptData;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.node.StaticPodShutdown;
import io.kjadm.core.phase.Waiter;
import io.kjadm.manifests.EtcdPod;
import java.nio.file.Path;
import java.util.List;

/**
 * Takes back what a failed join left on this node for its etcd member. A removed member can never come
 * back, so the next join must find the data directory empty.
 */
final class MemberRollback {

    private final HostFiles files;
    private final Path manifest;
    private final KeptData data;
    private final StaticPodShutdown shutdown;
    private final String criSocket;
    private final Waiter waiter;

    MemberRollback(HostFiles files, KubernetesPaths paths, Path dataDir, StaticPodShutdown shutdown,
            String criSocket, Waiter waiter) {
        this.files = files;
        this.manifest = paths.manifest(EtcdPod.NAME);
        this.data = new KeptData(files, dataDir);
        this.shutdown = shutdown;
        this.criSocket = criSocket;
        this.waiter = waiter;
    }

    /**
     * Removes the manifest, waits until the member has stopped, and sets its data aside: a member that
     * still runs would begin a new data directory.
     *
     * @return where the data is now
     */
    String run() {
        files.delete(manifest);
        shutdown.awaitKubelet(criSocket, List.of(EtcdPod.NAME));
        return data.setAside("failed", waiter.now());
    }
}
