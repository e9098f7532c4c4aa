package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ProgramVersion;
import io.kjadm.core.auto.AutoPaths;
import io.kjadm.core.auto.ClusterSeed;
import io.kjadm.core.auto.ClusterSeed.Wanted;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.standalone.EtcdRunLoader;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.auto.ClusterSpec;

import picocli.CommandLine;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** {@code kjadm etcd seed}: says once which cluster the machines of a store form. */
record SeedCommand(Console console, Function<Console, Reporter> reporters) {

    private static final List<String> KEYS =
            List.of("version", "nodes", "form-with", "replace-after", "name", "operator-key");

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
        if (words.isEmpty() || isSetting(words.getFirst())) {
            throw new UsageException(
                    "the store is missing",
                    "",
                    "specify a directory or bucket first: kjadm etcd seed /mnt/etcd-store nodes=3");
        }
        Map<String, String> values = values(words.subList(1, words.size()));
        ClusterSpec spec = spec(values);
        Path token = flags.path(Flag.TOKEN_FILE).orElse(AutoPaths.TOKEN);
        Optional<Path> operatorKey = operatorKey(values, words.getFirst(), token);
        new AutoRuns(console, reporters).onStore(words.getFirst(), (store, composition) -> {
            new ClusterSeed(
                            store,
                            composition.ports().files(),
                            composition.ports().waiter(),
                            new SecureRandom())
                    .seed(
                            new Wanted(
                                    values.getOrDefault("name", "etcd"),
                                    spec,
                                    words.getFirst(),
                                    "kjadm " + ProgramVersion.current().version(),
                                    operatorKey),
                            token);
            console.print("""
                            The store is ready for a cluster of %d etcd %s.

                            Copy %s to each machine, readable for root alone, and run there:

                                kjadm etcd auto %s

                            'kjadm etcd auto %s --systemd' prints a unit that does so at each boot.
                            """.formatted(
                    spec.nodes(), spec.version(), token, words.getFirst(), words.getFirst()));
            operatorKey.ifPresent(file -> console.print("""

                            %s is the operator's key: 'kjadm etcd auto approve' needs it if a quorum is lost for
                            good. Move it, and %s.pub, to a safe place that is on none of the machines.
                            """.formatted(file, file)));
        });
    }

    /** Who can write to a folder is on a machine anyway; a bucket is open to more. */
    private static Optional<Path> operatorKey(
            Map<String, String> values, String store, Path token) {
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

    /** The URL of a bucket has an equals sign, too. */
    private static boolean isSetting(String word) {
        return KEYS.stream().anyMatch(key -> word.startsWith(key + "="));
    }

    private static Map<String, String> values(List<String> words) {
        Map<String, String> values = new HashMap<>();
        for (String word : words) {
            String[] pair = word.split("=", 2);
            if (pair.length != 2
                    || !KEYS.contains(pair[0])
                    || values.put(pair[0], pair[1]) != null) {
                throw new UsageException(
                        "\"%s\" is not a setting of a cluster".formatted(word),
                        "",
                        "write each of %s once, as nodes=3".formatted(String.join(", ", KEYS)));
            }
        }
        return values;
    }

    private static ClusterSpec spec(Map<String, String> values) {
        EtcdVersion version = EtcdRunLoader.version(
                values.containsKey("version")
                        ? CommandFlags.none().with(Flag.VERSION, values.get("version"))
                        : CommandFlags.none(),
                Optional.empty());
        int nodes = number("nodes", values.getOrDefault("nodes", "3"));
        try {
            ClusterSpec usual = ClusterSpec.of(version, nodes);
            return new ClusterSpec(
                    version,
                    nodes,
                    values.containsKey("form-with")
                            ? number("form-with", values.get("form-with"))
                            : usual.formWith(),
                    values.containsKey("replace-after")
                            ? replaceAfter(values.get("replace-after"))
                            : usual.replaceAfter());
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    "this is no cluster", e.getMessage(), "specify nodes=3 or nodes=5");
        }
    }

    private static Optional<Duration> replaceAfter(String text) {
        return text.equals("never")
                ? Optional.empty()
                : CommandFlags.none().with(Flag.FOR, text).duration(Flag.FOR);
    }

    private static int number(String key, String text) {
        if (text.matches("\\d{1,3}")) {
            return Integer.parseInt(text);
        }
        throw new UsageException(
                "%s cannot be \"%s\"".formatted(key, text),
                "it is not a number",
                "specify nodes=3");
    }
}
