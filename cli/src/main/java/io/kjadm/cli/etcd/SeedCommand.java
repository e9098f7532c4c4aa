package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.core.auto.AutoPaths;
import io.kjadm.core.auto.ClusterSeed;
import io.kjadm.core.auto.ClusterSeed.Wanted;
import io.kjadm.core.auto.StoreProbe;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.standalone.EtcdRunLoader;
import io.kjadm.etcd.auto.ClusterSpec;

import picocli.CommandLine;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** {@code kjadm etcd seed}: says once which cluster the machines of a store form. */
record SeedCommand(Console console, Function<Console, Reporter> reporters) {

    private static final ClusterSettings SETTINGS = new ClusterSettings(List.of(
            "version", "nodes", "form-with", "replace-after", "backup", "name", "operator-key"));

    private static final int NODES = 3;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Beside the token. */
    private static final String OPERATOR_KEY = "etcd-auto-operator.key";

    CommandLine build() {
        return CommandBuilder.running(
                        "seed",
                        "Prepare a store for a cluster that forms by itself with 'kjadm etcd auto'",
                        (flags, words) -> seed(flags, words))
                .flags(FlagOption.all(Flag.TOKEN_FILE))
                .words(
                        "store|key=value",
                        "The store, then the cluster: version=3.6.14 nodes=3 name=etcd form-with=2")
                .example(
                        "Prepare a folder that three machines have mounted",
                        "/mnt/etcd-store nodes=3")
                .example(
                        "Prepare a bucket, for one release of etcd",
                        "s3://etcd-store/cluster1 version=3.6.14 nodes=5")
                .build();
    }

    private void seed(CommandFlags flags, List<String> words) {
        if (words.isEmpty() || SETTINGS.has(words.getFirst())) {
            throw new UsageException(
                    "the store is missing",
                    "",
                    "specify a directory or bucket first: kjadm etcd seed /mnt/etcd-store nodes=3");
        }
        AutoCommand.requirePlace(words.getFirst());
        Map<String, String> values = SETTINGS.values(words.subList(1, words.size()));
        ClusterSpec spec = ClusterSettings.spec(
                values,
                ClusterSpec.of(
                        EtcdRunLoader.version(CommandFlags.none(), Optional.empty()), NODES));
        Path token = flags.path(Flag.TOKEN_FILE).orElse(AutoPaths.TOKEN);
        Wanted wanted = new Wanted(
                values.getOrDefault("name", "etcd"),
                spec,
                words.getFirst(),
                Optional.empty(),
                operatorKey(values, words.getFirst(), token));
        new AutoRuns(console, reporters).onStore(words.getFirst(), (store, composition) -> {
            ClusterSeed.in(
                            store,
                            composition.ports().files(),
                            composition.ports().waiter())
                    .seed(wanted, token);
            console.print("The store is ready for a cluster of %d voters of etcd %s.\n"
                    .formatted(spec.nodes(), spec.version()));
            if (new StoreProbe(store, composition.ports().files(), RANDOM).isOnRoot()) {
                composition
                        .out()
                        .warn(
                                "%s is on the root file system of this machine: check that the file system that all machines share is mounted"
                                        .formatted(store.location()));
            }
            console.print(next(wanted, token));
        });
    }

    /** What the operator does then. */
    static String next(Wanted wanted, Path token) {
        return """

                Copy %s to each machine, readable for root alone, and run there:

                    kjadm etcd auto %s

                With --systemd it prints a unit that does so at each boot.
                """.formatted(token, ShellWord.quoted(wanted.place()))
                + wanted.operatorKey().map("""

                %1$s is the operator's key: 'kjadm etcd auto approve' needs it if a quorum is lost for
                good. Move it, and %1$s.pub, to a safe place that is on none of the machines.
                """::formatted).orElse("");
    }

    /** Who can write to a folder is on a machine anyway; a bucket is open to more. */
    static Optional<Path> operatorKey(Map<String, String> values, String store, Path token) {
        String word = values.getOrDefault("operator-key", "");
        if (!word.equals("none")) {
            return Optional.of(
                    word.isEmpty()
                            ? token.toAbsolutePath().resolveSibling(OPERATOR_KEY)
                            : Path.of(word).toAbsolutePath());
        }
        if (store.contains("://")) {
            throw new UsageException(
                    "operator-key cannot be \"none\"",
                    "the store is a bucket",
                    "name a file for the private key, as operator-key=/root/etcd-operator.key");
        }
        return Optional.empty();
    }
}
