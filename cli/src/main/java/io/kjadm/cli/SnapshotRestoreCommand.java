package io.kjadm.cli;

import io.kjadm.core.config.CommandFlags;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.restore.RestorePlan;
import io.kjadm.core.restore.SnapshotRestore;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotReader;

import picocli.CommandLine;

import java.security.SecureRandom;
import java.util.List;

/** {@code kjadm etcd snapshot restore}. */
final class SnapshotRestoreCommand {

    private final Console console;
    private final SnapshotRuns runs;

    SnapshotRestoreCommand(Console console, SnapshotRuns runs) {
        this.console = console;
        this.runs = runs;
    }

    CommandLine build() {
        return CommandBuilder.running(
                        "restore",
                        "Put a snapshot back on this control-plane node, as the only member of a new etcd cluster",
                        this::restore)
                .flags(FlagOption.explained(
                        FlagOption.all(Flag.DRY_RUN, Flag.IDENTITY_FILE, Flag.UNDO, Flag.YES),
                        new FlagOption(Flag.YES, "Do not ask")))
                .words("name", 1, "The snapshot: its name, the beginning of it, or \"latest\"")
                .build();
    }

    private void restore(CommandFlags flags, List<String> words) {
        boolean undo = flags.isOn(Flag.UNDO);
        if (words.isEmpty() != undo) {
            throw new UsageException(
                    undo ? "--undo takes no snapshot" : "a snapshot is missing",
                    "",
                    "write kjadm etcd snapshot restore NAME, where NAME may be \"latest\"; or, to put back what a restore that did not end has changed, kjadm etcd snapshot restore --undo");
        }
        runs.onStore(flags, (composition, catalog) -> {
            Ports ports = composition.ports();
            EtcdClients clients = new EtcdClients(
                    ports.observed(), composition.clients(), ports.etcd(), ports.observer());
            try (Claim _ = HostLock.claim(ports.files())) {
                SnapshotRestore restore = new SnapshotRestore(
                        ports.machine(),
                        KubernetesPaths.standard(),
                        clients,
                        new SecureRandom(),
                        composition.out());
                if (undo) {
                    restore.undo();
                } else {
                    restore(words.getFirst(), flags, composition, catalog, clients, restore);
                }
            }
        });
    }

    private void restore(
            String name,
            CommandFlags flags,
            Composition composition,
            SnapshotCatalog catalog,
            EtcdClients clients,
            SnapshotRestore restore) {
        List<String> identities = SnapshotRuns.identities(flags, composition);
        RestorePlan plan = RestorePlan.of(
                catalog.findToRestore(name),
                composition.ports().observed(),
                KubernetesPaths.standard(),
                clients,
                composition.out());
        plan.describe().forEach(line -> composition.out().step("restore", line));
        if (!flags.isOn(Flag.DRY_RUN)) {
            confirm(flags, plan);
            restore.restore(plan, new SnapshotReader(catalog, identities, composition.out()));
        }
    }

    /** Who has begun was asked then. */
    private void confirm(CommandFlags flags, RestorePlan plan) {
        if (!plan.earlier()
                && !flags.isOn(Flag.YES)
                && !new ConsoleConfirmation(console)
                        .confirm("restore", "Replace etcd's data on this node?")) {
            throw new ClusterException(
                    "nothing was restored", "the answer was no", "answer yes, or give --yes");
        }
    }
}
