package io.kjadm.core.standalone;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.EtcdCertificateFiles;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberFile;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.etcd.leave.FinalSnapshot;
import io.kjadm.core.etcd.leave.LeftJournals;
import io.kjadm.core.etcd.leave.ResetEntry;
import io.kjadm.core.etcd.leave.ResetJournal;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.etcd.Problem;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Removes etcd from this machine once its member has left the cluster: the service is stopped, the
 * data are set aside, and what tells of the member goes last, so that a run that is killed is
 * continued.
 */
final class EtcdHostCleanUp {

    private static final String AREA = "reset";
    private static final List<String> PROGRAMS = List.of("etcd", "etcdctl", "etcdutl");

    private final Machine machine;
    private final HostFiles files;
    private final SystemdEtcd host;
    private final EtcdHostPaths paths;
    private final EtcdReset.Options options;
    private final Reporter out;

    EtcdHostCleanUp(SystemdEtcd host, EtcdReset.Options options, Reporter out) {
        this.machine = host.machine();
        this.files = host.machine().files();
        this.host = host;
        this.paths = host.paths();
        this.options = options;
        this.out = out;
    }

    /**
     * Stops etcd, sets its data aside, and removes what is its own; may be repeated.
     *
     * @param journal of the reset, which is kept in {@code place}
     * @throws HostException if something could not be removed; the rest was
     */
    void run(LocalEtcdState etcd, ResetJournal journal, Path place) {
        List<Problem> failures = new ArrayList<>();
        if (journal.entry()
                .filter(entry -> entry.state() == ResetState.CLEANING)
                .isEmpty()) {
            stopAndSetAside(etcd, journal);
        }
        journal.enter(ResetState.CLEANING);
        Path install = host.installDir();
        Stream.of(
                        paths.unit(),
                        paths.holdDropIn(),
                        paths.startCheckDropIn(),
                        paths.diskNote(),
                        etcd.dataDir().resolve(DataDirReader.DISK_MARKER),
                        paths.etcdctlEnvironment(),
                        paths.externalEtcd(),
                        paths.etcdctlWrapper(install),
                        EtcdCertificateFiles.rotationKey(
                                EtcdCertificateFiles.standalone(etcd.certificatesDir())
                                        .ca()))
                .forEach(file -> delete(file, failures));
        certificates(etcd.certificatesDir()).forEach(file -> delete(file, failures));
        if (options.teardown()) {
            removeRest(etcd, journal, install, failures);
        }
        if (!options.purgePki()) {
            out.step(
                    AREA,
                    "The CA stays in %s; remove it with --purge-pki"
                            .formatted(etcd.certificatesDir()));
        }
        machine.services().reload().ifPresent(out::warn);
        if (!failures.isEmpty()) {
            throw new HostException(
                    "etcd left its cluster, but not everything could be removed from this machine",
                    failures.stream()
                            .map(Problem::facts)
                            .reduce((a, b) -> a + "; " + b)
                            .orElse(""),
                    "fix the cause, then run '%s' again".formatted(options.command()));
        }
        // what tells of a member goes last, so that a run that is killed is continued
        new JournalFile(files, paths.stateDir()).clear();
        // the member to come is not to be put back to what this one was
        LeftJournals left = new LeftJournals(files);
        left.tellEnded(paths.stateDir(), "this machine", out);
        left.removeReplacement(KubernetesPaths.standard(), out);
        left.removeUpgrade(paths.unfinishedUpgradeDir(), out);
        removeEmpty(paths.upgradeDir());
        left.moveRestoredData(etcd.dataDir(), machine.waiter().now(), out);
        files.deleteTree(paths.restoreDir());
        files.delete(paths.rotationJournal());
        files.delete(paths.environment());
        new MemberFile(files, paths).clear();
        files.delete(place);
        if (options.teardown()) {
            Stream.of(etcd.certificatesDir(), paths.environment().getParent(), paths.stateDir())
                    .forEach(this::removeEmpty);
        }
        out.step(
                AREA,
                options.teardown()
                        ? "This machine has no etcd any more"
                        : "This machine has no etcd any more; its programs stay in " + install);
    }

    /** What a reset has left; whose the programs are, nothing tells any more. */
    void removeLeftovers() {
        List<Problem> failures = new ArrayList<>();
        certificates(paths.certificatesDir()).forEach(file -> delete(file, failures));
        deleteTree(paths.cacheDir(), failures);
        if (options.extent() == EtcdReset.Extent.WITH_DATA) {
            deleteTree(paths.upgradeDir(), failures);
        }
        Stream.of(paths.certificatesDir(), paths.environment().getParent(), paths.stateDir())
                .forEach(this::removeEmpty);
        if (!failures.isEmpty()) {
            throw new HostException(
                    "not everything could be removed from this machine",
                    failures.getFirst().facts(),
                    "fix the cause, then run '%s' again".formatted(options.command()));
        }
    }

    /** Programs that another tool has put there stay. */
    private void removeRest(
            LocalEtcdState etcd, ResetJournal journal, Path install, List<Problem> failures) {
        if (host.record().isPresent()) {
            PROGRAMS.forEach(program -> delete(install.resolve(program), failures));
        }
        deleteTree(paths.cacheDir(), failures);
        if (options.extent() != EtcdReset.Extent.WITH_DATA) {
            if (files.exists(paths.upgradeDir())) {
                out.step(
                        AREA,
                        "The snapshots of upgrades stay in %s; remove them with --delete-data"
                                .formatted(paths.upgradeDir()));
            }
            return;
        }
        deleteTree(paths.upgradeDir(), failures);
        DataDirBackup backup = new DataDirBackup(files, etcd.dataDir());
        journal.entry().flatMap(ResetEntry::data).ifPresent(place -> {
            if (backup.setAside(place) instanceof DataDirBackup.Outcome.Moved(Path moved)) {
                deleteData(journal, moved, failures);
            }
        });
        removeEmpty(etcd.dataDir());
    }

    /** What clients wrote between the last snapshot and the stop is in the data alone. */
    private void deleteData(ResetJournal journal, Path moved, List<Problem> failures) {
        Optional<String> more = finalSnapshot(journal).lacks(moved);
        if (more.isPresent()) {
            out.warn("etcd's data are kept in %s: %s; delete them when they are no longer needed"
                    .formatted(moved, more.get()));
            return;
        }
        deleteTree(moved, failures);
    }

    /** What is kept of a cluster that ends with this member. */
    FinalSnapshot finalSnapshot(ResetJournal journal) {
        return new FinalSnapshot(paths.snapshotsDir(), files, machine.waiter(), journal, out);
    }

    private void deleteTree(Path directory, List<Problem> failures) {
        remove(directory, files::deleteTree, failures);
    }

    /** A mount stays where it is, and so does what is not of etcd. */
    private void removeEmpty(Path directory) {
        try {
            if (files.isDirectory(directory) && files.list(directory).isEmpty()) {
                files.deleteTree(directory);
            }
        } catch (KjadmException e) {
            out.detail("reset: " + e.getMessage());
        }
    }

    private void stopAndSetAside(LocalEtcdState etcd, ResetJournal journal) {
        host.end();
        out.step(AREA, "Stopped and disabled service etcd");
        DataDirBackup backup = new DataDirBackup(files, etcd.dataDir());
        Path place = journal.place(backup, "reset");
        journal.enter(ResetState.STOPPED, place);
        DataDirBackup.Outcome outcome = backup.setAside(place);
        out.step(AREA, "etcd's member has left: " + outcome);
        if (outcome instanceof DataDirBackup.Outcome.Stays) {
            throw new HostException(
                    "etcd's data could not be set aside",
                    outcome.toString(),
                    "fix the cause, then run '%s' again".formatted(options.command()));
        }
        etcd.added()
                .logDirectory()
                .filter(files::exists)
                .ifPresent(log -> out.warn(
                        "etcd's write-ahead log stays in %s (--wal-dir): delete it when it is no longer needed, at the latest before another member here gets that flag"
                                .formatted(log)));
    }

    /** Whether certificates of etcd are on this machine. */
    boolean leavesCertificates() {
        return certificates(paths.certificatesDir()).anyMatch(files::exists);
    }

    private Stream<Path> certificates(Path directory) {
        Stream<String> bases = options.purgePki()
                ? Stream.concat(MemberCertificates.ALL.stream(), Stream.of(MemberCertificates.CA))
                : MemberCertificates.ALL.stream();
        return bases.map(base -> CertificatePair.named(directory, base))
                .flatMap(pair -> Stream.of(pair.certificate(), pair.key()));
    }

    private void delete(Path file, List<Problem> failures) {
        remove(file, files::delete, failures);
    }

    private void remove(Path path, Consumer<Path> removal, List<Problem> failures) {
        try {
            if (files.exists(path)) {
                removal.accept(path);
                out.step(AREA, "Removed " + path);
            }
        } catch (KjadmException e) {
            failures.add(e.problem());
            out.warn(e.getMessage());
        }
    }
}
