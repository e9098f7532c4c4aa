package io.kjadm.cli.command;

import io.kjadm.cli.console.ProgramName;

import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

import java.util.ArrayList;
import java.util.List;

/**
 * Command lines that show how a command is used. The help prints them below the description, as
 * kubectl's does, and the man page has a section for them.
 */
public record Examples(List<Example> list) implements IHelpSectionRenderer {

    /** The section of the help. */
    static final String SECTION = "examples";

    private static final String INDENT = "  ";
    private static final String CONTINUED = " \\";

    /**
     * One command line.
     *
     * @param purpose what it does, without a full stop
     * @param words   what is typed after the name of the command; the name comes from the tree
     */
    public record Example(String purpose, String words) {

        public Example {
            words = words.strip();
        }

        /** The whole command line, as this program is called by its own name. */
        public String line(CommandSpec command) {
            String name = command.qualifiedName();
            int root = command.root().name().length();
            return (ProgramName.KJADM + name.substring(root) + " " + words).strip();
        }
    }

    public Examples {
        list = List.copyOf(list);
    }

    /** Those of a command, none if it has no examples. */
    public static Examples of(CommandSpec command) {
        return command.usageMessage().sectionMap().get(SECTION) instanceof Examples examples
                ? examples
                : new Examples(List.of());
    }

    /** Shows one more example in the help of a command. */
    static void add(CommandSpec command, Example example) {
        UsageMessageSpec usage = command.usageMessage();
        List<Example> all = new ArrayList<>(of(command).list());
        if (all.isEmpty()) {
            List<String> sections = new ArrayList<>(usage.sectionKeys());
            sections.add(sections.indexOf(UsageMessageSpec.SECTION_KEY_DESCRIPTION) + 1, SECTION);
            usage.sectionKeys(sections);
        }
        all.add(example);
        usage.sectionMap().put(SECTION, new Examples(all));
    }

    @Override
    public String render(Help help) {
        CommandSpec command = help.commandSpec();
        int width = command.usageMessage().width();
        StringBuilder text = new StringBuilder("\nExamples:\n");
        String separator = "";
        for (Example example : list) {
            text.append(separator);
            broken(example.purpose(), width - INDENT.length() - 2)
                    .forEach(line -> text.append(INDENT + "# ").append(line).append('\n'));
            text.append(copyable(example.line(command), width));
            separator = "\n";
        }
        return text.toString();
    }

    /** A shell reads the lines as one command. */
    private static String copyable(String line, int width) {
        List<String> lines = broken(line, width - 2 * INDENT.length() - CONTINUED.length());
        return INDENT + String.join(CONTINUED + "\n" + INDENT.repeat(2), lines) + "\n";
    }

    /** Lines of at most so many characters where the words allow it. */
    static List<String> broken(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
