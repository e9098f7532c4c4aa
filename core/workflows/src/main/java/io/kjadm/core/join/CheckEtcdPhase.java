package io.kjadm.core.join;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.check.Preflight;
import io.kjadm.core.config.Images;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.config.NodeRegistration;
import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.check.EtcdFindings;
import io.kjadm.core.etcd.check.JoinCheckup;
import io.kjadm.core.etcd.check.JoinCheckup.JoiningNode;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.value.ImagePullPolicy;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.check.Candidate;
import io.kjadm.etcd.check.EtcdFinding;
import io.kjadm.etcd.check.JoinChecklist;
import io.kjadm.etcd.check.PeerContact;
import io.kjadm.etcd.join.NewMember;

import java.util.List;
import java.util.Optional;

/**
 * {@code check-etcd}: whether the cluster's etcd and this node are fit for one more member.
 * Everything is asked at once and told at once, and nothing is changed.
 */
record CheckEtcdPhase(EtcdClients clients, JoinCheckup checkup, RuntimeConnector runtimes)
        implements Phase<JoinRun> {

    private static final String AREA = "check-etcd";

    static final PhaseInfo INFO = PhaseInfo.of(
                    AREA, "Check that the etcd cluster is healthy", JoinPhaseFlags.NONE)
            .asHidden();

    @Override
    public PhaseInfo info() {
        return INFO;
    }

    @Override
    public JoinRun run(JoinRun run, Reporter out) {
        ControlPlaneNode node = run.node();
        if (!(node.cluster().etcd() instanceof LocalEtcd etcd)) {
            out.step(AREA, "Skipping etcd check in external mode");
            return run;
        }
        out.step(AREA, "Checking that the etcd cluster and this node are ready for another member");
        EtcdAccess access =
                clients.toOthers(node.name(), node.paths(), node.timeouts().kubernetesApiCall());
        String image = Images.of(node.cluster()).etcd();
        Candidate candidate = new Candidate(
                new NewMember(node.name(), EtcdUrls.peer(node.endpoint().address())),
                version(image),
                EtcdJoinPhase.addsLearners(node.cluster()),
                run.options().rejoin());
        Preflight preflight = new Preflight(run.options().ignorePreflightErrors(), out);
        preflight.run(EtcdFindings.checks(
                found(
                        access,
                        candidate,
                        new JoiningNode(
                                node.paths().certificatesDir(),
                                node.endpoint().address(),
                                etcd.dataDir())),
                AREA,
                out));
        // fetching it may take minutes: a refusal does not wait for that
        preflight.run(List.of(EtcdImageCheck.of(image, node.registration(), runtimes)));
        return run;
    }

    private List<EtcdFinding> found(EtcdAccess access, Candidate candidate, JoiningNode node) {
        try {
            return JoinChecklist.findings(checkup.gather(access, candidate, node));
        } catch (EtcdCallException e) {
            throw unanswered(e, access, node);
        }
    }

    private ClusterException unanswered(EtcdCallException e, EtcdAccess access, JoiningNode node) {
        Optional<PeerContact.Untrusted> untrusted = e.errorClass() == ErrorClass.FATAL
                ? checkup.distrust(access, node)
                : Optional.empty();
        return untrusted
                .map(distrust -> new ClusterException(
                        "this node does not trust the cluster's etcd",
                        "it presents %s, this node trusts %s (%s)"
                                .formatted(distrust.theirs(), distrust.ours(), distrust.why()),
                        "put the cluster's etcd CA on this node, and generate its certificates from it; if that CA was"
                                + " replaced since this join began, upload it again ('kjadm init phase upload-certs"
                                + " --upload-certs') and run the join with the new --certificate-key",
                        e))
                .orElseGet(() -> new ClusterException(
                        "no member of the cluster's etcd answers",
                        e.getMessage(),
                        "check that etcd runs on the other control-plane nodes, that this node reaches their port 2379,"
                                + " and that its etcd certificates are signed by the cluster's CA",
                        e));
    }

    /** What the tag of an image says, behind the last colon that is no port's. */
    private static Optional<EtcdVersion> version(String image) {
        try {
            String name = image.substring(image.lastIndexOf('/') + 1);
            return Optional.of(EtcdVersion.parse(name.substring(name.indexOf(':') + 1)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * etcd's image is on this machine at the moment it is needed. Preflight fetches images, but that
     * may have been skipped, or long ago, and a member that was added and cannot start blocks
     * everybody.
     */
    private static final class EtcdImageCheck {

        private EtcdImageCheck() {}

        static Check of(String image, NodeRegistration node, RuntimeConnector runtimes) {
            return Check.of("EtcdImage", () -> findings(image, node, runtimes));
        }

        private static List<Finding> findings(
                String image, NodeRegistration node, RuntimeConnector runtimes) {
            ContainerRuntime runtime;
            try {
                runtime = runtimes.connect(node.criSocket());
                if (runtime.hasImage(image)) {
                    return List.of();
                }
            } catch (HostException e) {
                return List.of(Finding.warning(
                        "whether image %s is on this machine could not be checked: %s"
                                .formatted(image, e.getMessage())));
            }
            if (node.imagePullPolicy() == ImagePullPolicy.NEVER) {
                return List.of(Finding.error(
                        "image %s is not on this machine and imagePullPolicy is Never: load it"
                                .formatted(image)));
            }
            try {
                runtime.pull(image);
                return List.of();
            } catch (HostException e) {
                return List.of(
                        Finding.error("image %s is not on this machine and cannot be fetched: %s"
                                .formatted(image, e.why())));
            }
        }
    }
}
