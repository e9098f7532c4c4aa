package io.kjadm.packaging;

import io.kjadm.cli.CommandTree;
import io.kjadm.cli.command.CommandSections;
import io.kjadm.cli.command.Examples;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ProgramVersion;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the build runs to write the manual: one page for each command that the help shows, out of
 * the same tree. Nothing here is used on a node.
 *
 * <p>picocli's own generator writes AsciiDoc, for which the build machine would need a converter.
 */
public final class ManPages {

    /** A footer's table: a name, and what it is. Children are {@code /name} below their parent. */
    private static final Pattern ROW =
            Pattern.compile(" {2,}(\\S+) {2,}(\\S.*)| {2}(\\S+) (\\S.*)");
    /** No page breaks a line where the help of a terminal would. */
    private static final int UNWRAPPED = 100_000;

    private final ProgramVersion version;

    ManPages(ProgramVersion version) {
        this.version = version;
    }

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        Map<String, String> pages = new ManPages(ProgramVersion.current())
                .of(new CommandTree(Console.ofProcess()).forArguments("--help"));
        for (Map.Entry<String, String> page : pages.entrySet()) {
            Files.writeString(folder.resolve(page.getKey()), page.getValue());
        }
    }

    /** The pages by their file names, such as {@code kjadm-token-create.1}. */
    Map<String, String> of(CommandLine root) {
        Map<String, String> pages = new LinkedHashMap<>();
        add(root, pages);
        return pages;
    }

    private void add(CommandLine command, Map<String, String> pages) {
        command.getCommandSpec().usageMessage().autoWidth(false).width(UNWRAPPED);
        pages.put(name(command) + ".1", page(command));
        subcommands(command).forEach(subcommand -> add(subcommand, pages));
    }

    private String page(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        CommandLine.Help help = new CommandLine.Help(
                spec, CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        String description = help.description().strip();
        Roff page = new Roff()
                .title(
                        name(command).toUpperCase(Locale.ROOT),
                        version.built().substring(0, 10),
                        "kjadm " + version.version(),
                        "kjadm manual")
                .heading("NAME")
                .text(name(command) + " - " + summary(description))
                .heading("SYNOPSIS")
                .text(help.synopsis(0).strip())
                .heading("DESCRIPTION")
                .text(description);
        if (spec.aliases().length > 0) {
            page.paragraph("Also called: " + String.join(", ", spec.aliases()));
        }
        addArguments(page, spec);
        addOptions(page, spec);
        addCommands(page, command);
        addFooter(
                page,
                spec.usageMessage()
                        .sectionMap()
                        .get(UsageMessageSpec.SECTION_KEY_FOOTER)
                        .render(help));
        page.heading("EXIT STATUS").text("0, or 1 if anything failed.");
        addExamples(page, spec);
        addRelatives(page, command);
        return page.toString();
    }

    private static void addArguments(Roff page, CommandSpec spec) {
        List<PositionalParamSpec> visible = spec.positionalParameters().stream()
                .filter(argument -> !argument.hidden())
                .toList();
        if (!visible.isEmpty()) {
            page.heading("ARGUMENTS");
        }
        for (PositionalParamSpec argument : visible) {
            page.term(argument.paramLabel(), rendered(argument.description()));
        }
    }

    private static void addOptions(Roff page, CommandSpec spec) {
        page.heading("OPTIONS");
        // as the help has them: those of every command come last
        spec.options().stream()
                .filter(option -> !option.hidden())
                .sorted(Comparator.comparingInt(OptionSpec::order))
                .forEach(option -> page.term(
                        String.join(", ", option.names())
                                + (option.arity().max() > 0 ? "=" + option.paramLabel() : ""),
                        rendered(option.description())));
    }

    private static void addCommands(Roff page, CommandLine command) {
        List<CommandLine> visible = subcommands(command);
        if (visible.isEmpty()) {
            return;
        }
        page.heading("COMMANDS");
        Map<String, List<String>> sections =
                CommandSections.of(command.getCommandSpec()).names();
        sections.forEach((heading, names) -> {
            if (sections.size() > 1) {
                page.macro("SS", heading);
            }
            visible.stream()
                    .filter(subcommand -> names.contains(subcommand.getCommandName()))
                    .forEach(subcommand -> page.term(
                            subcommand.getCommandName(),
                            rendered(subcommand.getCommandSpec().usageMessage().description())));
        });
    }

    private static void addExamples(Roff page, CommandSpec spec) {
        List<Examples.Example> examples = Examples.of(spec).list();
        if (!examples.isEmpty()) {
            page.heading("EXAMPLES");
        }
        for (Examples.Example example : examples) {
            page.paragraph(example.purpose() + ":").verbatim(example.line(spec));
        }
    }

    private static void addFooter(Roff page, String footer) {
        List<String> lines = footer.lines().filter(line -> !line.isBlank()).toList();
        if (!lines.isEmpty()) {
            page.heading("NOTES");
        }
        String parent = "";
        for (String line : lines) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                boolean aligned = row.group(1) != null;
                String name = row.group(aligned ? 1 : 3);
                parent = name.startsWith("/") ? parent : name;
                page.term(name.startsWith("/") ? parent + name : name, row.group(aligned ? 2 : 4));
            } else {
                page.paragraph(line.strip());
            }
        }
    }

    private static void addRelatives(Roff page, CommandLine command) {
        List<CommandLine> relatives = new ArrayList<>(subcommands(command));
        if (command.getParent() != null) {
            relatives.addFirst(command.getParent());
        }
        if (relatives.isEmpty()) {
            return;
        }
        page.heading("SEE ALSO");
        for (CommandLine relative : relatives) {
            page.macro("BR", name(relative), relative == relatives.getLast() ? "(1)" : "(1),");
        }
    }

    /** Those that the help shows, each once: by an alias, picocli lists it again. */
    public static List<CommandLine> subcommands(CommandLine command) {
        return command.getSubcommands().values().stream()
                .distinct()
                .filter(subcommand ->
                        !subcommand.getCommandSpec().usageMessage().hidden())
                .toList();
    }

    private static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName("-");
    }

    /** Of a description its first sentence, since it has to fit into a list of pages. */
    private static String summary(String description) {
        return description.lines().findFirst().orElse("").replaceFirst("\\.( .*)?$", "");
    }

    /** What is written with format specifiers, {@code %n} and {@code %%}. */
    private static String rendered(String... description) {
        return CommandLine.Help.join(
                        CommandLine.Help.Ansi.OFF,
                        UNWRAPPED,
                        false,
                        description,
                        new StringBuilder())
                .toString()
                .strip();
    }
}
