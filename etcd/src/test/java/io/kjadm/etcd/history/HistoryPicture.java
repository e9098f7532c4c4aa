package io.kjadm.etcd.history;

import io.kjadm.etcd.history.MemberLog.MemberChange;
import io.kjadm.etcd.history.Recording.Mark;
import io.kjadm.etcd.history.Replay.MemberChanged;
import io.kjadm.etcd.history.Response.Read;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The operations of all clients around a change of the members, as SVG: a line for each client, a
 * bar from each call to its return. Colours follow the reader's preference for light or dark.
 */
final class HistoryPicture {

    private static final int WIDTH = 1040;
    private static final int LEFT = 84;
    private static final int RIGHT = WIDTH - 20;
    private static final int TOP = 78;
    private static final int LINE = 30;
    private static final int BAR = 9;
    /** The width of most labels. */
    private static final int LABEL = 60;

    private static final int KEY_NAME = HistoryClients.PREFIX.length();

    /** What is shown, half of it before the change. */
    private static final long NANOS = 330_000_000;

    private static final long GRID = 50_000_000;

    private static final String STYLE = """
            <style>
            svg { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 13px }
            .paper { fill: #ffffff } .text { fill: #24292f } .faint { fill: #57606a } .grid { stroke: #d0d7de }
            .write { fill: #c2571a } .read { fill: #1a7f64 } .alone { fill: #8c959f } .change { fill: #8250df; opacity: .25 }
            .title { font-weight: 600 } .small { font-size: 8px }
            @media (prefers-color-scheme: dark) {
            .paper { fill: #0d1117 } .text { fill: #e6edf3 } .faint { fill: #9198a1 } .grid { stroke: #3d444d }
            .write { fill: #e0793f } .read { fill: #2ea583 } .alone { fill: #656c76 } .change { fill: #ab7df8; opacity: .35 }
            }
            </style>
            """;

    private final Recording recording;
    private final Moment moment;
    private final long from;

    /** When a change took effect: after the call of one write and before the return of the next. */
    private record Moment(long from, long to, long revision) {}

    private HistoryPicture(Recording recording, Moment moment) {
        this.recording = recording;
        this.moment = moment;
        this.from = (moment.from() + moment.to()) / 2 - NANOS / 2;
    }

    /**
     * Draws it.
     *
     * @param mark the beginning of a mark's name, in which a voter comes to the members
     * @throws IllegalArgumentException if there is none
     */
    static String of(Recording recording, String mark) {
        Mark found = recording.marks().stream()
                .filter(each -> each.name().startsWith(mark))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no mark " + mark + ": "
                        + recording.marks().stream().map(Mark::name).toList()));
        Moment moment = recording.replay().memberChanges().stream()
                .filter(change -> change.change() == MemberChange.VOTER)
                .flatMap(change -> moment(recording, change).stream())
                .filter(each -> each.to() >= found.from() && each.from() <= found.to())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no voter came in " + found));
        return new HistoryPicture(recording, moment).draw(found.name());
    }

    private static Optional<Moment> moment(Recording recording, MemberChanged change) {
        Map<Long, Operation> writes = recording.history().stream()
                .filter(Operation::changed)
                .collect(Collectors.toMap(
                        write -> write.response().orElseThrow().revision(),
                        write -> write,
                        (one, other) -> one,
                        TreeMap::new));
        Operation before = writes.get(change.revision());
        Operation after = writes.get(change.revision() + 1);
        return before == null || after == null
                ? Optional.empty()
                : Optional.of(new Moment(
                        Math.min(before.called(), after.returned()),
                        Math.max(before.called(), after.returned()),
                        change.revision()));
    }

    private String draw(String name) {
        int bottom = TOP + HistoryClients.CLIENTS * LINE;
        var svg = new StringBuilder("""
                <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" role="img">
                <title>Operations of eight clients around a promotion</title>
                """.formatted(WIDTH, bottom + 46)).append(STYLE);
        svg.append("<rect class=\"paper\" width=\"%d\" height=\"%d\" rx=\"6\"/>%n"
                .formatted(WIDTH, bottom + 46));
        svg.append(text("text title", 16, 26, "start", "Eight clients while kjadm does: " + name));
        legend(svg);
        for (long at = 0; at <= NANOS; at += GRID) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<path class=\"grid\" d=\"M%1$.1f %2$dV%3$d\"/>%n",
                    x(from + at),
                    TOP - 8,
                    bottom));
            svg.append(text(
                    "faint",
                    x(from + at),
                    bottom + 18,
                    "middle",
                    at / 1_000_000 + (at == 0 ? " ms" : "")));
        }
        svg.append(String.format(
                Locale.ROOT,
                "<rect class=\"change\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>%n",
                x(moment.from()),
                TOP - 8,
                x(moment.to()) - x(moment.from()),
                bottom - TOP + 8));
        svg.append(text(
                "faint",
                x(moment.from()),
                bottom + 36,
                "middle",
                "the learner becomes a voter, after revision " + moment.revision()));
        for (int client = 0; client < HistoryClients.CLIENTS; client++) {
            svg.append(text("faint", 16, TOP + client * LINE + BAR, "start", "client " + client));
            operations(svg, client);
        }
        return svg.append("</svg>\n").toString();
    }

    private static void legend(StringBuilder svg) {
        int x = LEFT;
        for (String[] each : new String[][] {
            {"write", "write: key, value, revision"},
            {"read", "read: key, value"},
            {"alone", "serializable read, by one member alone"}
        }) {
            svg.append("<rect class=\"%s\" x=\"%d\" y=\"42\" width=\"14\" height=\"%d\"/>%n"
                    .formatted(each[0], x, BAR));
            svg.append(text("text", x + 20, 51, "start", each[1]));
            x += 230;
        }
    }

    private void operations(StringBuilder svg, int client) {
        int top = TOP + client * LINE;
        for (Operation operation : shown(client)) {
            double left = x(operation.called());
            double right = x(operation.returned());
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>%n",
                    kind(operation),
                    left,
                    top,
                    Math.max(1, right - left),
                    BAR));
            if (left < RIGHT - LABEL) {
                svg.append(text("faint small", left, top + BAR + 10, "start", label(operation)));
            }
        }
    }

    private List<Operation> shown(int client) {
        return recording.history().stream()
                .filter(operation -> operation.client() == client)
                .filter(Operation::acknowledged)
                .filter(operation ->
                        operation.called() >= from && operation.returned() <= from + NANOS)
                .filter(operation ->
                        !(operation.request() instanceof Request.PutWith put) || put.isFirst())
                .toList();
    }

    private static String kind(Operation operation) {
        if (!operation.linearizable()) {
            return "alone";
        }
        return operation.changed() ? "write" : "read";
    }

    /**
     * Such as {@code 7=v81 @64}, or {@code 7,2=v81 @64} of a transaction; a key without a value was
     * deleted, or is not there.
     */
    private static String label(Operation operation) {
        Response response = operation.response().orElseThrow();
        String key = operation.request() instanceof Request.PutWith put
                ? put.key().substring(KEY_NAME) + "," + put.other().substring(KEY_NAME)
                : operation.key().substring(KEY_NAME);
        if (response instanceof Read read) {
            return key + " is "
                    + read.found().map(found -> shortened(found.value())).orElse("none");
        }
        String value = switch (operation.request()) {
            case Request.Put put -> put.value();
            case Request.PutWith put -> shortened(put.value());
            case Request.PutIf put -> put.value();
            case Request.Delete ignored -> "none";
            case Request.Get ignored -> "";
        };
        return "%s=%s @%d".formatted(key, value, response.revision());
    }

    /** Without the keys of a transaction. */
    private static String shortened(String value) {
        return value.replaceFirst("\\+.*", "");
    }

    private double x(long nanos) {
        return LEFT + (double) (nanos - from) / NANOS * (RIGHT - LEFT);
    }

    private static String text(String style, double x, int y, String anchor, String text) {
        return String.format(
                Locale.ROOT,
                "<text class=\"%s\" x=\"%.1f\" y=\"%d\"%s>%s</text>%n",
                style,
                x,
                y,
                anchor.equals("start") ? "" : " text-anchor=\"%s\"".formatted(anchor),
                text);
    }
}
