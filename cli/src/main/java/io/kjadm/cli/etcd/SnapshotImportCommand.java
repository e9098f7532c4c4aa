package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.snapshot.SavedSnapshot;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotEncoding;
import io.kjadm.core.snapshot.SnapshotImport;
import io.kjadm.core.snapshot.SnapshotStores;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.core.snapshot.foreign.ForeignFormat;
import io.kjadm.core.snapshot.foreign.ForeignSnapshot;
import io.kjadm.core.snapshot.foreign.ForeignSnapshots;

import picocli.CommandLine;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** {@code kjadm etcd snapshot import}. */
record SnapshotImportCommand(SnapshotRuns runs) {

    private static final String AUTO = "auto";

    CommandLine build() {
        return CommandBuilder.running(
                        "import",
                        "Import a snapshot of another tool into a store: etcdctl, kubeadm, k3s, RKE2, etcd-manager or Gardener",
                        this::run)
                .flags(FlagOption.all(
                        Flag.COMPRESS,
                        Flag.DRY_RUN,
                        Flag.ENCRYPT_TO,
                        Flag.FORMAT,
                        Flag.LABEL,
                        Flag.SIGN_KEY,
                        Flag.SKIP_HASH_CHECK))
                .words(
                        "file|store",
                        2,
                        "File or directory of the other tool, and the store to import it to (instead of --store)")
                .example("Import a snapshot of etcdctl", "/root/backup.db")
                .example(
                        "Import a database file that was copied from a data directory",
                        "/root/member/snap/db --format datadir --skip-hash-check")
                .build();
    }

    private void run(CommandFlags flags, List<String> words) {
        if (words.isEmpty()) {
            throw new UsageException(
                    "the file or directory is missing",
                    "",
                    "run kjadm etcd snapshot import FILE, or name a directory that has one");
        }
        String store = words.size() > 1 ? words.get(1) : SnapshotRuns.store(flags);
        SnapshotStores.check(store);
        SnapshotEncoding encoding = SnapshotSaveCommand.encoding(flags);
        Map<String, String> labels = SnapshotSaveCommand.labels(flags);
        Optional<ForeignFormat> format = format(flags);
        runs.onStore(flags, store, (composition, catalog) -> {
            SnapshotImport.Terms terms = new SnapshotImport.Terms(
                    encoding,
                    flags.isOn(Flag.SKIP_HASH_CHECK),
                    labels,
                    SnapshotRuns.signingKey(flags, composition));
            ForeignSnapshot foreign = new ForeignSnapshots(composition.ports().observed())
                    .find(Path.of(words.getFirst()), format);
            if (flags.isOn(Flag.DRY_RUN)) {
                composition.out().step("dryrun", "Would import " + foreign.describe());
                return;
            }
            take(foreign, terms, catalog, flags, composition);
        });
    }

    private static void take(
            ForeignSnapshot foreign,
            SnapshotImport.Terms terms,
            SnapshotCatalog catalog,
            CommandFlags flags,
            Composition composition) {
        SavedSnapshot imported = new SnapshotImport(
                        catalog,
                        composition.ports().observed(),
                        new SplittableRandom(),
                        composition.out())
                .take(foreign, terms);
        SnapshotRuns.verify(
                imported, Level.SUM, catalog.signing(terms.key()), List.of(), flags, composition);
    }

    /** The tool that the flags name, if one. */
    static Optional<ForeignFormat> format(CommandFlags flags) {
        return flags.text(Flag.FORMAT)
                .filter(word -> !word.equals(AUTO))
                .map(word -> ForeignFormat.of(word)
                        .orElseThrow(() -> new UsageException(
                                "unknown --format \"%s\"".formatted(word),
                                "",
                                "use one of auto, " + ForeignFormat.words())));
    }
}
