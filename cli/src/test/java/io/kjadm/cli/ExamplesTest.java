package io.kjadm.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.command.Examples;
import io.kjadm.cli.command.OutputFlags;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ProgramName;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.value.GoDuration;
import io.kjadm.packaging.ManPages;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Every command shows how it is used, and what it shows is understood. */
class ExamplesTest {

    /** Words of a shell, quoted or not, and what redirects. */
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

    private static final int MOST = 3;

    /** With every phase; it is built once, as that takes most of the time. */
    private static final CommandLine TREE =
            new CommandTree(Console.ofProcess()).forArguments("--help");

    static Stream<CommandSpec> leaves() {
        return leaves(TREE);
    }

    private static Stream<CommandSpec> leaves(CommandLine command) {
        List<CommandLine> below = ManPages.subcommands(command);
        return below.isEmpty()
                ? Stream.of(command.getCommandSpec())
                : below.stream().flatMap(ExamplesTest::leaves);
    }

    static Stream<String> lines() {
        return leaves().flatMap(
                        leaf -> Examples.of(leaf).list().stream().map(shown -> shown.line(leaf)));
    }

    @Test
    void everyCommandHasOneToThree() {
        assertTrue(leaves().count() > 100, "the commands were found");
        assertEquals(
                List.of(),
                leaves().filter(leaf -> Examples.of(leaf).list().isEmpty()
                                || Examples.of(leaf).list().size() > MOST)
                        .map(CommandSpec::qualifiedName)
                        .toList());
    }

    /** Phases are in the help of their command; kubeadm's own commands in kubeadm's pages. */
    @Test
    void everyCommandOfEtcdIsOnAPage() throws IOException {
        String pages;
        try (Stream<Path> files = Files.list(Path.of("..", "docs"))) {
            pages = files.filter(page -> page.toString().endsWith(".md"))
                    .map(ExamplesTest::text)
                    .collect(Collectors.joining());
        }
        List<String> names = leaves().map(CommandSpec::qualifiedName)
                .filter(name -> name.startsWith("kjadm etcd ") && !name.contains(" phase "))
                .toList();
        assertTrue(names.size() > 25, names.toString());
        assertEquals(
                List.of(),
                names.stream()
                        .filter(name -> !pages.contains(name.substring("kjadm ".length())))
                        .toList());
    }

    private static String text(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("lines")
    void itIsUnderstood(String line) {
        List<String> words = shellWords(line);
        assertEquals("kjadm", words.removeFirst());
        String[] arguments = ArgumentOrder.of(words.toArray(String[]::new));
        CommandLine.ParseResult parsed = TREE.parseArgs(arguments);
        while (parsed.hasSubcommand()) {
            parsed = parsed.subcommand();
        }
        String name = parsed.commandSpec().qualifiedName();
        assertTrue(line.equals(name) || line.startsWith(name + " "), name + " is called");
        parsed.matchedOptions().forEach(ExamplesTest::requireValues);
    }

    private static void requireValues(OptionSpec option) {
        assertFalse(option.hidden(), option.longestName());
        Flag flag = Flag.named(option.longestName().substring(2)).orElseThrow();
        for (String value : option.stringValues()) {
            CommandFlags given = CommandFlags.none().with(flag, value);
            switch (flag.kind()) {
                case NUMBER -> assertTrue(given.number(flag).isPresent(), flag.toString());
                case DURATION -> assertTrue(GoDuration.parse(value).isPresent(), flag.toString());
                case SWITCH -> assertTrue(given.isOn(flag), flag.toString());
                case LIST -> assertFalse(given.list(flag).isEmpty(), flag.toString());
                case TEXT -> assertFalse(value.isBlank(), flag.toString());
            }
            if (flag == Flag.OUTPUT && !name(option).startsWith("kjadm version")) {
                assertTrue(OutputFlags.writer(given).isPresent(), value);
            }
        }
    }

    private static String name(OptionSpec option) {
        return option.command().qualifiedName();
    }

    /** Up to what a shell takes for itself. */
    private static List<String> shellWords(String line) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(line);
        while (word.find()) {
            String text = Stream.of(1, 2, 3)
                    .map(word::group)
                    .filter(found -> found != null)
                    .findFirst()
                    .orElseThrow();
            if (List.of(">", "|").contains(text)) {
                break;
            }
            words.add(text);
        }
        return words;
    }

    @ParameterizedTest
    @CsvSource({"55", "80", "120"})
    void aLineThatIsBrokenIsStillOneCommand(int width) {
        CommandSpec join = TREE.getSubcommands().get("join").getCommandSpec();
        join.usageMessage().width(width);
        String text = Examples.of(join).render(new CommandLine.Help(join));
        List<String> shown = text.replace("\\\n", " ")
                .lines()
                .map(line -> line.strip().replaceAll(" +", " "))
                .filter(line -> line.startsWith("kjadm"))
                .toList();
        assertEquals(
                Examples.of(join).list().stream()
                        .map(example -> example.line(join))
                        .toList(),
                shown);
    }

    @ParameterizedTest
    @CsvSource({
        "init, kubeadm init --config config.yaml",
        "etcd status, kjadm etcd status --watch",
        "upgrade node, kubeadm upgrade node --dry-run"
    })
    void theyAreCalledAsOtherCommandsThatAreShown(String command, String line) {
        String help = TestConsole.runAs(ProgramName.KUBEADM, (command + " --help").split(" "))
                .out();
        assertTrue(help.lines().map(String::strip).anyMatch(line::equals), help);
    }

    @Test
    void theHelpShowsThemBeforeTheOptions() {
        String help = TestConsole.run("token", "create", "--help").out();
        assertEquals("""
                Examples:
                  # Create a token and print the command that joins a worker node
                  kjadm token create --print-join-command

                  # Create a token that is valid for two hours
                  kjadm token create --ttl 2h

                """, help.substring(help.indexOf("Examples:"), help.indexOf("Arguments:")));
        assertTrue(help.indexOf("Examples:") < help.indexOf("Options:"), help);
    }
}
