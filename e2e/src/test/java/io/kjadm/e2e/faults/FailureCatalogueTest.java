package io.kjadm.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    private static final Pattern HEAD = Pattern.compile("- \\*\\*(F\\d+) [^*]+\\*\\*: (?! ).+");
    private static final Pattern TESTS = Pattern.compile("  (?! )(.+)");
    private static final Pattern METHOD = Pattern.compile("`(\\w*)\\.(\\w+)`");
    private static final Pattern TYPE = Pattern.compile("`([A-Z]\\w*(?:Test|IT|Contract))`");
    private static final Map<String, String> SOURCES = new HashMap<>();
    private static final Set<String> WITHOUT = Set.of("Not tested", "On nodes only");

    /** A failure; the tests on nodes are behind the last semicolon of the second line. */
    private record Entry(String number, String tests) {
        String onFakes() {
            return tests.contains("; ") ? tests.substring(0, tests.lastIndexOf("; ")) : tests;
        }

        String onNodes() {
            return tests.substring(onFakes().length());
        }
    }

    /** Of two lines each. Below the first heading there is nothing but headings and these. */
    private static List<Entry> entries() throws IOException {
        var entries = new ArrayList<Entry>();
        var lines = Files.readAllLines(CATALOGUE).stream()
                .dropWhile(line -> !line.startsWith("## "))
                .filter(line -> !line.isBlank() && !line.startsWith("## "))
                .iterator();
        while (lines.hasNext()) {
            var line = lines.next();
            var head = HEAD.matcher(line);
            assertTrue(head.matches(), () -> "no number, failure and answer: " + line);
            var tests = TESTS.matcher(lines.hasNext() ? lines.next() : "");
            assertTrue(tests.matches(), () -> "no line with the tests: " + line);
            entries.add(new Entry(head.group(1), tests.group(1)));
        }
        return entries;
    }

    @Test
    void everyFailureIsListedOnce() throws IOException {
        var listed = entries().stream()
                .map(Entry::number)
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
        for (Entry entry : entries()) {
            if (entry.onNodes().contains("`FaultsIT`")) {
                said.add(entry.number());
            }
        }
        // which needs a kubeadm program
        played.add("F49");
        assertEquals(played, said);
    }

    @Test
    void everyTestThatIsNamedIsThere() throws IOException {
        var missing = new ArrayList<String>();
        for (Entry entry : entries()) {
            var named = METHOD.matcher(entry.tests());
            var type = "";
            while (named.find()) {
                type = named.group(1).isEmpty() ? type : named.group(1);
                if (!source(type).contains(" " + named.group(2) + "(")) {
                    missing.add(entry.number() + ": " + type + "." + named.group(2));
                }
            }
            TYPE.matcher(entry.tests())
                    .results()
                    .map(found -> found.group(1))
                    .filter(name -> source(name).isEmpty())
                    .forEach(name -> missing.add(entry.number() + ": " + name));
        }
        assertTrue(missing.isEmpty(), missing::toString);
    }

    @Test
    void everyFailureNamesATestOrSaysThatItHasNone() throws IOException {
        var without = new ArrayList<String>();
        for (Entry entry : entries()) {
            if (!entry.onFakes()
                            .matches(
                                    ".*(`\\w*\\.\\w+`|`\\w+(Test|IT|Contract)`|\\*simulation\\*).*")
                    && !WITHOUT.contains(entry.onFakes())) {
                without.add(entry.number());
            }
        }
        assertEquals(List.of(), without);
    }

    /** Empty if there is none. */
    private static String source(String type) {
        return SOURCES.computeIfAbsent(type, FailureCatalogueTest::read);
    }

    private static String read(String type) {
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
                var found = files.filter(
                                file -> file.getFileName().toString().equals(type + ".java"))
                        .findFirst();
                if (found.isPresent()) {
                    return Files.readString(found.get());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return "";
    }
}
