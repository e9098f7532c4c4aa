package io.kjadm.core.upgrade;

import io.kjadm.core.certs.CertsNode;
import io.kjadm.core.certs.ComponentRestart;
import io.kjadm.core.certs.ManagedCertificate;
import io.kjadm.core.certs.NodeRenewal;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.ca.EtcdRestart;
import io.kjadm.core.etcd.ca.TlsCertificateProbe;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Uninterrupted;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * {@code certs}: gives this node's certificates a new term, whether or not a component was
 * exchanged. etcd and the API server read their files again by themselves; the others, whose
 * certificate is in a kubeconfig, are restarted.
 */
record RenewalPhase(
        Machine machine, ClusterClients cluster, Function<KeyAlgorithm, KeyPairPool> keys)
        implements Phase<UpgradeRun> {

    /** In the journal; it goes back alone, as what is renewed serves any version. */
    static final String STEP = "certs";

    private static final Set<String> READ_AGAIN = Set.of(EtcdPod.NAME, ApiServerPod.NAME);

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "certs",
                "Renew the certificates of this node",
                Flag.CONFIG,
                Flag.DRY_RUN,
                Flag.KUBECONFIG,
                Flag.CERTIFICATE_RENEWAL);
    }

    @Override
    public UpgradeRun run(UpgradeRun run, Reporter out) {
        if (!run.controlPlane()) {
            out.step(STEP, "Skipping phase: this node has no control plane");
            return run;
        }
        if (!run.settings().scope().certificateRenewal()) {
            out.step(STEP, "The certificates stay as they are (--certificate-renewal=false)");
            return run;
        }
        NodeChanges changes = run.changes().begin();
        if (changes.isDone(STEP)) {
            out.step(STEP, "The certificates were renewed by an earlier run");
            return run;
        }
        try {
            renew(run, changes, out);
            changes.done(STEP);
        } catch (KjadmException e) {
            if (!Thread.currentThread().isInterrupted()) {
                Uninterrupted.run(() -> {
                    out.step(STEP, "Restoring the previous certificates");
                    changes.restore(STEP);
                    changes.restored(STEP);
                });
            }
            throw e;
        }
        return run;
    }

    private void renew(UpgradeRun run, NodeChanges changes, Reporter out) {
        CertsNode node = new CertsNode(
                run.installed().paths(),
                run.stored().cluster().etcd() instanceof LocalEtcd,
                run.node().keyAlgorithm(),
                run.stored().cluster().certificateValidityPeriod(),
                run.startedAt());
        List<ManagedCertificate> wanted = ManagedCertificate.of(node.stackedEtcd());
        NodeRenewal renewal = new NodeRenewal(machine.files(), keys.apply(node.algorithm()), out);
        renewal.finishInterrupted(node);
        // what an earlier run has kept may be long expired, or of another CA
        changes.forget(STEP);
        wanted.stream()
                .flatMap(certificate -> files(node, certificate).stream())
                .forEach(file -> changes.keep(STEP, file));
        List<ManagedCertificate> restarting = renewal.renew(node, wanted).stream()
                .filter(certificate -> certificate
                        .component()
                        .filter(component -> !READ_AGAIN.contains(component))
                        .isPresent())
                .toList();
        restart(run, node, out).restart(node, restarting);
    }

    private static List<Path> files(CertsNode node, ManagedCertificate certificate) {
        return certificate
                .pair()
                .map(node::pair)
                .map(pair -> List.of(pair.certificate(), pair.key()))
                .orElseGet(() -> List.of(node.paths().kubeconfig(certificate.name())));
    }

    private ComponentRestart restart(UpgradeRun run, CertsNode node, Reporter out) {
        return new ComponentRestart(
                machine,
                run.installed().criSocket(),
                new TlsCertificateProbe(),
                new EtcdRestart(
                        cluster.etcd(),
                        run.installed().etcd(),
                        node.paths().certificatesDir(),
                        cluster.locks()
                                .of(
                                        () -> cluster.kube().of(run.kubeconfig()),
                                        run.installed().name(),
                                        out),
                        machine.waiter(),
                        out,
                        EtcdRestart.Purpose.RENEWAL),
                out);
    }
}
