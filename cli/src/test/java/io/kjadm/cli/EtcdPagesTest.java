package io.kjadm.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.console.Console;
import io.kjadm.packaging.ManPages;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The commands below {@code kjadm etcd}, and those that the pages name: the list with which {@code
 * etcd-commands.md} begins, or that of a page which it links, has each, and no page has one that
 * does not exist.
 */
class EtcdPagesTest {

    private static final Path DOCS = Path.of("..", "docs");

    private static final String PAGE = "etcd-commands.md";

    /** Those whose subject is a part of the commands. */
    private static final List<String> LINKED = List.of(
            "automatic-mode.md",
            "backup-and-restore.md",
            "certificates.md",
            "disaster-recovery.md",
            "standalone-etcd.md");

    /** Up to the end of the code or the line, or to a shell's comment. */
    private static final Pattern CALL = Pattern.compile("kjadm etcd((?: +[^\\s`#'\"]+)*)");

    private static final Pattern FIRST_BLOCK = Pattern.compile("(?ms)^```.*?^```");

    private static final Pattern WORD = Pattern.compile("[a-z][a-z-]*(?:\\|[a-z-]+)*");

    private static final CommandLine ETCD = new CommandTree(Console.ofProcess())
            .forArguments("--help")
            .getSubcommands()
            .get("etcd");

    @Test
    void everyCommandIsInTheListOfThePageOrOfOneThatItLinks() throws IOException {
        String page = Files.readString(DOCS.resolve(PAGE));
        Set<String> named = new TreeSet<>(listed(page));
        for (String linked : LINKED) {
            if (page.contains("](" + linked)) {
                named.addAll(listed(Files.readString(DOCS.resolve(linked))));
            }
        }
        List<String> missing = new ArrayList<>();
        leaves(ETCD)
                .map(leaf -> leaf.getCommandSpec().qualifiedName())
                .filter(name -> !name.contains(" phase ") && !named.contains(name))
                .forEach(missing::add);
        assertEquals(List.of(), missing, "commands that " + PAGE + " does not list");
        assertTrue(named.size() > 25, named.toString());
    }

    @Test
    void everyCommandThatAPageNamesExists() throws IOException {
        List<String> unknown = new ArrayList<>();
        try (Stream<Path> files = Files.list(DOCS)) {
            for (Path page : files.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList()) {
                walk(
                        Files.readString(page),
                        _ -> {},
                        call -> unknown.add(page.getFileName() + ": " + call));
            }
        }
        assertEquals(List.of(), unknown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "run `kjadm etcd member expel m3` there",
                "kjadm etcd downgrade validate|allow 3.5   # one minor",
                "kjadm etcd  defragment"
            })
    void aCommandThatDoesNotExistIsFound(String text) {
        List<String> unknown = new ArrayList<>();
        walk(text, _ -> {}, unknown::add);
        assertEquals(1, unknown.size(), unknown.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "`kjadm etcd …` has none",
                "kjadm etcd member list          # the table of status",
                "kjadm etcd auto /mnt/etcd-store nodes=3",
                "kjadm etcd --help",
                "`kjadm etcd member`"
            })
    void argumentsFlagsAndCommentsAreNoCommands(String text) {
        walk(text, _ -> {}, call -> assertEquals("", call));
    }

    /** What the first block of code names: a page begins with its commands. */
    private static Set<String> listed(String page) {
        Set<String> named = new TreeSet<>();
        String block =
                FIRST_BLOCK.matcher(page).results().findFirst().orElseThrow().group();
        walk(block, command -> named.add(command.getCommandSpec().qualifiedName()), _ -> {});
        return named;
    }

    private static void walk(String page, Consumer<CommandLine> named, Consumer<String> unknown) {
        for (MatchResult call : CALL.matcher(page).results().toList()) {
            List<String> words = List.of(call.group(1).strip().split(" +"));
            walk(ETCD, words, named, () -> unknown.accept(call.group()));
        }
    }

    /** Of {@code a|b} both are named. A word that is no flag and no argument has to be a command. */
    private static void walk(
            CommandLine group, List<String> words, Consumer<CommandLine> named, Runnable unknown) {
        if (words.isEmpty()
                || group.getSubcommands().isEmpty()
                || !WORD.matcher(words.getFirst()).matches()) {
            named.accept(group);
            return;
        }
        for (String word : words.getFirst().split("\\|")) {
            CommandLine command = group.getSubcommands().get(word);
            if (command == null) {
                unknown.run();
            } else {
                walk(command, words.subList(1, words.size()), named, unknown);
            }
        }
    }

    private static Stream<CommandLine> leaves(CommandLine command) {
        List<CommandLine> below = ManPages.subcommands(command);
        return below.isEmpty() ? Stream.of(command) : below.stream().flatMap(EtcdPagesTest::leaves);
    }
}
