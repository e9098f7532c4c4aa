package io.kjadm.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which package may import which: docs/package-arrows.txt lists it, and the sources do as it says.
 *
 * <p>A package is written without {@code io.kjadm}. The list has one line a package, those that
 * import the most first; a package may import only such as stand below it, so the list itself shows
 * that there is no circle.
 */
class PackageArrowsTest {

    private static final String ROOT = "io.kjadm.";
    private static final Pattern PACKAGE =
            Pattern.compile("^package io\\.kjadm\\.([\\w.]+);", Pattern.MULTILINE);
    private static final Pattern IMPORT = Pattern.compile(
            "^import (?:static )?io\\.kjadm\\.([a-z][a-z.]*)\\.[A-Z]", Pattern.MULTILINE);

    @Test
    void sourcesImportWhatTheListAllows() {
        Set<String> listed = arrows(listed());
        Set<String> imported = arrows(imports());
        assertEquals(
                List.of(),
                onlyIn(imported, listed),
                "imports that docs/package-arrows.txt does not list;"
                        + " a new one is a decision: avoid it, or write it there");
        assertEquals(
                List.of(),
                onlyIn(listed, imported),
                "imports that docs/package-arrows.txt lists and the sources do not have");
    }

    @Test
    void aPackageImportsOnlyPackagesBelowIt() {
        List<String> order = List.copyOf(listed().keySet());
        List<String> upward = new ArrayList<>();
        listed().forEach((from, targets) -> targets.stream()
                .filter(to -> order.indexOf(to) <= order.indexOf(from))
                .forEach(to -> upward.add(from + " -> " + to)));
        assertEquals(
                List.of(), upward, "packages that are imported from below, or that are not listed");
    }

    @Test
    void theTestReadsImports() {
        assertEquals(Set.of("etcd.join", "pki"), importsOf("""
                        package io.kjadm.core.join;

                        import static io.kjadm.pki.Pem.write;

                        import io.kjadm.core.join.Own;
                        import io.kjadm.etcd.join.JoinDecider.Verdict;
                        import java.util.List;
                        """));
    }

    /** The list, in its order. */
    private static Map<String, Set<String>> listed() {
        String list = read(root().resolve("docs/package-arrows.txt"));
        Map<String, Set<String>> listed = new LinkedHashMap<>();
        String last = "";
        for (String line : list.lines().filter(line -> !line.startsWith("#")).toList()) {
            if (!line.startsWith(" ")) {
                last = line.split(":", 2)[0];
                listed.put(last, new TreeSet<>());
            }
            String targets = line.startsWith(" ") ? line : line.split(":", 2)[1];
            listed.get(last)
                    .addAll(Stream.of(targets.strip().split(" +"))
                            .filter(target -> !target.isEmpty())
                            .toList());
        }
        return listed;
    }

    /** What the sources of main import. */
    private static Map<String, Set<String>> imports() {
        SortedMap<String, Set<String>> found = new TreeMap<>();
        for (Path source : sources()) {
            String text = read(source);
            found.computeIfAbsent(packageOf(text), name -> new TreeSet<>()).addAll(importsOf(text));
        }
        assertTrue(found.size() > 40, "packages were found: " + found.keySet());
        return found;
    }

    private static List<Path> sources() {
        try (Stream<Path> files = Files.walk(root())) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file ->
                            root().relativize(file).toString().matches("[a-z/]*/src/main/java/.*"))
                    .filter(file -> !file.toString().contains("/target/"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> importsOf(String source) {
        String own = packageOf(source);
        return IMPORT.matcher(source)
                .results()
                .map(match -> match.group(1))
                .filter(name -> !name.equals(own))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String packageOf(String source) {
        var declared = PACKAGE.matcher(source);
        assertTrue(declared.find(), "a source of " + ROOT + " names its package");
        return declared.group(1);
    }

    /** Each arrow, and each package by itself. */
    private static Set<String> arrows(Map<String, Set<String>> targets) {
        Set<String> arrows = new TreeSet<>(targets.keySet());
        targets.forEach((from, to) -> to.forEach(target -> arrows.add(from + " -> " + target)));
        return arrows;
    }

    private static List<String> onlyIn(Set<String> arrows, Set<String> others) {
        return arrows.stream().filter(arrow -> !others.contains(arrow)).toList();
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve("docs"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
