package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.host.StaticPodEtcd;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.restore.ClusterLineage;
import io.kjadm.core.snapshot.SavedSnapshot;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotEncoding;
import io.kjadm.core.snapshot.SnapshotLineage;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotMetrics;
import io.kjadm.core.snapshot.SnapshotSave;
import io.kjadm.core.snapshot.SnapshotStores;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.core.snapshot.pki.PkiFile;
import io.kjadm.core.snapshot.pki.PkiFiles;
import io.kjadm.core.snapshot.sign.SigningKey;
import io.kjadm.etcd.MemberStatus;

import picocli.CommandLine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** {@code kjadm etcd snapshot save}. */
record SnapshotSaveCommand(EtcdSessions sessions, Supplier<Reporter> reporters) {

    private static final String NONE = "none";

    /** What may be said of a snapshot that is taken. */
    static final List<FlagOption> FLAGS = FlagOption.all(
            FlagOption.all(
                    Flag.COMPRESS,
                    Flag.ENCRYPT_TO,
                    Flag.LABEL,
                    Flag.METRICS_FILE,
                    Flag.SIGN_KEY,
                    Flag.VERIFY,
                    Flag.WITH_PKI),
            Flag.ETCD_BIN,
            Flag.WORK_DIR);

    CommandLine build() {
        return CommandBuilder.running("save", "Save a snapshot of etcd to a store", this::save)
                .flags(FlagOption.all(FLAGS, Flag.DRY_RUN))
                .words("store", 1, "Store to save it to (instead of --store)")
                .example("Save a snapshot to the default directory", "")
                .example(
                        "Save a compressed snapshot to a bucket",
                        "s3://backups/etcd --compress gzip")
                .example(
                        "Also store the keys of the cluster, encrypted",
                        "--encrypt-to age1... --with-pki")
                .build();
    }

    /** What is wanted, as the flags say. */
    record Wanted(SnapshotEncoding encoding, Map<String, String> labels, Optional<Level> level) {

        static Wanted of(CommandFlags flags) {
            SnapshotEncoding encoding = SnapshotSaveCommand.encoding(flags);
            Optional<Level> level = flags.text(Flag.VERIFY).filter(NONE::equals).isPresent()
                    ? Optional.empty()
                    : Optional.of(SnapshotRuns.level(flags, Flag.VERIFY, Level.SUM));
            if (encoding.encrypted() && level.filter(Level.DRILL::equals).isPresent()) {
                throw new UsageException(
                        "an encrypted snapshot cannot be verified with a drill on this node",
                        "this requires the private key of a recipient, which must not be stored here",
                        "omit --verify, and run 'kjadm etcd snapshot verify --level drill --identity-file FILE' where that key is stored");
            }
            if (flags.isOn(Flag.WITH_PKI) && !encoding.encrypted()) {
                throw new UsageException(
                        "--with-pki requires --encrypt-to",
                        "without it, anyone with access to the store can read the CA keys",
                        "specify an age recipient with --encrypt-to age1...; 'age-keygen -o identity.txt' creates a key pair");
            }
            return new Wanted(encoding, SnapshotSaveCommand.labels(flags), level);
        }

        /** Without an identity there is nothing but the sum to be looked at. */
        Optional<Level> possibleLevel() {
            return level.map(wanted -> encoding.encrypted() ? Level.SUM : wanted);
        }
    }

    private void save(CommandFlags flags, List<String> words) {
        String store = words.isEmpty() ? SnapshotRuns.store(flags) : words.getFirst();
        SnapshotStores.check(store);
        Wanted wanted = Wanted.of(flags);
        try {
            sessions.with(
                    flags,
                    (session, composition) -> SnapshotRuns.stores(composition)
                            .use(store, catalog -> {
                                save(session, composition, catalog, wanted, flags);
                                return true;
                            }));
        } catch (Throwable e) {
            // an Error is a failure of the run as well
            metrics(flags, reporters.get()).ifPresent(metrics -> metrics.failed(Instant.now()));
            throw e;
        }
    }

    /** None in a dry run: nothing has become of anything. */
    private static Optional<SnapshotMetrics> metrics(CommandFlags flags, Reporter out) {
        return flags.path(Flag.METRICS_FILE)
                .filter(_ -> !flags.isOn(Flag.DRY_RUN))
                .map(file -> new SnapshotMetrics(new DiskFiles(), file, out));
    }

    private static void save(
            EtcdSession session,
            Composition composition,
            SnapshotCatalog catalog,
            Wanted wanted,
            CommandFlags flags) {
        Reporter out = composition.out();
        Optional<SigningKey> key = SnapshotRuns.signingKey(flags, composition);
        EtcdSessions.adopt(flags, session, composition);
        var health = EtcdSessions.asking(out, session::survey).health();
        SnapshotSave save = new SnapshotSave(
                session.cluster(),
                catalog,
                composition.ports().waiter(),
                new SplittableRandom(),
                out);
        SnapshotSave.Choice choice = save.choose(health);
        List<PkiFile> pki = flags.isOn(Flag.WITH_PKI) ? pki(flags, composition) : List.of();
        if (flags.isOn(Flag.DRY_RUN)) {
            out.step(
                    "dryrun",
                    "Would take a snapshot of etcd member %s at %s"
                            .formatted(choice.member().label(), choice.url()));
            pki.forEach(file -> out.step("dryrun", "Would store /%s with it".formatted(file)));
            return;
        }
        SavedSnapshot saved = save.save(
                choice,
                new SnapshotSave.Terms(
                        wanted.encoding,
                        labelled(
                                wanted.labels,
                                choice.health()
                                        .status(choice.member().id())
                                        .map(MemberStatus::clusterId),
                                composition.ports().observed()),
                        pki,
                        key));
        SnapshotManifest manifest = saved.manifest();
        if (!pki.isEmpty()) {
            out.step("snapshot", "Stored %d files with keys next to it".formatted(pki.size()));
        }
        wanted.possibleLevel()
                .ifPresent(level -> SnapshotRuns.verify(
                        saved, level, catalog.signing(key), List.of(), flags, composition));
        Instant now = composition.ports().waiter().now();
        metrics(flags, out)
                .ifPresent(metrics -> metrics.succeeded(
                        manifest,
                        wanted.possibleLevel(),
                        Duration.between(manifest.taken(), now),
                        now));
    }

    /**
     * The operator's labels, and where the cluster comes from: a restore gave it a new ID.
     *
     * @param clusterId of the member that is asked, if it has said so
     * @param files     of this machine, which notes what restores have done here
     */
    static Map<String, String> labelled(
            Map<String, String> labels, Optional<String> clusterId, HostFiles files) {
        Map<String, String> all = new TreeMap<>(labels);
        clusterId
                .map(new ClusterLineage(files, StaticPodEtcd.LINEAGE)::predecessors)
                .filter(Predicate.not(List::isEmpty))
                .ifPresent(predecessors ->
                        all.putIfAbsent(SnapshotLineage.LABEL, SnapshotLineage.text(predecessors)));
        return all;
    }

    private static List<PkiFile> pki(CommandFlags flags, Composition composition) {
        KubernetesPaths paths = flags.path(Flag.CERT_DIR)
                .map(KubernetesPaths::withCertificates)
                .orElseGet(KubernetesPaths::standard);
        return new PkiFiles(composition.ports().observed(), paths)
                .gather(
                        () -> composition.clients().of(EtcdSessions.kubeconfig(flags)),
                        composition.out());
    }

    /** How it is stored, as the flags say. */
    static SnapshotEncoding encoding(CommandFlags flags) {
        String compress = flags.text(Flag.COMPRESS).orElse(NONE);
        if (!compress.equals(NONE) && !compress.equals("gzip")) {
            throw new UsageException(
                    "unknown --compress \"%s\"".formatted(compress), "", "use gzip or none");
        }
        SnapshotEncoding encoding =
                new SnapshotEncoding(compress.equals("gzip"), flags.list(Flag.ENCRYPT_TO));
        encoding.check();
        return encoding;
    }

    /** The words that the flags give it. */
    static Map<String, String> labels(CommandFlags flags) {
        Map<String, String> labels = new TreeMap<>();
        for (String label : flags.list(Flag.LABEL)) {
            int split = label.indexOf('=');
            if (split < 1) {
                throw new UsageException(
                        "--label \"%s\" has no name".formatted(label), "", "write it name=value");
            }
            labels.put(label.substring(0, split), label.substring(split + 1));
        }
        return labels;
    }
}
