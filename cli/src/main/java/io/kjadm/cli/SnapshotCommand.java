package io.kjadm.cli;

import io.kjadm.cli.output.ObjectWriter;
import io.kjadm.core.config.CommandFlags;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.restore.RestorePlan;
import io.kjadm.core.restore.SnapshotRestore;
import io.kjadm.core.snapshot.Retention;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotCatalog.Entry;
import io.kjadm.core.snapshot.SnapshotCheck;
import io.kjadm.core.snapshot.SnapshotCopy;
import io.kjadm.core.snapshot.SnapshotEncoding;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotPrune;
import io.kjadm.core.snapshot.SnapshotReader;
import io.kjadm.core.snapshot.SnapshotSave;
import io.kjadm.core.snapshot.SnapshotStores;
import io.kjadm.core.snapshot.Verification;
import io.kjadm.core.snapshot.Verification.Level;

import picocli.CommandLine;

import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/** {@code kjadm etcd snapshot}: takes snapshots of etcd into a store, and looks after them there. */
final class SnapshotCommand {

    private static final String NONE = "none";

    private final Console console;
    private final Function<Console, Reporter> reporters;
    private final EtcdSessions sessions;

    SnapshotCommand(Console console, Function<Console, Reporter> reporters, EtcdSessions sessions) {
        this.console = console;
        this.reporters = reporters;
        this.sessions = sessions;
    }

    CommandLine build() {
        return CommandBuilder.group(
                        "snapshot", "Take snapshots of etcd, and look after them", console)
                .inheritedFlags(FlagOption.all(Flag.STORE))
                .subcommand(CommandBuilder.running(
                                "save", "Take a snapshot of etcd into a store", this::save)
                        .flags(FlagOption.all(
                                Flag.COMPRESS,
                                Flag.DRY_RUN,
                                Flag.ENCRYPT_TO,
                                Flag.LABEL,
                                Flag.VERIFY))
                        .words("store", 1, "Where it goes, instead of --store")
                        .build())
                .subcommand(CommandBuilder.running(
                                "list",
                                "List the snapshots of a store",
                                (flags, words) -> list(flags))
                        .flags(OutputFlags.WITH_TABLE)
                        .build())
                .subcommand(CommandBuilder.running(
                                "verify",
                                "Look into a snapshot as it lies in the store; fails if it is not good",
                                this::verify)
                        .flags(FlagOption.all(Flag.IDENTITY_FILE, Flag.LEVEL))
                        .words(
                                "name",
                                1,
                                "The snapshot: its name, the beginning of it, or \"latest\", which is the default")
                        .build())
                .subcommand(CommandBuilder.running(
                                "copy", "Copy a snapshot to another store", this::copy)
                        .flags(FlagOption.all(Flag.DRY_RUN))
                        .words("name|store", 2, "The snapshot, and the store that it is copied to")
                        .build())
                .subcommand(CommandBuilder.running(
                                "restore",
                                "Put a snapshot back on this control-plane node, as the only member of a new etcd cluster",
                                this::restore)
                        .flags(FlagOption.explained(
                                FlagOption.all(
                                        Flag.DRY_RUN, Flag.IDENTITY_FILE, Flag.UNDO, Flag.YES),
                                new FlagOption(Flag.YES, "Do not ask")))
                        .words(
                                "name",
                                1,
                                "The snapshot: its name, the beginning of it, or \"latest\"")
                        .build())
                .subcommand(CommandBuilder.running(
                                "prune",
                                "Remove old snapshots; never the last one that was verified",
                                (flags, words) -> prune(flags))
                        .flags(FlagOption.all(
                                Flag.DRY_RUN,
                                Flag.KEEP_LAST,
                                Flag.KEEP_HOURLY,
                                Flag.KEEP_DAILY,
                                Flag.KEEP_WEEKLY,
                                Flag.KEEP_MONTHLY,
                                Flag.KEEP_VERIFIED))
                        .build())
                .build();
    }

    private static String store(CommandFlags flags) {
        return flags.text(Flag.STORE).orElse(SnapshotStores.DEFAULT.toString());
    }

    private static SnapshotStores stores(Composition composition) {
        return new SnapshotStores(composition.ports().observed(), System.getenv());
    }

    private void save(CommandFlags flags, List<String> words) {
        String store = words.isEmpty() ? store(flags) : words.getFirst();
        SnapshotStores.check(store);
        SnapshotEncoding encoding = encoding(flags);
        Map<String, String> labels = labels(flags);
        Optional<Level> level = flags.text(Flag.VERIFY).filter(NONE::equals).isPresent()
                ? Optional.empty()
                : Optional.of(level(flags, Flag.VERIFY, Level.SUM));
        sessions.with(
                flags,
                (session, composition) -> stores(composition).use(store, catalog -> {
                    save(session, composition, catalog, encoding, labels, level, flags);
                    return true;
                }));
    }

    private static void save(
            EtcdSession session,
            Composition composition,
            SnapshotCatalog catalog,
            SnapshotEncoding encoding,
            Map<String, String> labels,
            Optional<Level> level,
            CommandFlags flags) {
        Reporter out = composition.out();
        var health = EtcdSessions.asking(out, session::survey).health();
        SnapshotSave save = new SnapshotSave(
                session.cluster(),
                catalog,
                composition.ports().waiter(),
                new SplittableRandom(),
                out);
        SnapshotSave.Choice choice = save.choose(health);
        if (flags.isOn(Flag.DRY_RUN)) {
            out.step(
                    "dryrun",
                    "Would take a snapshot of etcd member %s at %s"
                            .formatted(choice.member().label(), choice.url()));
            return;
        }
        SnapshotManifest manifest = save.save(choice, encoding, labels);
        level.filter(wanted -> wanted == Level.SUM || !encoding.encrypted())
                .or(() -> level.map(_ -> Level.SUM))
                .ifPresent(wanted -> conclude(
                        manifest,
                        new SnapshotCheck(
                                        catalog, List.of(), composition.ports().waiter(), out)
                                .check(manifest, wanted),
                        out));
    }

    private static void conclude(
            SnapshotManifest manifest, Verification verification, Reporter out) {
        if (!verification.passed()) {
            throw new ClusterException(
                    "snapshot %s is not good".formatted(manifest.name()),
                    verification.result(),
                    "take another one, and see to the store");
        }
        out.step(
                "snapshot",
                "Snapshot %s was read again from the store, and is good (%s): %s"
                        .formatted(
                                manifest.name(),
                                verification.level().word(),
                                verification.result()));
    }

    private static SnapshotEncoding encoding(CommandFlags flags) {
        String compress = flags.text(Flag.COMPRESS).orElse(NONE);
        if (!compress.equals(NONE) && !compress.equals("gzip")) {
            throw new UsageException(
                    "--compress \"%s\" is not known".formatted(compress), "", "say gzip or none");
        }
        SnapshotEncoding encoding =
                new SnapshotEncoding(compress.equals("gzip"), flags.list(Flag.ENCRYPT_TO));
        encoding.check();
        return encoding;
    }

    private static Map<String, String> labels(CommandFlags flags) {
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

    private static Level level(CommandFlags flags, Flag flag, Level fallback) {
        return flags.text(flag)
                .map(word -> Level.of(word)
                        .orElseThrow(() -> new UsageException(
                                "--%s \"%s\" is not known".formatted(flag, word),
                                "",
                                "say one of " + Level.words())))
                .orElse(fallback);
    }

    private void list(CommandFlags flags) {
        Optional<ObjectWriter> writer = OutputFlags.writerOrTable(flags);
        onStore(flags, (composition, catalog) -> {
            SnapshotListing listing = new SnapshotListing(catalog.entries());
            console.print(writer.map(chosen -> chosen.write(listing.objects()))
                    .orElseGet(listing::table));
            return true;
        });
    }

    private void verify(CommandFlags flags, List<String> words) {
        String name = words.isEmpty() ? SnapshotCatalog.LATEST : words.getFirst();
        Level level = level(flags, Flag.LEVEL, Level.STRUCTURE);
        onStore(flags, (composition, catalog) -> {
            List<String> identities = identities(flags, composition);
            SnapshotManifest manifest = catalog.find(name);
            Verification verification = new SnapshotCheck(
                            catalog, identities, composition.ports().waiter(), composition.out())
                    .check(manifest, level);
            conclude(manifest, verification, composition.out());
            return true;
        });
    }

    private void copy(CommandFlags flags, List<String> words) {
        if (words.size() < 2) {
            throw new UsageException(
                    "a snapshot and a store are needed",
                    "",
                    "write kjadm etcd snapshot copy NAME STORE; NAME may be \"latest\"");
        }
        SnapshotStores.check(words.get(1));
        onStore(
                flags,
                (composition, catalog) -> stores(composition).use(words.get(1), target -> {
                    SnapshotManifest manifest = catalog.find(words.getFirst());
                    if (flags.isOn(Flag.DRY_RUN)) {
                        composition.out().step("dryrun", "Would copy snapshot " + manifest.name());
                        return true;
                    }
                    new SnapshotCopy(catalog, target, composition.out()).copy(manifest);
                    conclude(
                            manifest,
                            new SnapshotCheck(
                                            target,
                                            List.of(),
                                            composition.ports().waiter(),
                                            composition.out())
                                    .check(manifest, Level.SUM),
                            composition.out());
                    return true;
                }));
    }

    private void restore(CommandFlags flags, List<String> words) {
        boolean undo = flags.isOn(Flag.UNDO);
        if (words.isEmpty() != undo) {
            throw new UsageException(
                    undo ? "--undo takes no snapshot" : "a snapshot is missing",
                    "",
                    "write kjadm etcd snapshot restore NAME, where NAME may be \"latest\"; or, to put back what a restore that did not end has changed, kjadm etcd snapshot restore --undo");
        }
        onStore(flags, (composition, catalog) -> {
            Ports ports = composition.ports();
            EtcdClients clients = new EtcdClients(
                    ports.observed(), composition.clients(), ports.etcd(), ports.observer());
            KubernetesPaths paths = KubernetesPaths.standard();
            try (Claim _ = HostLock.claim(ports.files())) {
                SnapshotRestore restore = new SnapshotRestore(
                        ports.machine(), paths, clients, new SecureRandom(), composition.out());
                if (undo) {
                    restore.undo();
                    return true;
                }
                List<String> identities = identities(flags, composition);
                RestorePlan plan = RestorePlan.of(
                        catalog.findToRestore(words.getFirst()),
                        ports.observed(),
                        paths,
                        clients,
                        composition.out());
                plan.describe().forEach(line -> composition.out().step("restore", line));
                if (!flags.isOn(Flag.DRY_RUN)) {
                    confirm(flags, plan);
                    restore.restore(
                            plan, new SnapshotReader(catalog, identities, composition.out()));
                }
            }
            return true;
        });
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

    private static List<String> identities(CommandFlags flags, Composition composition) {
        return flags.path(Flag.IDENTITY_FILE)
                .map(stores(composition)::identities)
                .orElse(List.of());
    }

    private void prune(CommandFlags flags) {
        Retention retention = new Retention(
                flags.number(Flag.KEEP_LAST).orElse(10),
                flags.number(Flag.KEEP_HOURLY).orElse(48),
                flags.number(Flag.KEEP_DAILY).orElse(14),
                flags.number(Flag.KEEP_WEEKLY).orElse(8),
                flags.number(Flag.KEEP_MONTHLY).orElse(12),
                flags.number(Flag.KEEP_VERIFIED).orElse(2));
        onStore(flags, (composition, catalog) -> {
            SnapshotPrune prune =
                    new SnapshotPrune(catalog, composition.ports().waiter(), composition.out());
            List<Entry> expired = prune.expired(retention);
            if (flags.isOn(Flag.DRY_RUN)) {
                expired.forEach(entry ->
                        composition.out().step("dryrun", "Would remove snapshot " + entry.name()));
            } else {
                prune.remove(expired);
            }
            return true;
        });
    }

    private void onStore(
            CommandFlags flags, BiFunction<Composition, SnapshotCatalog, Boolean> work) {
        Reporter out = reporters.apply(console);
        try (Composition composition = new Composition(out, flags.isOn(Flag.DRY_RUN))) {
            stores(composition).use(store(flags), catalog -> work.apply(composition, catalog));
        }
    }
}
