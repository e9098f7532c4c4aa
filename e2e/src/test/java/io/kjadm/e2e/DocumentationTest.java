package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.lab.Checkout;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Links between the pages lead somewhere, and pages for developers name what exists. */
final class DocumentationTest {
    private static final Path ROOT = Checkout.folder(".").normalize();
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern JAVA =
            Pattern.compile("((?:[a-z0-9]+\\.)*)([A-Z]\\w*[a-z]\\w*)(?:\\.(\\w+))?");

    private static final Set<String> FEATURE_GATES = Set.of("EtcdLearnerMode");

    @Test
    void everyLinkLeadsToAFileAndASection() throws IOException {
        var broken = new ArrayList<String>();
        for (Path page : pages()) {
            for (MatchResult link : LINK.matcher(prose(page)).results().toList()) {
                var target = link.group(1);
                if (!target.contains("://") && !leadsSomewhere(page, target)) {
                    broken.add(ROOT.relativize(page) + ": " + target);
                }
            }
        }
        assertEquals(List.of(), broken);
    }

    @Test
    void everyPageIsInTheIndex() throws IOException {
        var index = ROOT.resolve("docs/README.md");
        var listed = LINK.matcher(prose(index))
                .results()
                .map(link -> index.resolveSibling(link.group(1).replaceFirst("#.*", "")))
                .map(Path::normalize)
                .collect(Collectors.toSet());
        var missing = new ArrayList<Path>();
        for (Path page : pages()) {
            if (page.startsWith(ROOT.resolve("docs")) && !page.equals(index)) {
                missing.add(page);
            }
        }
        missing.removeAll(listed);
        assertEquals(List.of(), missing);
    }

    @Test
    void pagesForDevelopersNameClassesAndMembersThatExist() throws IOException {
        var sources = sources();
        var missing = new ArrayList<String>();
        for (var page : List.of(
                "docs/architecture.md",
                "docs/contributing.md",
                "docs/style.md",
                "docs/testing.md")) {
            for (MatchResult code :
                    CODE.matcher(prose(ROOT.resolve(page))).results().toList()) {
                var named = JAVA.matcher(code.group(1));
                if (named.matches()
                        && !FEATURE_GATES.contains(named.group(2))
                        && !exists(sources, named.group(1), named.group(2), named.group(3))) {
                    missing.add(page + ": " + code.group(1));
                }
            }
        }
        assertEquals(List.of(), missing);
    }

    /** In a package below io.kjadm, or anywhere if none is named. */
    private static boolean exists(
            Map<String, List<Path>> sources, String packages, String type, String member)
            throws IOException {
        var folder =
                Path.of("io/kjadm", packages.replaceFirst("^io\\.kjadm\\.", "").split("\\."));
        for (Path file : sources.getOrDefault(type, List.of())) {
            if (!packages.isEmpty() && !file.getParent().endsWith(folder)) {
                continue;
            }
            if (member == null) {
                return true;
            }
            if (Pattern.compile("\\b" + member + "\\b")
                    .matcher(Files.readString(file))
                    .find()) {
                return true;
            }
        }
        return false;
    }

    private static Map<String, List<Path>> sources() throws IOException {
        var sources = new HashMap<String, List<Path>>();
        try (Stream<Path> folders = Files.walk(ROOT, 3)) {
            for (Path module : folders.filter(folder -> folder.endsWith("src"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(module)) {
                    files.filter(file -> file.toString().endsWith(".java"))
                            .forEach(file -> sources.computeIfAbsent(
                                            file.getFileName().toString().replace(".java", ""),
                                            _ -> new ArrayList<>())
                                    .add(file));
                }
            }
        }
        assertTrue(sources.size() > 1000, "the sources are not where they are looked for");
        return sources;
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("docs"))) {
            return Stream.concat(
                            files.filter(file -> file.toString().endsWith(".md"))
                                    .sorted(),
                            Stream.of(ROOT.resolve("README.md"), ROOT.resolve("e2e/README.md")))
                    .toList();
        }
    }

    private static boolean leadsSomewhere(Path page, String target) throws IOException {
        var parts = target.split("#", 2);
        var file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        return Files.exists(file)
                && (parts.length == 1 || sections(prose(file)).contains(parts[1]));
    }

    /** What GitHub makes of the headings. */
    private static Set<String> sections(String text) {
        var sections = new HashSet<String>();
        text.lines().filter(line -> line.matches("#+ .*")).forEach(line -> {
            var name = line.replaceFirst("#+ ", "")
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                    .replaceAll("[^\\w\\- ]", "")
                    .replace(' ', '-');
            for (var number = 1; !sections.add(name); number++) {
                name = name.replaceFirst("-\\d+$", "") + "-" + number;
            }
        });
        return sections;
    }

    /** A page without its blocks of code. */
    private static String prose(Path page) throws IOException {
        return Files.readString(page).replaceAll("(?ms)^ *```.*?^ *```\\s*?$", "");
    }
}
