package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotPki;
import io.kjadm.core.snapshot.pki.PkiExtraction;
import io.kjadm.core.snapshot.pki.PkiPlaces;

import picocli.CommandLine;

import java.nio.file.Path;
import java.util.List;

/** {@code kjadm etcd snapshot pki}. */
record SnapshotPkiCommand(SnapshotRuns runs) {

    CommandLine build() {
        return CommandBuilder.running(
                        "pki",
                        "Extract the cluster keys stored with a snapshot (save --with-pki)",
                        this::run)
                .flags(FlagOption.all(
                        SnapshotRuns.ACCEPTED,
                        Flag.ALLOW_PATH,
                        Flag.DRY_RUN,
                        Flag.IDENTITY_FILE,
                        Flag.INTO))
                .words(
                        "name",
                        1,
                        "Name of the snapshot, the beginning of its name, or \"latest\" (default latest)")
                .example(
                        "Extract the keys to a directory to look at them",
                        "--into /root/pki --identity-file identity.txt")
                .example(
                        "Restore the keys on a new machine",
                        "--into / --identity-file identity.txt")
                .build();
    }

    private void run(CommandFlags flags, List<String> words) {
        String name = words.isEmpty() ? SnapshotCatalog.LATEST : words.getFirst();
        Path root = flags.path(Flag.INTO)
                .orElseThrow(
                        () -> new UsageException(
                                "the target directory is missing",
                                "",
                                "specify it with --into; --into / writes the files to their original paths"));
        runs.onStore(flags, (composition, catalog) -> {
            List<String> identities = SnapshotRuns.identities(flags, composition);
            PkiPlaces places = new PkiPlaces(
                    flags.path(Flag.CERT_DIR)
                            .map(KubernetesPaths::withCertificates)
                            .orElseGet(KubernetesPaths::standard),
                    flags.list(Flag.ALLOW_PATH).stream().map(Path::of).toList());
            new PkiExtraction(composition.ports().files(), places, composition.out())
                    .into(
                            root.toAbsolutePath().normalize(),
                            new SnapshotPki(catalog)
                                    .read(
                                            SnapshotRuns.find(name, catalog, flags, composition),
                                            identities));
        });
    }
}
