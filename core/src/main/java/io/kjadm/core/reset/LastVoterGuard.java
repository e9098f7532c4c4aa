package io.kjadm.core.reset;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.check.DataDirReader;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;

import java.util.Optional;

/**
 * The reset of the only voter ends its cluster, which has to be asked for in so many words.
 */
final class LastVoterGuard {

    static final String WHY =
            "every object of the cluster is in this etcd and nowhere else, and its keys are on this "
                    + "node; --force only skips the confirmation";
    static final String NEXT =
            "to keep the cluster, join another control-plane node first; to end it, "
                    + "reset with --force-last-member, which leaves a snapshot in "
                    + FinalSnapshot.DIRECTORY
                    + " (to restore that, keep a copy of /etc/kubernetes/pki too)";

    private final HostFiles files;
    private final EtcdClients clients;

    LastVoterGuard(HostFiles files, EtcdClients clients) {
        this.files = files;
        this.clients = clients;
    }

    /**
     * Looks once, before anything is changed. An etcd that does not answer says nothing here: what
     * then becomes of the member is decided when it is to be removed.
     *
     * @throws ClusterException if this node has the only voter and nobody has asked for the end of
     *         the cluster
     */
    void check(ResetRun run, Reporter out) {
        if (run.config().forceLastMember() || !run.etcd().mayBeMember()) {
            return;
        }
        Optional<Member> last;
        try (EtcdCluster cluster = clients.connect(run.etcd(), run.answering(), out)) {
            last = OwnMemberRemoval.onlyVoter(
                    cluster,
                    run.etcd(),
                    new DataDirReader(files).read(run.etcd().dataDir()));
        } catch (EtcdCallException | HostException e) {
            out.detail("preflight: etcd's members cannot be read: " + e.getMessage());
            return;
        }
        if (last.isPresent()) {
            throw new ClusterException(what(last.get()), WHY, NEXT);
        }
    }

    /** How it is told. */
    static String what(Member last) {
        return "%s is the only voter of its etcd cluster: to reset this node ends the cluster"
                .formatted(last.describe());
    }
}
