package io.kjadm.core.reset;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.leave.EtcdOutcome;
import io.kjadm.core.etcd.leave.LeftJournals;
import io.kjadm.core.etcd.leave.ResetEntry;
import io.kjadm.core.etcd.leave.ResetJournal;
import io.kjadm.core.feature.FeatureGate;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.staticpod.ManifestStash;

import java.nio.file.Path;
import java.util.Optional;

/**
 * {@code cleanup-node}: makes the machine an ordinary one again. etcd's data is not its business.
 */
record CleanupNodePhase(
        NodeCleanup cleanup,
        RootlessAccounts accounts,
        HostFiles files,
        Waiter waiter,
        Failpoints failpoints)
        implements Phase<ResetRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                        "cleanup-node",
                        "Run cleanup node",
                        Flag.CERT_DIR,
                        Flag.CRI_SOCKET,
                        Flag.CLEANUP_TMP_DIR,
                        Flag.DRY_RUN)
                .alias("cleanupnode");
    }

    @Override
    public ResetRun run(ResetRun run, Reporter out) {
        return ResetWorkflow.toItsEnd(() -> clean(run, out));
    }

    private ResetRun clean(ResetRun run, Reporter out) {
        ManifestStash aside =
                new ManifestStash(files, run.paths(), ResetJournal.place(run.paths()));
        ResetJournal journal = new ResetJournal(
                files, aside.journal(), run.criSocket(), waiter, failpoints.fuse(waiter));
        if (run.outcome().filter(EtcdOutcome.Absent.class::isInstance).isPresent()) {
            journal.enter(ResetState.CLEANING);
        }
        boolean joinIsSettled = joinIsSettled(run);
        boolean ends = etcdIsDoneWith(run, journal.entry().map(ResetEntry::state));
        cleanup.run(
                        new NodeCleanup.Order(
                                run.paths(),
                                run.etcd().dataDir(),
                                Optional.of(run.criSocket()),
                                run.config().unmountFlags(),
                                run.config().cleanupTmpDir() && ends && joinIsSettled),
                        out)
                .forEach(out::warn);
        if (joinIsSettled) {
            new JournalFile(files, run.paths().tmpDir()).clear();
        }
        if (ends) {
            aside.discard();
        }
        new LeftJournals(files).remove(run.paths(), run.etcd(), waiter.now(), out);
        warnOfOtherCertificates(run, out);
        warnOfKeptData(run, out);
        removeAccounts(run, out);
        return run;
    }

    /**
     * Whether it is known what became of a join that did not end. If not, its notes are all that
     * tells whose the member is that it may have added.
     */
    private static boolean joinIsSettled(ResetRun run) {
        return run.etcd().join().filter(entry -> entry.state().mayBeListed()).isEmpty()
                || run.outcome().filter(EtcdOutcome.Gone.class::isInstance).isPresent();
    }

    /** If not, the next reset needs the journal and the manifests that were taken out. */
    private static boolean etcdIsDoneWith(ResetRun run, Optional<ResetState> state) {
        return state.isEmpty()
                || state.get() == ResetState.CLEANING
                || run.outcome().isPresent() && !state.get().left();
    }

    /**
     * Where the cluster's configuration cannot be read, say as an earlier run has deleted the
     * kubeconfig, the accounts that are there tell that there is something to do.
     */
    private void removeAccounts(ResetRun run, Reporter out) {
        if (run.cluster().isEmpty()) {
            if (accounts.present()) {
                accounts.remove(dataOfAccount(run.etcd().dataDir()), out);
            }
            return;
        }
        run.cluster()
                .filter(cluster ->
                        cluster.featureGates().enabled(FeatureGate.ROOTLESS_CONTROL_PLANE))
                .ifPresent(cluster -> accounts.remove(ownEtcdData(cluster), out));
    }

    private Optional<Path> dataOfAccount(Path dataDir) {
        return accounts.etcdUser()
                .filter(user ->
                        files.isDirectory(dataDir) && files.owner(dataDir).uid() == user)
                .map(_ -> dataDir);
    }

    /** With an external etcd, a directory of that name is not ours. */
    private static Optional<Path> ownEtcdData(ClusterConfiguration cluster) {
        return cluster.etcd() instanceof LocalEtcd etcd
                ? Optional.of(etcd.dataDir())
                : Optional.empty();
    }

    /** Only the operator can tell what else lives in a directory of the cluster's choice. */
    private static void warnOfOtherCertificates(ResetRun run, Reporter out) {
        run.cluster()
                .map(ClusterConfiguration::certificatesDir)
                .filter(directory -> !directory.equals(run.paths().certificatesDir()))
                .ifPresent(directory -> out.warn(
                        "the cluster's certificates in %s are left alone: remove them, or reset "
                                        .formatted(directory)
                                + "with --cert-dir " + directory));
    }

    private void warnOfKeptData(ResetRun run, Reporter out) {
        if (run.outcome().isEmpty()
                && files.exists(run.etcd().dataDir().resolve(KubernetesPaths.ETCD_MEMBER))) {
            out.warn("etcd's data in %s is kept, since phase remove-etcd-member did not run"
                    .formatted(run.etcd().dataDir()));
        }
    }
}
