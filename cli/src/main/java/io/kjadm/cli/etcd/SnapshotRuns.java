package io.kjadm.cli.etcd;

import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.snapshot.FileSnapshot;
import io.kjadm.core.snapshot.SavedSnapshot;
import io.kjadm.core.snapshot.SelectedSnapshot;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotCheck;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotStores;
import io.kjadm.core.snapshot.Verification;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.core.snapshot.drill.DrillPrograms;
import io.kjadm.core.snapshot.drill.SnapshotDrill;
import io.kjadm.core.snapshot.drill.SnapshotDrill.Ground;
import io.kjadm.core.snapshot.foreign.ForeignSnapshots;
import io.kjadm.core.snapshot.sign.SigningKey;
import io.kjadm.core.snapshot.sign.SnapshotKeys;
import io.kjadm.core.snapshot.sign.SnapshotTrust;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.WalIdentity;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/** What the commands of snapshots have in common: the store that the flags name, and a look into it. */
record SnapshotRuns(Console console, Function<Console, Reporter> reporters) {

    /** The flags that say which snapshots are accepted, and of which cluster. */
    static final List<FlagOption> ACCEPTED = FlagOption.all(Flag.CLUSTER_ID, Flag.VERIFY_KEY);

    /** The flags that a drill takes. */
    static final List<FlagOption> DRILL = FlagOption.all(Flag.ETCD_BIN, Flag.WORK_DIR);

    private static final List<Flag> OF_A_STORE =
            List.of(Flag.CLUSTER_ID, Flag.IDENTITY_FILE, Flag.SIGN_KEY, Flag.VERIFY_KEY);

    private static final Path WORK = Path.of("/var/tmp");

    /** Where snapshots are, as the flags say. */
    static String store(CommandFlags flags) {
        return flags.text(Flag.STORE).orElse(SnapshotStores.DEFAULT.toString());
    }

    static SnapshotStores stores(Composition composition) {
        return new SnapshotStores(composition.ports().observed(), System.getenv());
    }

    /** Works on the store that the flags name. */
    void onStore(CommandFlags flags, BiConsumer<Composition, SnapshotCatalog> work) {
        onStore(flags, store(flags), work);
    }

    /** Works on a store. */
    void onStore(CommandFlags flags, String store, BiConsumer<Composition, SnapshotCatalog> work) {
        on(
                flags,
                composition -> stores(composition)
                        .use(store, trust(flags, composition), catalog -> {
                            work.accept(composition, catalog);
                            return true;
                        }));
    }

    /** Which snapshots are accepted, as the flags say. */
    static SnapshotTrust trust(CommandFlags flags, Composition composition) {
        return new SnapshotTrust(
                new SnapshotKeys(composition.ports().observed())
                        .verifying(flags.list(Flag.VERIFY_KEY).stream()
                                .map(Path::of)
                                .toList()),
                flags.isSet(Flag.IDENTITY_FILE));
    }

    /**
     * The key that the flags name to sign with.
     *
     * @throws UsageException if this machine would not accept what it signs
     */
    static Optional<SigningKey> signingKey(CommandFlags flags, Composition composition) {
        Optional<SigningKey> key = flags.path(Flag.SIGN_KEY)
                .map(new SnapshotKeys(composition.ports().observed())::signing);
        SnapshotTrust trust = trust(flags, composition);
        if (key.isEmpty() && trust.signed()) {
            composition
                    .out()
                    .warn(
                            "the snapshot is not signed, and %s on this machine accepts none without a signature; give --sign-key"
                                    .formatted(SnapshotKeys.DIRECTORY.resolve(
                                            SnapshotKeys.VERIFYING)));
        }
        key.filter(signing -> !trust.accepts(signing)).ifPresent(_ -> {
            throw new UsageException(
                    "this machine would not accept the snapshot",
                    "%s is not the public key of %s"
                            .formatted(
                                    SnapshotKeys.DIRECTORY.resolve(SnapshotKeys.VERIFYING),
                                    flags.text(Flag.SIGN_KEY).orElseThrow()),
                    "sign with the other key, or replace the public key");
        });
        return key;
    }

    /** The key that the flags name to sign a note with; most machines that verify have none. */
    static Optional<SigningKey> noteKey(CommandFlags flags, Composition composition) {
        return flags.path(Flag.SIGN_KEY)
                .map(new SnapshotKeys(composition.ports().observed())::signing);
    }

    /** Finds the snapshot that the operator means, and tells how it was chosen. */
    static SnapshotManifest find(
            String name, SnapshotCatalog catalog, CommandFlags flags, Composition composition) {
        return select(name, catalog, flags, composition).manifest();
    }

    /** The same with what is known of its signature. */
    static SelectedSnapshot select(
            String name, SnapshotCatalog catalog, CommandFlags flags, Composition composition) {
        SelectedSnapshot found =
                catalog.find(name, flags.text(Flag.CLUSTER_ID), ownCluster(composition));
        found.remarks().forEach(composition.out()::warn);
        return found;
    }

    /** The cluster whose data this machine has, if it has any. */
    private static Optional<String> ownCluster(Composition composition) {
        HostFiles files = composition.ports().observed();
        try {
            return new DataDirReader(files).read(composition.etcdHost().state().dataDir())
                            instanceof DataDirectory.Held(String _, WalIdentity identity)
                    ? Optional.of(identity.clusterId())
                    : Optional.empty();
        } catch (KjadmException e) {
            return Optional.empty();
        }
    }

    /** Works without a store. */
    void on(CommandFlags flags, Consumer<Composition> work) {
        Reporter out = reporters.apply(console);
        try (Composition composition = new Composition(out, flags.isOn(Flag.DRY_RUN))) {
            work.accept(composition);
        }
    }

    /** The secret keys in the file that the flags name. */
    static List<String> identities(CommandFlags flags, Composition composition) {
        Optional<Path> file = flags.path(Flag.IDENTITY_FILE);
        List<String> keys = file.map(stores(composition)::identities).orElse(List.of());
        file.filter(path -> SnapshotKeys.openToOthers(composition.ports().observed(), path))
                .ifPresent(path -> composition
                        .out()
                        .warn("other accounts have access to the secret key in %s: run chmod 600 %s"
                                .formatted(path, path)));
        return keys;
    }

    /** The level that a flag names. */
    static Level level(CommandFlags flags, Flag flag, Level fallback) {
        return flags.text(flag)
                .map(word -> Level.of(word)
                        .orElseThrow(() -> new UsageException(
                                "unknown --%s \"%s\"".formatted(flag, word),
                                "",
                                "use one of " + Level.words())))
                .orElse(fallback);
    }

    /**
     * Looks into a snapshot as it lies in the store, and tells how it went.
     *
     * @throws ClusterException if it is not good
     */
    static void verify(
            SavedSnapshot snapshot,
            Level level,
            SnapshotCatalog catalog,
            List<String> identities,
            CommandFlags flags,
            Composition composition) {
        SnapshotCheck check = new SnapshotCheck(
                catalog, identities, composition.ports().waiter(), composition.out());
        SnapshotManifest manifest = snapshot.manifest();
        Verification verification = switch (level) {
            case SUM, STRUCTURE -> check.check(snapshot, level);
            case DRILL -> drill(manifest, catalog, check, flags, composition).play(manifest);
        };
        if (!verification.passed()) {
            throw new ClusterException(
                    CommonReason.DAMAGED,
                    "snapshot %s is damaged".formatted(manifest.name()),
                    verification.result(),
                    "use another snapshot, and check the store");
        }
        composition
                .out()
                .step(
                        "snapshot",
                        "Verified snapshot %s in the store (%s): %s"
                                .formatted(manifest.name(), level.word(), verification.result()));
    }

    /** Whether a word names a file: no snapshot in a store has a slash in its name. */
    static boolean isFile(String word) {
        return word.contains("/");
    }

    /**
     * Refuses flags that a file of another tool cannot answer.
     *
     * @throws UsageException if one of them is given
     */
    static void requireOfFile(CommandFlags flags, Level level, String file) {
        OF_A_STORE.stream().filter(flags::isSet).findFirst().ifPresent(flag -> {
            throw new UsageException(
                    "--%s cannot be used with a file".formatted(flag),
                    "a file has no signature, no encryption and no cluster ID",
                    "omit it, or import the file: 'kjadm etcd snapshot import %s'".formatted(file));
        });
        if (level == Level.DRILL) {
            throw new UsageException(
                    "--level drill cannot be used with a file",
                    "",
                    "import it with 'kjadm etcd snapshot import %s', then verify the snapshot"
                            .formatted(file));
        }
    }

    /**
     * Reads a file of {@code etcdctl snapshot save} or of another tool to its end, and reports its
     * revision.
     *
     * @throws HostException if it is damaged
     */
    static void verifyFile(Path file, Composition composition) {
        HostFiles files = composition.ports().observed();
        SnapshotManifest.Plain read = FileSnapshot.of(
                        new ForeignSnapshots(files).find(file, Optional.empty()),
                        files,
                        false,
                        composition.out())
                .manifest()
                .plain();
        composition
                .out()
                .step(
                        "snapshot",
                        "Verified %s (%s): %d bytes, revision %d"
                                .formatted(
                                        file,
                                        Level.STRUCTURE.word(),
                                        read.bytes(),
                                        read.content().revision()));
    }

    private static SnapshotDrill drill(
            SnapshotManifest manifest,
            SnapshotCatalog catalog,
            SnapshotCheck check,
            CommandFlags flags,
            Composition composition) {
        Ports ports = composition.ports();
        return SnapshotDrill.with(
                DrillPrograms.find(
                        flags.path(Flag.ETCD_BIN),
                        Ports.searchPath(),
                        manifest.origin().etcd(),
                        ports.observed(),
                        ports.machine().runner()),
                catalog,
                check,
                new Ground(
                        flags.path(Flag.WORK_DIR).orElse(WORK),
                        ports.files(),
                        ports.probes().disk(),
                        new SecureRandom()),
                ports.machine().runner(),
                ports.servers().etcd(),
                ports.waiter(),
                composition.out());
    }
}
