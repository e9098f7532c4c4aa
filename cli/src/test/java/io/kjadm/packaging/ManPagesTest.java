package io.kjadm.packaging;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.cli.CommandTree;
import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ProgramVersion;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

class ManPagesTest {

    private static final Map<String, String> PAGES = pages(tree());

    @TempDir
    private Path folder;

    @Test
    void everyCommandOfTheHelpHasAPage() {
        Set<String> expected = new TreeSet<>();
        collect(tree(), expected);
        assertEquals(expected, new TreeSet<>(PAGES.keySet()));
        assertTrue(PAGES.containsKey("kjadm-init-phase-certs-ca.1"), "phases too");
    }

    @Test
    void hiddenCommandsAndFlagsStayHidden() {
        CommandLine root = CommandBuilder.running("root", "Something", (flags, words) -> {})
                .ignoredWords()
                .build();
        CommandLine secret = CommandBuilder.running("secret", "Nothing", (flags, words) -> {})
                .build();
        secret.getCommandSpec().usageMessage().hidden(true);
        root.addSubcommand("secret", secret);
        Map<String, String> pages = pages(root);
        assertEquals(Set.of("root.1"), pages.keySet());
        assertFalse(pages.get("root.1").contains("secret"), pages.get("root.1"));
        assertEquals(
                List.of("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS"),
                sections(pages.get("root.1")));
    }

    @Test
    void aPageTellsWhatTheHelpTells() {
        String page = PAGES.get("kjadm-token-create.1");
        assertTrue(page.startsWith(".TH \"KJADM\\-TOKEN\\-CREATE\" 1 2026-11-20 \""), page);
        assertEquals(
                List.of(
                        "NAME",
                        "SYNOPSIS",
                        "DESCRIPTION",
                        "ARGUMENTS",
                        "OPTIONS",
                        "EXIT STATUS",
                        "EXAMPLES",
                        "SEE ALSO"),
                sections(page));
        assertHasLine(".B \"\\-\\-print\\-join\\-command\"", page);
        assertHasLine(".B \"\\-\\-ttl=duration\"", page);
        assertHasLine(".BR \"kjadm\\-token\" \"(1)\"", page);
        assertTrue(page.indexOf("\\-\\-ttl") < page.indexOf("\\-\\-help"), "in the help's order");
    }

    private static List<String> sections(String page) {
        return page.lines()
                .filter(line -> line.startsWith(".SH "))
                .map(line -> line.substring(".SH ".length()).replace("\"", ""))
                .toList();
    }

    @Test
    void aFootersTableIsAList() {
        String page = PAGES.get("kjadm-init.1");
        assertTrue(page.contains("""
                .SH "NOTES"
                Phases:
                .TP
                .B "preflight"
                Run pre\\-flight checks
                """), page);
        assertHasLine(".B \"certs/ca\"", page);
    }

    @Test
    void aFootersCommandsAreText() {
        String page = PAGES.get("kjadm-completion.1");
        assertHasLine("In every zsh:  kjadm completion zsh > \\(dq${fpath[1]}/_kjadm\\(dq", page);
    }

    @Test
    void noFormatSpecifierIsLeft() {
        PAGES.forEach((name, page) -> assertFalse(
                page.contains("%n") || page.contains("%%") || page.contains("$$"), name));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '!', textBlock = """
            .TH in front    | \\&.TH in front
            'br in front    | \\(aqbr in front
            a \\n in it     | a \\en in it
            --dry-run       | \\-\\-dry\\-run
            say "no"        | say \\(dqno\\(dq
            ~/.kube `id` ^C | \\(ti/.kube \\(gaid\\(ga \\(haC
            §4              | \\[u00A7]4
            """)
    void whatLooksLikeARequestIsText(String text, String expected) {
        assertEquals(expected + "\n", new Roff().text(text).toString());
        assertTrue(new Roff()
                .macro("B", text)
                .toString()
                .endsWith("\"" + expected.replace("\\&", "") + "\"\n"));
    }

    /** groff says with -ww all that it knows; mandoc's lint knows more. */
    @ParameterizedTest
    @ValueSource(strings = {"groff -man -Tutf8 -ww -z", "mandoc -Tlint -Wwarning"})
    void formattersHaveNoComplaints(String formatter) throws Exception {
        String[] words = formatter.split(" ");
        assumeTrue(
                Stream.of("/usr/bin", "/bin", "/usr/local/bin")
                        .anyMatch(bin -> Files.isExecutable(Path.of(bin, words[0]))),
                "no " + words[0]);
        for (Map.Entry<String, String> page : PAGES.entrySet()) {
            assertEquals("", complaints(words, page.getValue()), page.getKey());
        }
    }

    @Test
    void theBuildWritesFiles() throws IOException {
        ManPages.main(new String[] {folder.resolve("man1").toString()});
        try (Stream<Path> files = Files.list(folder.resolve("man1"))) {
            assertEquals(
                    PAGES.keySet(),
                    files.map(file -> file.getFileName().toString()).collect(Collectors.toSet()));
        }
    }

    private String complaints(String[] formatter, String page) throws Exception {
        Path said = folder.resolve("said");
        Process process = new ProcessBuilder(formatter)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try (OutputStream in = process.getOutputStream()) {
            in.write(page.getBytes(StandardCharsets.UTF_8));
        }
        process.waitFor();
        return Files.readString(said);
    }

    private static CommandLine tree() {
        return new CommandTree(Console.ofProcess()).forArguments("--help");
    }

    private static Map<String, String> pages(CommandLine root) {
        return new ManPages(new ProgramVersion(
                        "1.0.0", "v1.36.2", "2026-11-20T00:00:00Z", "0".repeat(40), "archive"))
                .of(root);
    }

    private static void collect(CommandLine command, Set<String> pages) {
        pages.add(command.getCommandSpec().qualifiedName("-") + ".1");
        command.getSubcommands().values().stream()
                .filter(subcommand ->
                        !subcommand.getCommandSpec().usageMessage().hidden())
                .forEach(subcommand -> collect(subcommand, pages));
    }
}
