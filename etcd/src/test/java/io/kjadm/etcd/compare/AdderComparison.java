package io.kjadm.etcd.compare;

import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdVersion;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Runs every join of the comparison and writes {@code learners-compared.md} and
 * {@code learners-compared.svg}.
 *
 * <p>Arguments: the folder to write to; then {@code --heavy} for only the joins under load, or
 * {@code --all} for those too, or the names of some {@link Fault}s, of which the tables are printed
 * and nothing is written; {@code --limit=SECONDS}.
 */
public final class AdderComparison {

    /** A second voter of etcd 3.6 takes half a minute to start even if all is well. */
    private static final Duration LIMIT = Duration.ofSeconds(40);

    private static final List<String> NUMBERS =
            List.of("no core", "one core", "two cores", "three cores", "four cores");

    private final EtcdBinary etcd = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
    private final Path folder;
    private final Duration limit;

    private AdderComparison(Path folder, Duration limit) {
        this.folder = folder;
        this.limit = limit;
    }

    public static void main(String[] arguments) throws IOException {
        List<String> options = List.of(arguments).subList(1, arguments.length);
        Duration limit = options.stream()
                .filter(option -> option.startsWith("--limit="))
                .findFirst()
                .map(option ->
                        Duration.ofSeconds(Long.parseLong(option.substring("--limit=".length()))))
                .orElse(LIMIT);
        var faults = options.stream()
                .filter(Predicate.not(option -> option.startsWith("--")))
                .map(Fault::valueOf)
                .toList();
        var comparison = new AdderComparison(Path.of(arguments[0]), limit);
        if (!faults.isEmpty()) {
            System.out.println(comparison.text(comparison.outcomes(Set.copyOf(faults))));
            return;
        }
        if (!options.contains("--heavy")) {
            comparison.faults();
        }
        if (options.contains("--heavy") || options.contains("--all")) {
            comparison.loads();
        }
    }

    private void faults() throws IOException {
        List<Outcome> outcomes = outcomes(Set.of(Fault.values()));
        Files.writeString(folder.resolve("learners-compared.svg"), BarPlot.of(outcomes));
        Files.writeString(document(), ComparisonText.withFaults(present(), text(outcomes)));
    }

    private List<Outcome> outcomes(Set<Fault> faults) throws IOException {
        var trial = new FaultTrial(etcd, limit);
        var outcomes = new ArrayList<Outcome>();
        for (Fault fault : Fault.values()) {
            for (int voters : faults.contains(fault) ? fault.voters() : List.<Integer>of()) {
                for (Adder adder : Adder.values()) {
                    System.err.println("%s, %s, %s"
                            .formatted(
                                    fault.title(), ComparisonText.growth(voters), adder.title()));
                    outcomes.add(trial.run(fault, voters, adder));
                    System.err.println("    " + outcomes.getLast());
                }
            }
        }
        return outcomes;
    }

    private String text(List<Outcome> outcomes) {
        return ComparisonText.faults(
                outcomes, etcd.version().toString(), machine(), limit.toSeconds());
    }

    private void loads() throws IOException {
        var trial = new LoadTrial(etcd);
        var joins = new ArrayList<LoadedJoin>();
        for (int voters : List.of(1, 2)) {
            joins.add(trial.bigDatabase(voters));
            System.err.println(joins.getLast());
        }
        joins.add(trial.manyWrites(2));
        System.err.println(joins.getLast());
        Files.writeString(
                document(),
                ComparisonText.withLoads(
                        present(),
                        ComparisonText.loads(joins, etcd.version().toString(), machine())));
    }

    private Path document() {
        return folder.resolve("learners-compared.md");
    }

    private String present() throws IOException {
        return Files.exists(document()) ? Files.readString(document()) : "";
    }

    private static String machine() {
        int cores = Runtime.getRuntime().availableProcessors();
        return cores < NUMBERS.size() ? NUMBERS.get(cores) : cores + " cores";
    }
}
