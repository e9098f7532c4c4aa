package io.kjadm.core.reset;

import io.kjadm.core.check.Preflight;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.leave.FinalSnapshot;
import io.kjadm.core.etcd.leave.LeftJournals;
import io.kjadm.core.etcd.leave.OwnData;
import io.kjadm.core.etcd.leave.OwnMemberRemoval;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.preflight.machine.MachineChecks;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;

import java.util.Optional;

/**
 * {@code preflight}: does the operator mean it, and may the program do it? The reset of the only
 * voter ends its cluster, which has to be asked for in so many words.
 */
record ResetPreflightPhase(
        PreflightHost host, Confirmation confirmation, HostFiles files, EtcdClients clients)
        implements Phase<ResetRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                        "preflight",
                        "Run reset pre-flight checks",
                        Flag.IGNORE_PREFLIGHT_ERRORS,
                        Flag.FORCE,
                        Flag.FORCE_LAST_MEMBER,
                        Flag.DRY_RUN)
                .alias("pre-flight");
    }

    @Override
    public ResetRun run(ResetRun run, Reporter out) {
        confirmation.require(
                "reset",
                "Changes made to this host by 'kjadm init' or 'kjadm join' will be reverted. "
                        + "Are you sure you want to proceed?",
                "the reset",
                Flag.FORCE);
        out.step("preflight", "Running pre-flight checks");
        new Preflight(run.config().ignorePreflightErrors(), out)
                .run(MachineChecks.privileged(host));
        refuseLastVoter(run, out);
        return run;
    }

    /**
     * Looks once, before anything is changed. An etcd that does not answer says nothing here: what
     * then becomes of the member is decided when it is to be removed.
     *
     * @throws ClusterException if this node has the only voter and nobody has asked for the end of
     *         the cluster
     */
    private void refuseLastVoter(ResetRun run, Reporter out) {
        if (run.config().forceLastMember() || !run.etcd().mayBeMember()) {
            return;
        }
        Optional<Member> last;
        try (EtcdCluster cluster = clients.connect(run.etcd(), run.answering(), out)) {
            last = OwnMemberRemoval.onlyVoter(
                    cluster,
                    run.etcd(),
                    OwnData.look(files, run.etcd(), LeftJournals.restore(run.paths())));
        } catch (EtcdCallException | HostException e) {
            out.detail("preflight: etcd's members cannot be read: " + e.getMessage());
            return;
        }
        if (last.isPresent()) {
            throw new ClusterException(endsCluster(last.get()));
        }
    }

    /** Why the reset of the only voter is refused unless its flag is given. */
    static Problem endsCluster(Member last) {
        return new Problem(
                CommonReason.ONLY_VOTER,
                "%s is the only voter of its etcd cluster: resetting this node ends the cluster"
                        .formatted(last.describe()),
                "every object of the cluster is stored only in this etcd, and its keys are on this "
                        + "node; --force only skips the confirmation",
                "to keep the cluster, join another control-plane node first; to end it, "
                        + "reset with --force-last-member, which leaves a snapshot in "
                        + FinalSnapshot.DIRECTORY
                        + " (to restore that, keep a copy of /etc/kubernetes/pki too)");
    }
}
