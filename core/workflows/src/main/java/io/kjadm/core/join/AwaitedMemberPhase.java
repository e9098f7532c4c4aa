package io.kjadm.core.join;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.kube.KubeAccesses;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.pki.CertificateSet;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * {@code awaited-member}: brings in the second voter that an earlier run of this join has added, or
 * was adding, before anything else. Without EtcdLearnerMode the only voter there was can agree on
 * nothing until this one runs, so no API server answers either: what the cluster is like comes from
 * the note of that run, and where its etcd is from the journal.
 */
record AwaitedMemberPhase(HostFiles files, EtcdClients clients, EtcdJoinPhase join)
        implements Phase<JoinRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                        "awaited-member",
                        "Resume the etcd member without which the cluster has no quorum",
                        JoinPhaseFlags.NONE)
                .asHidden();
    }

    @Override
    public boolean applies(JoinRun run) {
        return run.resumed() && run.controlPlane();
    }

    @Override
    public JoinRun run(JoinRun run, Reporter out) {
        Optional<JoinEntry> entry = new JournalFile(files, run.paths().tmpDir())
                .read()
                .filter(JoinEntry::addsSecondVoter)
                .filter(known -> known.state().mayBeListed()
                        && known.state().compareTo(JoinState.PROMOTED) < 0);
        Optional<ClusterTexts> learned = run.unfinished().learned();
        if (entry.isPresent() && learned.isPresent()) {
            join(remembered(run, learned.get(), out), entry.get(), out);
        }
        // the cluster is asked anew: what was read then may have changed since
        return run;
    }

    private void join(JoinRun run, JoinEntry entry, Reporter out) {
        ControlPlaneNode node = run.node();
        if (EtcdJoinPhase.addsLearners(node.cluster())
                || !(node.cluster().etcd() instanceof LocalEtcd etcd)) {
            return;
        }
        List<URI> others = entry.before().stream()
                .flatMap(member -> member.clientUrls().stream())
                .toList();
        if (others.isEmpty()) {
            return;
        }
        out.step(
                "etcd",
                "An earlier run was adding the second etcd voter, without which there is "
                        + "no quorum: it is finished before everything else");
        join.join(run, etcd, clients.to(others, node.paths().certificatesDir()), out);
    }

    /** As this node's own files have it: that run had been given everything a member needs. */
    private JoinRun remembered(JoinRun run, ClusterTexts texts, Reporter out) {
        ClusterConfiguration cluster = texts.cluster(run.config(), out::warn);
        KubernetesPaths paths = KubernetesPaths.withCertificates(cluster.certificatesDir());
        Kubeconfig admin = Kubeconfig.parse(read(paths.adminConf()));
        return run.with(new DiscoveredCluster(
                admin,
                KubeAccesses.of(admin, paths.adminConf(), files),
                read(paths.certificate(CertificateSet.named(CertificateSet.CA).certificateFile())),
                cluster,
                texts.kubelet(cluster, out::warn),
                texts));
    }

    private String read(Path path) {
        return files.read(path)
                .orElseThrow(() -> new HostException(
                        "the file %s is missing".formatted(path),
                        "an earlier run of this join had written it, and etcd's member needs it",
                        "restore it, then run the same command again"));
    }
}
