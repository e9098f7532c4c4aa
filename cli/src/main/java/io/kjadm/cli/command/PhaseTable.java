package io.kjadm.cli.command;

import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Workflow;

import java.util.ArrayList;
import java.util.List;

/**
 * The phases of a workflow as the help lists them: names in one column, children as {@code /name}
 * below their parent as in kubeadm, and what they do in another.
 */
public record PhaseTable(List<Row> rows) {

    private static final String INDENT = "  ";
    private static final String GAP = "  ";
    /** A column of single words is harder to read than lines that are too long. */
    private static final int NARROWEST = 20;

    /** A name as it is shown, and a description. */
    record Row(String name, String description) {}

    public PhaseTable {
        rows = List.copyOf(rows);
    }

    static PhaseTable of(Workflow<?> workflow) {
        List<Row> rows = new ArrayList<>();
        workflow.phases().forEach(phase -> collect(phase, "", "", rows));
        return new PhaseTable(rows);
    }

    private static void collect(Phase<?> phase, String indent, String slash, List<Row> rows) {
        PhaseInfo info = phase.info();
        if (info.hidden()) {
            return;
        }
        rows.add(new Row(indent + slash + info.name(), info.description()));
        phase.children().forEach(child -> collect(child, indent + INDENT, "/", rows));
    }

    /** All lines, each ended, and as wide as that at most unless a single word is wider. */
    String text(int width) {
        int names = rows.stream().mapToInt(row -> row.name().length()).max().orElse(0);
        int room = Math.max(NARROWEST, width - INDENT.length() - names - GAP.length());
        StringBuilder text = new StringBuilder();
        for (Row row : rows) {
            String name = row.name();
            for (String line : Examples.broken(row.description(), room)) {
                text.append(INDENT)
                        .append(name)
                        .append(" ".repeat(names - name.length()))
                        .append(GAP)
                        .append(line)
                        .append('\n');
                name = "";
            }
        }
        return text.toString();
    }
}
