package io.kjadm.etcd.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Holds PIT's report against the reviewed list of mutants that may survive: a survivor that is not
 * listed fails, and so does an entry that no survivor answers to. The list has a line of tab-separated
 * columns per mutant, as this program prints what is missing: class, method, change, how many on
 * that line, the line itself, and last the reason.
 */
public final class SurvivorCheck {

    private SurvivorCheck() {}

    /**
     * @param args the directory of PIT's report, the list, and the directories of the sources, with
     *     commas between them
     */
    public static void main(String[] args) throws IOException {
        List<Path> sources = Stream.of(args[2].split(",")).map(Path::of).toList();
        Path file = Path.of(args[0], "mutations.xml");
        MutationReport report = MutationReport.read(file, sources);
        if (Files.exists(file)) {
            // a later run that has nothing to mutate writes none
            Files.move(file, Path.of(args[0], "checked.xml"), StandardCopyOption.REPLACE_EXISTING);
        }
        Map<Mutant, Long> accepted = accepted(Files.readAllLines(Path.of(args[1])));
        // a run may be of some classes only
        accepted.keySet()
                .removeIf(mutant -> !report.looksAt(mutant.type())
                        && sources.stream()
                                .map(folder -> folder.resolve(source(mutant.type())))
                                .anyMatch(Files::exists));
        figures(report).forEach(System.out::println);
        List<String> problems = problems(report, accepted);
        if (!problems.isEmpty()) {
            problems.forEach(System.err::println);
            System.err.printf(
                    "%d differences between %s and %s%n", problems.size(), args[0], args[1]);
            System.exit(1);
        }
    }

    private static String source(String type) {
        return type.replaceAll("\\$.*", "").replace('.', '/') + ".java";
    }

    /** How many survivors of each kind are accepted; the reason is for the reader. */
    static Map<Mutant, Long> accepted(List<String> lines) {
        Map<Mutant, Long> accepted = new TreeMap<>();
        for (String line : lines) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] columns = line.split("\t");
            if (columns.length != 6 || columns[5].isBlank()) {
                throw new IllegalArgumentException("six columns, the last a reason: " + line);
            }
            Mutant mutant = new Mutant(columns[0], columns[1], columns[2], columns[4]);
            if (accepted.put(mutant, Long.valueOf(columns[3])) != null) {
                throw new IllegalArgumentException("listed twice: " + line);
            }
        }
        return accepted;
    }

    static List<String> problems(MutationReport report, Map<Mutant, Long> accepted) {
        Map<Mutant, Long> survivors = report.results().stream()
                .filter(result -> !result.killed())
                .collect(Collectors.groupingBy(
                        MutationReport.Result::mutant, TreeMap::new, Collectors.counting()));
        List<String> problems = new ArrayList<>();
        var all = new TreeSet<>(survivors.keySet());
        all.addAll(accepted.keySet());
        for (Mutant mutant : all) {
            long survived = survivors.getOrDefault(mutant, 0L);
            long allowed = accepted.getOrDefault(mutant, 0L);
            if (survived > allowed) {
                problems.add("survived: " + mutant.columns(survived));
            } else if (survived < allowed) {
                problems.add("no longer survives: " + mutant.columns(survived));
            }
        }
        return problems;
    }

    /** Rows of a table: package, mutants, killed, survived. */
    static List<String> figures(MutationReport report) {
        Map<String, List<MutationReport.Result>> packages = report.results().stream()
                .collect(Collectors.groupingBy(
                        MutationReport.Result::packageName, TreeMap::new, Collectors.toList()));
        return packages.entrySet().stream()
                .map(entry -> {
                    long killed = entry.getValue().stream()
                            .filter(MutationReport.Result::killed)
                            .count();
                    int all = entry.getValue().size();
                    return "| `%s` | %d | %d | %d |"
                            .formatted(entry.getKey(), all, killed, all - killed);
                })
                .toList();
    }
}
