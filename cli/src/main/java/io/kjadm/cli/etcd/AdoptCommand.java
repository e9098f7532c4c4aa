package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ConsoleConfirmation;
import io.kjadm.cli.console.TextTable;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.core.auto.AdoptedCluster;
import io.kjadm.core.auto.AutoLog;
import io.kjadm.core.auto.AutoMemory;
import io.kjadm.core.auto.AutoPaths;
import io.kjadm.core.auto.AutoToken;
import io.kjadm.core.auto.ClusterSeed;
import io.kjadm.core.auto.ClusterSeed.Wanted;
import io.kjadm.core.auto.OperatorEntry;
import io.kjadm.core.auto.ReadableLog;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.snapshot.sign.SnapshotKeys;
import io.kjadm.core.standalone.CaOfGeneration;
import io.kjadm.etcd.auto.ClusterSpec;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.store.ObjectStore;

import picocli.CommandLine;

import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** {@code kjadm etcd auto adopt}: the automatic mode takes over a cluster that runs. */
record AdoptCommand(Console console, Function<Console, Reporter> reporters) {

    private static final ClusterSettings SETTINGS = new ClusterSettings(
            List.of("version", "nodes", "replace-after", "backup", "name", "operator-key"));

    CommandLine build() {
        return CommandBuilder.running(
                        "adopt",
                        "Let the automatic mode manage the cluster of this machine, which runs on",
                        this::adopt)
                .flags(FlagOption.explained(
                        FlagOption.all(Flag.TOKEN_FILE, Flag.YES),
                        new FlagOption(Flag.YES, "Do not ask for confirmation")))
                .words(
                        "store|key=value",
                        "The store, then settings that differ from the cluster: nodes=5 replace-after=10m")
                .example("Manage a cluster of 'kjadm etcd init' and 'join'", "/mnt/etcd-store")
                .example("Let one more machine join", "/mnt/etcd-store nodes=5")
                .build();
    }

    private void adopt(CommandFlags flags, List<String> words) {
        if (words.isEmpty() || SETTINGS.has(words.getFirst())) {
            throw new UsageException(
                    "the store is missing",
                    "",
                    "specify a directory or bucket first: kjadm etcd auto adopt /mnt/etcd-store");
        }
        String place = words.getFirst();
        AutoCommand.requirePlace(words.getFirst());
        Map<String, String> values = SETTINGS.values(words.subList(1, words.size()));
        Path token = flags.path(Flag.TOKEN_FILE).orElse(AutoPaths.TOKEN);
        Optional<Path> operatorKey = SeedCommand.operatorKey(values, place, token);
        new AutoRuns(console, reporters).onStore(place, (store, composition) -> {
            SystemdEtcd etcd =
                    new SystemdEtcd(composition.ports().machine(), EtcdHostPaths.standard());
            AdoptedCluster adopted = AdoptedCluster.look(
                    etcd, new StandaloneEtcd(composition).clients(), composition.out());
            Wanted wanted = new Wanted(
                    values.getOrDefault("name", "etcd"),
                    spec(values, adopted),
                    place,
                    Optional.of(adopted.entry().cluster()),
                    operatorKey);
            console.print(table(adopted));
            if (!flags.isOn(Flag.YES)) {
                new ConsoleConfirmation(console)
                        .require(
                                "auto",
                                "Let the automatic mode manage cluster %s?"
                                        .formatted(adopted.entry().cluster()),
                                "the adoption");
            }
            write(adopted, wanted, new Place(store, composition, etcd, token));
            console.print("The automatic mode manages cluster %s now; etcd was not restarted.\n"
                    .formatted(adopted.entry().cluster()));
            console.print(SeedCommand.next(wanted, token));
        });
    }

    private static ClusterSpec spec(Map<String, String> values, AdoptedCluster adopted) {
        int voters = adopted.entry().voters().size();
        ClusterSpec spec = ClusterSettings.spec(values, ClusterSpec.of(adopted.oldest(), voters));
        if (spec.nodes() < voters) {
            throw new UsageException(
                    "nodes cannot be %d".formatted(spec.nodes()),
                    "the cluster has %d voters".formatted(voters),
                    "specify nodes=%d or more".formatted(voters));
        }
        if (spec.version().compareTo(adopted.oldest()) < 0) {
            throw new UsageException(
                    "version cannot be %s".formatted(spec.version()),
                    "no member has an etcd older than %s".formatted(adopted.oldest()),
                    "leave it out, or specify a newer one: the machines upgrade to it");
        }
        return spec;
    }

    private record Place(
            ObjectStore store, Composition composition, SystemdEtcd etcd, Path token) {}

    /** Killed anywhere, it goes on when it is run again. */
    private static void write(AdoptedCluster adopted, Wanted wanted, Place place) {
        Composition composition = place.composition();
        HostFiles files = composition.ports().files();
        ClusterSeed.in(place.store(), files, composition.ports().waiter())
                .seed(wanted, place.token());
        AutoToken token = AutoToken.read(files, place.token());
        AutoLog log = AutoLog.open(
                place.store(),
                token,
                AutoMemory.none(),
                composition.ports().waiter(),
                new SecureRandom());
        ReadableLog.require(log, place.store());
        if (!log.charter().adopting()) {
            return;
        }
        new CaOfGeneration(place.store(), files, token.ca(), AutoPaths.STATE)
                .offer(
                        adopted.entry().generation(),
                        place.etcd().state().certificatesDir(),
                        composition.ports().waiter().now(),
                        composition.out());
        OperatorEntry.write(
                log,
                adopted.entry(),
                "an operator asked for it",
                "kjadm etcd auto adopt " + wanted.place(),
                wanted.operatorKey().map(new SnapshotKeys(files)::signing));
    }

    private static String table(AdoptedCluster adopted) {
        TextTable table = new TextTable(List.of("MEMBER", "NAME", "PEER URLS", "CLIENT URLS"));
        for (Seat seat : adopted.entry().voters()) {
            table.row(List.of(
                    seat.id().toString(),
                    seat.name(),
                    urls(seat.peerUrls()),
                    urls(seat.clientUrls())));
        }
        return table.text();
    }

    private static String urls(List<URI> urls) {
        return urls.stream().map(URI::toString).collect(Collectors.joining(","));
    }
}
