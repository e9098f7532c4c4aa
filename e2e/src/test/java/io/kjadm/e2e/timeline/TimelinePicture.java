package io.kjadm.e2e.timeline;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * An SVG of several runs on one scale of seconds, a lane for each actor. Where spans of an actor
 * overlap, its lane has rows.
 */
final class TimelinePicture {

    private static final int WIDTH = 1200;
    private static final int LEFT = 110;
    private static final int ROW = 18;
    private static final int GAP = 6;
    private static final int HEAD = 34;
    private static final double LETTER = 6.1;
    private static final List<String> COLOURS = List.of(
            "#4c78a8", "#9ecae9", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#eeca3b");

    private final StringBuilder svg = new StringBuilder();
    private final double scale;
    private final Map<String, String> colours = new LinkedHashMap<>();
    private int y;

    private TimelinePicture(List<Timeline> runs) {
        double longest = runs.stream().mapToDouble(TimelinePicture::end).max().orElse(1);
        scale = (WIDTH - LEFT - 10) / longest;
    }

    /** {@code TimelinePicture OUT.svg FOLDER...} */
    static void main(String[] words) throws IOException {
        List<Timeline> runs = new ArrayList<>();
        for (int i = 1; i < words.length; i++) {
            runs.add(Timeline.read(Path.of(words[i])));
        }
        Files.writeString(Path.of(words[0]), of(runs));
    }

    /** The picture as text. */
    static String of(List<Timeline> runs) {
        var picture = new TimelinePicture(runs);
        runs.forEach(picture::draw);
        return """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">
                <rect width="100%%" height="100%%" fill="#fff"/>
                %s</svg>
                """.formatted(WIDTH, picture.y + GAP, picture.svg);
    }

    private static double end(Timeline run) {
        return Math.max(
                run.seconds(), run.spans().stream().mapToDouble(Span::end).max().orElse(0));
    }

    private void draw(Timeline run) {
        int top = y + HEAD;
        text(
                GAP,
                y + 22,
                "%s: %s".formatted(run.title(), seconds(run.seconds())),
                " font-size=\"14\" font-weight=\"bold\"");
        y = top;
        Map<String, List<Span>> lanes = run.spans().stream()
                .collect(Collectors.groupingBy(
                        Span::actor, LinkedHashMap::new, Collectors.toList()));
        int axis = svg.length();
        lanes.forEach(this::lane);
        svg.insert(axis, axis(top, run.seconds()));
        y += 14;
    }

    /** Lines at whole seconds, and where the run ended. */
    private String axis(int top, double ended) {
        var lines = new StringBuilder();
        int step = scale > 60 ? 1 : scale > 25 ? 2 : 5;
        for (int second = 0; LEFT + second * scale < WIDTH; second += step) {
            lines.append(
                    "<path d=\"M%1$s %2$d V%3$d\" stroke=\"#ddd\"/><text x=\"%1$s\" y=\"%4$d\" fill=\"#888\">%5$d s</text>%n"
                            .formatted(number(x(second)), top, y, y + 11, second));
        }
        return lines.append("<path d=\"M%s %d V%d\" stroke=\"#e45756\" stroke-width=\"2\"/>%n"
                        .formatted(number(x(ended)), top, y))
                .toString();
    }

    private void lane(String actor, List<Span> spans) {
        text(GAP, y + 13, actor, "");
        String colour = colours.computeIfAbsent(
                actor, name -> COLOURS.get(colours.size() % COLOURS.size()));
        List<Double> rows = new ArrayList<>();
        spans.stream()
                .sorted(Comparator.comparingDouble(Span::begin)
                        .thenComparing(Comparator.comparingDouble(Span::seconds).reversed()))
                .forEach(span -> box(span, row(rows, span), colour));
        y += rows.size() * ROW + GAP;
    }

    /** The first row that is free when the span begins; a moment is as wide as its word. */
    private int row(List<Double> rows, Span span) {
        double end = span.moment()
                ? span.begin() + (span.text().length() + 1) * LETTER / scale
                : span.end();
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i) <= span.begin()) {
                rows.set(i, end);
                return i;
            }
        }
        rows.add(end);
        return rows.size() - 1;
    }

    private void box(Span span, int row, String colour) {
        int top = y + row * ROW;
        double x = x(span.begin());
        double width = Math.max(2, span.seconds() * scale);
        svg.append(
                "<g><title>%s</title><rect x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\" rx=\"2\" fill=\"%s\"/>%n"
                        .formatted(
                                escaped("%s %s, %s: %s"
                                        .formatted(
                                                span.actor(),
                                                seconds(span.begin()),
                                                span.moment()
                                                        ? "a moment"
                                                        : "for " + seconds(span.seconds()),
                                                span.text())),
                                number(x),
                                top,
                                number(width),
                                ROW - 4,
                                colour));
        int letters = (int) ((span.moment() ? WIDTH - x : width) / LETTER);
        if (letters >= 3) {
            String shown = span.text().length() <= letters
                    ? span.text()
                    : span.text().substring(0, letters - 1) + "…";
            text(x + 3, top + 11, shown, "");
        }
        svg.append("</g>\n");
    }

    private double x(double second) {
        return LEFT + second * scale;
    }

    private void text(double x, int baseline, String words, String attributes) {
        svg.append("<text x=\"%s\" y=\"%d\"%s>%s</text>%n"
                .formatted(number(x), baseline, attributes, escaped(words)));
    }

    private static String seconds(double time) {
        return String.format(Locale.ROOT, "%.1f s", time);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String escaped(String words) {
        return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
