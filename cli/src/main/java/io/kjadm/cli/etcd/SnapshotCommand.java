package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.command.OutputFlags;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.listing.SnapshotListing;
import io.kjadm.cli.output.ObjectWriter;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.snapshot.Retention;
import io.kjadm.core.snapshot.SavedSnapshot;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotCopy;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotPrune;
import io.kjadm.core.snapshot.SnapshotStores;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.core.snapshot.sign.SnapshotKeys;
import io.kjadm.core.snapshot.sign.VerifyKey;
import io.kjadm.store.ObjectStore.Unfinished;
import io.kjadm.store.StoreException;

import picocli.CommandLine;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** {@code kjadm etcd snapshot}: takes snapshots of etcd into a store, and looks after them there. */
final class SnapshotCommand {

    /** The flags that say what is kept. */
    static final List<FlagOption> KEPT = FlagOption.all(
            Flag.KEEP_LAST,
            Flag.KEEP_HOURLY,
            Flag.KEEP_DAILY,
            Flag.KEEP_WEEKLY,
            Flag.KEEP_MONTHLY,
            Flag.KEEP_VERIFIED);

    private final Console console;
    private final SnapshotSaveCommand save;
    private final SnapshotRuns runs;

    SnapshotCommand(Console console, Function<Console, Reporter> reporters, EtcdSessions sessions) {
        this.console = console;
        this.save = new SnapshotSaveCommand(sessions, () -> reporters.apply(console));
        this.runs = new SnapshotRuns(console, reporters);
    }

    CommandLine build() {
        return CommandBuilder.group(
                        "snapshot", "Save, verify, restore and manage etcd snapshots", console)
                .inheritedFlags(FlagOption.all(Flag.STORE))
                .subcommand(save.build())
                .subcommand(CommandBuilder.running(
                                "list",
                                "List the snapshots in a store",
                                (flags, words) -> list(flags))
                        .flags(FlagOption.all(OutputFlags.WITH_TABLE, Flag.VERIFY_KEY))
                        .example("List the snapshots", "")
                        .example("List the snapshots in a bucket", "--store s3://backups/etcd")
                        .build())
                .subcommand(CommandBuilder.running(
                                "key",
                                "Create a key pair to sign and verify snapshots",
                                (flags, words) -> key(flags))
                        .flags(List.of(new FlagOption(
                                Flag.INTO,
                                "Directory for the two files (default %s)"
                                        .formatted(SnapshotKeys.DIRECTORY))))
                        .example("Create the key pair", "")
                        .build())
                .subcommand(CommandBuilder.running(
                                "verify",
                                "Verify a snapshot in the store or in a file; fails if it is damaged",
                                this::verify)
                        .flags(FlagOption.all(
                                FlagOption.all(SnapshotRuns.DRILL, Flag.IDENTITY_FILE, Flag.LEVEL),
                                Flag.CLUSTER_ID,
                                Flag.SIGN_KEY,
                                Flag.VERIFY_KEY))
                        .words(
                                "name",
                                1,
                                "Name of the snapshot, the beginning of its name, \"latest\", or the path of a file (default latest)")
                        .example("Verify the latest snapshot", "")
                        .example("Verify a file of etcdctl", "/root/etcd.db")
                        .example(
                                "Restore a snapshot into a temporary etcd and compare it",
                                "20261127 --level drill")
                        .build())
                .subcommand(CommandBuilder.running(
                                "copy", "Copy a snapshot to another store", this::copy)
                        .flags(FlagOption.all(
                                SnapshotRuns.ACCEPTED, Flag.DRY_RUN, Flag.IDENTITY_FILE))
                        .words("name|store", 2, "Name of the snapshot, and the store to copy it to")
                        .example("Copy the latest snapshot to a bucket", "latest s3://backups/etcd")
                        .build())
                .subcommand(new SnapshotImportCommand(runs).build())
                .subcommand(new SnapshotPkiCommand(runs).build())
                .subcommand(new SnapshotRestoreCommand(console, runs).build())
                .subcommand(CommandBuilder.running(
                                "prune",
                                "Delete old snapshots; never the last verified one",
                                (flags, words) -> prune(flags))
                        .flags(FlagOption.all(KEPT, Flag.DRY_RUN, Flag.VERIFY_KEY))
                        .example("Show which snapshots would be deleted", "--dry-run")
                        .example("Keep a week of daily snapshots", "--keep-hourly 0 --keep-daily 7")
                        .build())
                .subcommand(new SnapshotScheduleCommand(console).build())
                .build();
    }

    private void list(CommandFlags flags) {
        Optional<ObjectWriter> writer = OutputFlags.writerOrTable(flags);
        runs.onStore(flags, (composition, catalog) -> {
            SnapshotListing listing =
                    new SnapshotListing(catalog.entries(), unfinished(catalog, composition));
            console.print(writer.map(chosen -> chosen.write(listing.objects()))
                    .orElseGet(listing::table));
        });
    }

    /** Credentials may allow to list objects and not uploads. */
    private static List<Unfinished> unfinished(SnapshotCatalog catalog, Composition composition) {
        try {
            return catalog.unfinished();
        } catch (StoreException e) {
            composition
                    .out()
                    .detail("snapshot: unfinished writes cannot be listed: " + e.getMessage());
            return List.of();
        }
    }

    private void key(CommandFlags flags) {
        Path directory = flags.path(Flag.INTO).orElse(SnapshotKeys.DIRECTORY).toAbsolutePath();
        runs.on(flags, composition -> {
            VerifyKey key = new SnapshotKeys(composition.ports().files()).create(directory);
            composition
                    .out()
                    .step(
                            "snapshot",
                            "Created key %s: %s signs snapshots (save --sign-key), %s verifies them (--verify-key)"
                                    .formatted(
                                            key.id(),
                                            directory.resolve(SnapshotKeys.SIGNING),
                                            directory.resolve(SnapshotKeys.VERIFYING)));
        });
    }

    private void verify(CommandFlags flags, List<String> words) {
        String name = words.isEmpty() ? SnapshotCatalog.LATEST : words.getFirst();
        Level level = SnapshotRuns.level(flags, Flag.LEVEL, Level.STRUCTURE);
        if (SnapshotRuns.isFile(name)) {
            SnapshotRuns.requireOfFile(flags, level, name);
            runs.on(flags, composition -> SnapshotRuns.verifyFile(Path.of(name), composition));
            return;
        }
        runs.onStore(flags, (composition, catalog) -> {
            List<String> identities = SnapshotRuns.identities(flags, composition);
            SnapshotManifest manifest = SnapshotRuns.find(name, catalog, flags, composition);
            SnapshotRuns.verify(
                    SavedSnapshot.before(manifest),
                    level,
                    catalog.signing(SnapshotRuns.noteKey(flags, composition)),
                    identities,
                    flags,
                    composition);
        });
    }

    private void copy(CommandFlags flags, List<String> words) {
        if (words.size() < 2) {
            throw new UsageException(
                    "the snapshot or the store is missing",
                    "",
                    "run kjadm etcd snapshot copy NAME STORE; NAME may be \"latest\"");
        }
        SnapshotStores.check(words.get(1));
        runs.onStore(
                flags,
                (composition, catalog) -> SnapshotRuns.stores(composition)
                        .use(words.get(1), target -> {
                            copy(
                                    SnapshotRuns.find(
                                            words.getFirst(), catalog, flags, composition),
                                    catalog,
                                    target,
                                    flags,
                                    composition);
                            return true;
                        }));
    }

    private static void copy(
            SnapshotManifest manifest,
            SnapshotCatalog catalog,
            SnapshotCatalog target,
            CommandFlags flags,
            Composition composition) {
        if (flags.isOn(Flag.DRY_RUN)) {
            composition.out().step("dryrun", "Would copy snapshot " + manifest.name());
            return;
        }
        List<String> identities = SnapshotRuns.identities(flags, composition);
        new SnapshotCopy(catalog, target, composition.out()).copy(manifest);
        Level level = identities.isEmpty() ? Level.SUM : Level.STRUCTURE;
        SnapshotRuns.verify(
                SavedSnapshot.before(manifest), level, target, identities, flags, composition);
    }

    /** What is kept, as the flags say. */
    static Retention retention(CommandFlags flags) {
        return new Retention(
                flags.number(Flag.KEEP_LAST).orElse(10),
                flags.number(Flag.KEEP_HOURLY).orElse(48),
                flags.number(Flag.KEEP_DAILY).orElse(14),
                flags.number(Flag.KEEP_WEEKLY).orElse(8),
                flags.number(Flag.KEEP_MONTHLY).orElse(12),
                flags.number(Flag.KEEP_VERIFIED).orElse(2));
    }

    private void prune(CommandFlags flags) {
        Retention retention = retention(flags);
        runs.onStore(flags, (composition, catalog) -> {
            SnapshotPrune prune =
                    new SnapshotPrune(catalog, composition.ports().waiter(), composition.out());
            SnapshotPrune.Expired expired = prune.expired(retention);
            if (flags.isOn(Flag.DRY_RUN)) {
                Reporter out = composition.out();
                expired.entries()
                        .forEach(entry ->
                                out.step("dryrun", "Would delete snapshot " + entry.name()));
                expired.unfinished()
                        .forEach(write ->
                                out.step("dryrun", "Would delete the unfinished " + write.key()));
            } else {
                prune.remove(expired);
            }
        });
    }
}
