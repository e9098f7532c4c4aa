package io.kjadm.cli.command;

import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The subcommands of a command under several headings, as the help and the man page list them.
 *
 * @param names of subcommands by their heading, in the order of the help
 */
public record CommandSections(Map<String, List<String>> names) implements IHelpSectionRenderer {

    private static final String ONE_HEADING = "Commands";
    private static final int INDENT = 2;
    private static final int GAP = 2;

    /** The headings of a command; one for all of its subcommands if it has no others. */
    public static CommandSections of(CommandSpec command) {
        return command.usageMessage().sectionMap().get(UsageMessageSpec.SECTION_KEY_COMMAND_LIST)
                        instanceof CommandSections sections
                ? sections
                : new CommandSections(
                        Map.of(ONE_HEADING, List.copyOf(command.subcommands().keySet())));
    }

    /** Lists subcommands of a command under one more heading. */
    static void add(CommandSpec command, String heading, List<String> names) {
        UsageMessageSpec usage = command.usageMessage();
        Map<String, List<String>> all = new LinkedHashMap<>(
                usage.sectionMap().get(UsageMessageSpec.SECTION_KEY_COMMAND_LIST)
                                instanceof CommandSections sections
                        ? sections.names()
                        : Map.of());
        all.put(heading, List.copyOf(names));
        usage.commandListHeading("")
                .sectionMap()
                .put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, new CommandSections(all));
    }

    @Override
    public String render(Help help) {
        int column = names.values().stream()
                        .flatMap(List::stream)
                        .mapToInt(String::length)
                        .max()
                        .orElse(0)
                + INDENT
                + GAP;
        return names.entrySet().stream()
                .map(section ->
                        "\n" + section.getKey() + ":\n" + table(section.getValue(), help, column))
                .collect(Collectors.joining());
    }

    private static String table(List<String> names, Help help, int column) {
        int width = help.commandSpec().usageMessage().width();
        Help.TextTable table = Help.TextTable.forColumns(
                help.colorScheme(),
                new Help.Column(column, INDENT, Help.Column.Overflow.SPAN),
                new Help.Column(width - column, 0, Help.Column.Overflow.WRAP));
        Map<String, CommandLine> commands = help.commandSpec().subcommands();
        for (String name : names) {
            CommandSpec command = commands.get(name).getCommandSpec();
            table.addRowValues(
                    help.colorScheme().commandText(name),
                    help.colorScheme()
                            .text(String.join(" ", command.usageMessage().description())));
        }
        return table.toString();
    }
}
