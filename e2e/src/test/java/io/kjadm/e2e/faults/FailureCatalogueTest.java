package io.kjadm.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** docs/failure-catalogue.md tells of every failure, and of no test that is not there. */
final class FailureCatalogueTest {
    private static final Path ROOT = Path.of("..");
    private static final List<String> MODULES = List.of(
            "pki",
            "manifests",
            "store",
            "etcd",
            "core/platform",
            "core/operations",
            "core/workflows",
            "cli",
            "e2e");
    private static final Path CATALOGUE = ROOT.resolve("docs/failure-catalogue.md");
    private static final Pattern NAMED = Pattern.compile("`(\\w*)\\.(\\w+)`");
    private static final int KEPT_BY = 3;
    private static final int REAL_NODES = 4;

    /** The columns of each failure, by its number. */
    private static Map<String, String[]> rows() throws IOException {
        var rows = new LinkedHashMap<String, String[]>();
        for (String line : Files.readAllLines(CATALOGUE)) {
            if (line.startsWith("| F")) {
                var columns = line.substring(2, line.length() - 2).split(" \\| ");
                rows.put(columns[0], columns);
            }
        }
        return rows;
    }

    @Test
    void everyFailureIsListedOnce() throws IOException {
        var listed = Files.readAllLines(CATALOGUE).stream()
                .filter(line -> line.startsWith("| F"))
                .map(line -> line.substring(2, line.indexOf(" |", 2)))
                .sorted(Comparator.comparingInt(number -> Integer.parseInt(number.substring(1))))
                .toList();
        assertEquals(
                IntStream.rangeClosed(1, listed.size())
                        .mapToObj("F%02d"::formatted)
                        .toList(),
                listed);
    }

    @Test
    void whatIsPlayedWithRealNodesIsSaid() throws IOException {
        var played = new TreeSet<String>();
        FaultCase.all().forEach(fault -> played.addAll(List.of(fault.number().split(" "))));
        var said = new TreeSet<String>();
        rows().forEach((number, columns) -> {
            if (columns[REAL_NODES].contains("`FaultsIT`")) {
                said.add(number);
            }
        });
        // which needs a kubeadm program
        played.add("F49");
        assertEquals(played, said);
    }

    @Test
    void everyTestThatIsNamedIsThere() throws IOException {
        var missing = new ArrayList<String>();
        for (String[] columns : rows().values()) {
            var named = NAMED.matcher(columns[KEPT_BY]);
            var type = "";
            while (named.find()) {
                type = named.group(1).isEmpty() ? type : named.group(1);
                if (!source(type).contains(" " + named.group(2) + "(")) {
                    missing.add(columns[0] + ": " + type + "." + named.group(2));
                }
            }
        }
        assertTrue(missing.isEmpty(), missing::toString);
    }

    private static String source(String type) throws IOException {
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
                var found = files.filter(
                                file -> file.getFileName().toString().equals(type + ".java"))
                        .findFirst();
                if (found.isPresent()) {
                    return Files.readString(found.get());
                }
            }
        }
        return "";
    }
}
