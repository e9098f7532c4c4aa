package io.kjadm.core.join;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.manifests.NameAndUrl;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/** The phases of a join that would ask etcd, for a dry run that asks no server. */
final class AssumedEtcdPhases {

    /** The name of the member that the assumed cluster has. */
    private static final String OTHER = "control-plane";

    private AssumedEtcdPhases() {}

    /** Says what would be checked. */
    static final class Check implements Phase<JoinRun> {
        @Override
        public PhaseInfo info() {
            return CheckEtcdPhase.INFO;
        }

        @Override
        public JoinRun run(JoinRun run, Reporter out) {
            out.step(
                    "dryrun",
                    "Would check that the etcd cluster and this node are ready for another member");
            return run;
        }
    }

    /** Says what would be added, and shows the manifest. */
    record Join(ManifestStore manifests) implements Phase<JoinRun> {
        @Override
        public PhaseInfo info() {
            return EtcdJoinPhase.INFO;
        }

        @Override
        public JoinRun run(JoinRun run, Reporter out) {
            ControlPlaneNode node = run.node();
            LocalEtcd etcd = (LocalEtcd) node.cluster().etcd();
            URI own = EtcdUrls.peer(node.endpoint().address());
            out.step(
                    "dryrun",
                    "Would add etcd member %s as a %s"
                            .formatted(
                                    own,
                                    EtcdJoinPhase.addsLearners(node.cluster())
                                            ? "learner, and promote it once it has caught up"
                                            : "voter"));
            manifests.writeEtcd(node, etcd, Optional.of(initialCluster(run, own)));
            manifests.release(node);
            return run;
        }

        private static List<NameAndUrl> initialCluster(JoinRun run, URI own) {
            URI server = run.cluster().access().server();
            return List.of(
                    new NameAndUrl(
                            OTHER,
                            URI.create("https://%s:%d".formatted(host(server), EtcdPorts.PEER))),
                    new NameAndUrl(run.node().name(), own));
        }

        private static String host(URI server) {
            return server.getHost() == null ? OTHER : server.getHost();
        }
    }
}
