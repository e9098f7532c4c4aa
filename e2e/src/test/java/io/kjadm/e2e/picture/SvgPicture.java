package io.kjadm.e2e.picture;

import io.kjadm.e2e.picture.Film.Frame;
import io.kjadm.e2e.picture.Screen.Line;
import io.kjadm.e2e.picture.Screen.View;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A film as one SVG: a window whose rows appear and disappear by CSS animations, in a loop. Where
 * nothing is animated, or the reader prefers so, it shows the last frame. Rows lie on a sheet that
 * moves up when the terminal scrolls; each text of a row is written once, with the times at which
 * it is to be seen.
 */
final class SvgPicture {

    private static final int MARGIN = 16;
    private static final int BAR = 36;
    private static final int FONT = 14;
    private static final int FEWEST_LINES = 4;

    private static final String WINDOW = """
            <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" \
            viewBox="0 0 %1$d %2$d" role="img">
            <title>%3$s</title>
            <desc>A recording of a terminal. Pauses are cut to a second.</desc>
            <style>
            %4$s</style>
            <clipPath id="screen"><rect x="-%5$d" width="%1$d" height="%6$d"/></clipPath>
            <rect x=".5" y=".5" width="%7$d" height="%8$d" rx="9" fill="%9$s" stroke="#444c56"/>
            <g fill="#ff5f57"><circle cx="20" cy="18" r="6"/></g>
            <g fill="#febc2e"><circle cx="40" cy="18" r="6"/></g>
            <g fill="#28c840"><circle cx="60" cy="18" r="6"/></g>
            <text x="%10$d" y="23" text-anchor="middle" font-size="13" fill="#9198a1" \
            font-family="system-ui,'Segoe UI','DejaVu Sans',sans-serif">%3$s</text>
            """;

    private static final String SHEET = """
            <g clip-path="url(#screen)" transform="translate(%d %d)" font-size="%d" fill="%s" \
            font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',\
            'Liberation Mono',monospace">
            """;

    /** From the first frame to the one before the second. */
    private record Span(int from, int to) {}

    private record PlacedLine(int row, Line line) {}

    private final Film film;
    private final int columns;
    private final StringBuilder keyframes = new StringBuilder();
    private int animations;

    private SvgPicture(Film film, int columns) {
        this.film = film;
        this.columns = columns;
    }

    static String of(Film film, int columns, String title) {
        return new SvgPicture(film, columns).svg(title);
    }

    private String svg(String title) {
        String sheet = sheet();
        int width = MARGIN + (int) Math.ceil(columns * SvgLine.CELL) + MARGIN;
        int screen = height() * SvgLine.HEIGHT;
        int height = BAR + screen + MARGIN;
        return WINDOW.formatted(
                        width,
                        height,
                        SvgLine.escaped(title),
                        style(),
                        MARGIN,
                        screen,
                        width - 1,
                        height - 1,
                        Palette.PAPER,
                        width / 2)
                + SHEET.formatted(MARGIN, BAR, FONT, Palette.TEXT) + sheet + "</g>\n</svg>\n";
    }

    /** The most rows that are in use at one time. */
    private int height() {
        return film.frames().stream()
                .map(Frame::view)
                .mapToInt(view -> view.lines().size() - view.top())
                .reduce(FEWEST_LINES, Math::max);
    }

    private String style() {
        return keyframes + """
                @media (prefers-reduced-motion: no-preference) {
                .a { animation: %ss step-end infinite }
                }
                """.formatted(SvgLine.decimal(film.length().toMillis() / 1000.0));
    }

    private String sheet() {
        var sheet = new StringBuilder(scrolled());
        linesBySpans().forEach((spans, lines) -> {
            sheet.append(group(spans));
            lines.forEach(placed -> sheet.append(SvgLine.of(placed.line(), placed.row())));
            sheet.append("</g>\n");
        });
        return sheet.append("</g>\n").toString();
    }

    /** The group of all rows, moved up by as many as were scrolled away. */
    private String scrolled() {
        var steps = new StringBuilder();
        int top = -1;
        int changes = 0;
        for (Frame frame : film.frames()) {
            if (frame.view().top() != top) {
                top = frame.view().top();
                steps.append("%s{transform:translateY(%dpx)}"
                        .formatted(percent(frame), -top * SvgLine.HEIGHT));
                changes++;
            }
        }
        String move = "<g transform=\"translate(0 %d)\"".formatted(-top * SvgLine.HEIGHT);
        return move + (changes > 1 ? animated(steps) : "") + ">\n";
    }

    private Map<List<Span>, List<PlacedLine>> linesBySpans() {
        var lines = new LinkedHashMap<List<Span>, List<PlacedLine>>();
        spansByLine()
                .forEach((line, spans) ->
                        lines.computeIfAbsent(spans, _ -> new ArrayList<>()).add(line));
        return lines;
    }

    private Map<PlacedLine, List<Span>> spansByLine() {
        var spans = new LinkedHashMap<PlacedLine, List<Span>>();
        for (int frame = 0; frame < film.frames().size(); frame++) {
            View view = film.frames().get(frame).view();
            for (int row = 0; row < view.lines().size(); row++) {
                var placed = new PlacedLine(row, view.lines().get(row));
                // a row that was scrolled away stays, unseen; one that nobody ever saw is left out
                boolean drawn = row >= view.top() || spans.containsKey(placed);
                if (drawn && !placed.line().isBlank()) {
                    extend(spans.computeIfAbsent(placed, _ -> new ArrayList<>()), frame);
                }
            }
        }
        return spans;
    }

    private static void extend(List<Span> spans, int frame) {
        if (!spans.isEmpty() && spans.getLast().to() == frame) {
            spans.set(spans.size() - 1, new Span(spans.getLast().from(), frame + 1));
        } else {
            spans.add(new Span(frame, frame + 1));
        }
    }

    /** The group of what is seen in these spans; without an animation, it is what is seen last. */
    private String group(List<Span> spans) {
        boolean seenFirst = spans.getFirst().from() == 0;
        boolean seenLast = spans.getLast().to() == film.frames().size();
        if (seenFirst && seenLast && spans.size() == 1) {
            return "<g>\n";
        }
        var steps = new StringBuilder(seenFirst ? "" : "0%{visibility:hidden}");
        for (Span span : spans) {
            steps.append(percent(film.frames().get(span.from()))).append("{visibility:visible}");
            if (span.to() < film.frames().size()) {
                steps.append(percent(film.frames().get(span.to()))).append("{visibility:hidden}");
            }
        }
        return "<g" + (seenLast ? "" : " visibility=\"hidden\"") + animated(steps) + ">\n";
    }

    /** The attributes of an element that goes through these steps. */
    private String animated(CharSequence steps) {
        String name = "f" + animations++;
        keyframes.append("@keyframes %s{%s}\n".formatted(name, steps));
        return " class=\"a\" style=\"animation-name:%s\"".formatted(name);
    }

    private String percent(Frame frame) {
        return SvgLine.decimal(100.0 * frame.at().toMillis() / film.length().toMillis()) + "%";
    }
}
