package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ConsoleConfirmation;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.HostLock;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.commands.TcpPeerProbe;
import io.kjadm.core.etcd.host.StaticPodEtcd;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.restore.ClusterLineage;
import io.kjadm.core.restore.OldClusterCheck;
import io.kjadm.core.restore.RestorePlan;
import io.kjadm.core.restore.RestoreSource;
import io.kjadm.core.restore.RestoredControlPlane;
import io.kjadm.core.restore.RestoredEtcd;
import io.kjadm.core.restore.SnapshotRestore;
import io.kjadm.core.restore.StoredSnapshot;
import io.kjadm.core.snapshot.FileSnapshot;
import io.kjadm.core.snapshot.SelectedSnapshot;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotReader;
import io.kjadm.core.snapshot.SnapshotToRestore;
import io.kjadm.core.snapshot.foreign.ForeignFormat;
import io.kjadm.core.snapshot.foreign.ForeignSnapshots;

import picocli.CommandLine;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** {@code kjadm etcd snapshot restore}. */
record SnapshotRestoreCommand(Console console, SnapshotRuns runs) {

    CommandLine build() {
        return CommandBuilder.running(
                        "restore",
                        "Restore a snapshot on this machine, as the only member of a new etcd cluster",
                        this::restore)
                .flags(FlagOption.explained(
                        FlagOption.all(
                                SnapshotRuns.ACCEPTED,
                                Flag.ALLOW_INSECURE_RELEASE_SERVER,
                                Flag.BUMP_REVISION,
                                Flag.DECLARE_LOST,
                                Flag.DRY_RUN,
                                Flag.ETCD_TARBALL,
                                Flag.FORMAT,
                                Flag.FROM_FILE,
                                Flag.IDENTITY_FILE,
                                Flag.RELEASE_URL,
                                Flag.SKIP_HASH_CHECK,
                                Flag.UNDO,
                                Flag.YES),
                        new FlagOption(Flag.YES, "Do not ask for confirmation")))
                .words(
                        "name",
                        1,
                        "Name of the snapshot, the beginning of its name, \"latest\", or the path of a file")
                .example("Show what a restore would do", "latest --dry-run")
                .example(
                        "Restore the latest snapshot in a bucket",
                        "latest --store s3://backups/etcd")
                .example("Undo an interrupted restore", "--undo")
                .build();
    }

    private void restore(CommandFlags flags, List<String> words) {
        boolean undo = flags.isOn(Flag.UNDO);
        Optional<Path> file = flags.path(Flag.FROM_FILE)
                .or(() ->
                        words.stream().filter(SnapshotRuns::isFile).findFirst().map(Path::of));
        int named = words.size() + (flags.isSet(Flag.FROM_FILE) ? 1 : 0);
        if (named != (undo ? 0 : 1)) {
            throw new UsageException(
                    undo
                            ? "--undo cannot be used with a snapshot"
                            : named == 0
                                    ? "the snapshot is missing"
                                    : "more than one snapshot is given",
                    "",
                    "run kjadm etcd snapshot restore NAME, where NAME may be \"latest\", or use --from-file FILE; to undo an interrupted restore, run kjadm etcd snapshot restore --undo");
        }
        Optional<ForeignFormat> format = SnapshotImportCommand.format(flags);
        if (file.isPresent()) {
            runs.on(
                    flags,
                    composition -> work(
                            flags,
                            composition,
                            () -> ofFile(file.get(), format, flags, composition),
                            List::of));
        } else {
            runs.onStore(
                    flags,
                    (composition, catalog) -> work(
                            flags,
                            composition,
                            () -> ofStore(words.getFirst(), flags, composition, catalog),
                            () -> catalog.entries().stream()
                                    .flatMap(entry -> entry.manifest().stream())
                                    .toList()));
        }
    }

    /** A snapshot of a store, by a name as the operator writes it. */
    static RestoreSource ofStore(
            String name, CommandFlags flags, Composition composition, SnapshotCatalog catalog) {
        List<String> identities = SnapshotRuns.identities(flags, composition);
        SelectedSnapshot found = SnapshotRuns.select(name, catalog, flags, composition);
        return new StoredSnapshot(
                new SnapshotToRestore(
                        found.manifest(),
                        new SnapshotReader(catalog, identities, composition.out()),
                        found.signature()),
                RestoreCommandText.ofStore(found.manifest().name(), flags),
                raise(flags),
                catalog.accepted());
    }

    /** A snapshot in a file. */
    static RestoreSource ofFile(
            Path file,
            Optional<ForeignFormat> format,
            CommandFlags flags,
            Composition composition) {
        HostFiles files = composition.ports().observed();
        return new StoredSnapshot(
                FileSnapshot.of(
                        new ForeignSnapshots(files).find(file, format),
                        files,
                        flags.isOn(Flag.SKIP_HASH_CHECK),
                        composition.out()),
                RestoreCommandText.ofFile(file, flags),
                raise(flags),
                List.of());
    }

    private static OptionalLong raise(CommandFlags flags) {
        return flags.large(Flag.BUMP_REVISION).stream()
                .mapToLong(Long::longValue)
                .findFirst();
    }

    private void work(
            CommandFlags flags,
            Composition composition,
            Supplier<RestoreSource> snapshot,
            Supplier<List<SnapshotManifest>> stored) {
        Ports ports = composition.ports();
        EtcdClients clients = composition.etcdClients();
        try (Claim _ = HostLock.claim(ports.files())) {
            RestoredEtcd etcd = etcd(flags, composition);
            SnapshotRestore restore = new SnapshotRestore(
                    ports.machine(),
                    etcd,
                    clients,
                    new SecureRandom(),
                    composition.out(),
                    Failpoints.ofProcess());
            if (flags.isOn(Flag.UNDO)) {
                restore.undo();
                return;
            }
            composition.refuseBesideUnfinished(ChangingCommand.RESTORING);
            RestorePlan plan = RestorePlan.of(
                    snapshot.get(),
                    etcd,
                    oldCluster(flags, composition, etcd, clients),
                    ports.observed());
            Optional<String> caution = new ClusterLineage(
                            ports.observed(), etcd.host().lineage())
                    .require(plan, stored, flags.text(Flag.CLUSTER_ID));
            plan.describe().forEach(line -> composition.out().step("restore", line));
            caution.ifPresent(line -> composition.out().step("restore", line));
            plan.requireSpace(ports.observed(), ports.probes().disk());
            if (!flags.isOn(Flag.DRY_RUN)) {
                confirm(flags, plan);
                restore.restore(plan);
            }
        }
    }

    /** Looks at the cluster that a new one would replace; what is only read is real in a dry run. */
    static OldClusterCheck oldCluster(
            CommandFlags flags, Composition composition, RestoredEtcd etcd, EtcdClients clients) {
        return new OldClusterCheck(
                composition.ports().observed(),
                etcd,
                clients,
                TcpPeerProbe::listens,
                flags.list(Flag.DECLARE_LOST),
                composition.out());
    }

    /** This machine's etcd, whichever kind it is. */
    static RestoredEtcd etcd(CommandFlags flags, Composition composition) {
        return switch (composition.etcdHost()) {
            case SystemdEtcd service -> new StandaloneEtcd(composition).restored(flags, service);
            case StaticPodEtcd pod -> {
                ForeignFlags.refuseReleaseSource(flags);
                yield new RestoredControlPlane(pod, new SecureRandom(), composition.out());
            }
        };
    }

    /** Who has begun was asked then. */
    private void confirm(CommandFlags flags, RestorePlan plan) {
        if (!plan.earlier() && !flags.isOn(Flag.YES)) {
            new ConsoleConfirmation(console)
                    .require("restore", "Replace etcd's data on this node?", "the restore");
        }
    }
}
