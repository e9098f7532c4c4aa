package io.kjadm.etcd.compare;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The longest gaps as horizontal bars, as SVG: two for each fault, on a logarithmic scale. A gap
 * that lasts to the end fills its line. Colours follow the reader's preference for light or dark.
 */
final class BarPlot {

    private static final int WIDTH = 960;
    private static final int LEFT = 440;
    private static final int RIGHT = 930;
    private static final int TOP = 74;
    private static final int LINE = 34;
    private static final int BAR = 12;
    /** Powers of ten of a millisecond at the two ends of the scale. */
    private static final int FIRST_POWER = 0;

    private static final int LAST_POWER = 5;

    private static final String STYLE = """
            <style>
            svg { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 13px }
            .paper { fill: #ffffff } .text { fill: #24292f } .faint { fill: #57606a } .grid { stroke: #d0d7de }
            .learner { fill: #1a7f64 } .voter { fill: #c2571a } .inside { fill: #ffffff } .title { font-weight: 600 }
            @media (prefers-color-scheme: dark) {
            .paper { fill: #0d1117 } .text { fill: #e6edf3 } .faint { fill: #9198a1 } .grid { stroke: #3d444d }
            .learner { fill: #2ea583 } .voter { fill: #e0793f } .inside { fill: #0d1117 }
            }
            </style>
            """;

    private BarPlot() {}

    static String of(List<Outcome> outcomes) {
        List<ComparisonText.Pair> pairs = ComparisonText.pairs(outcomes);
        int bottom = TOP + pairs.size() * LINE;
        var svg = new StringBuilder("""
                <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" role="img">
                <title>Longest time without an acknowledged write, by fault and adder</title>
                """.formatted(WIDTH, bottom + 40)).append(STYLE);
        svg.append("<rect class=\"paper\" width=\"%d\" height=\"%d\" rx=\"6\"/>%n"
                .formatted(WIDTH, bottom + 40));
        svg.append(
                text("text title", 16, 26, "start", "Longest time without an acknowledged write"));
        legend(svg);
        scale(svg, bottom);
        for (int i = 0; i < pairs.size(); i++) {
            line(svg, TOP + i * LINE, pairs.get(i), outcomes);
        }
        return svg.append("</svg>\n").toString();
    }

    private static void legend(StringBuilder svg) {
        int x = LEFT;
        for (Adder adder : Adder.values()) {
            svg.append(bar(adder, x, 16, BAR));
            svg.append(text("text", x + 18, 26, "start", adder.title()));
            x += 110;
        }
    }

    private static void scale(StringBuilder svg, int bottom) {
        for (int power = FIRST_POWER; power <= LAST_POWER; power++) {
            int x = (int) Math.round(position(Math.pow(10, power)));
            svg.append("<line class=\"grid\" x1=\"%1$d\" y1=\"%2$d\" x2=\"%1$d\" y2=\"%3$d\"/>%n"
                    .formatted(x, TOP - 6, bottom));
            String label = power < 3
                    ? "%d ms".formatted((int) Math.pow(10, power))
                    : "%d s".formatted((int) Math.pow(10, power - 3));
            svg.append(text("faint", x, TOP - 12, "middle", label));
            svg.append(text("faint", x, bottom + 18, "middle", label));
        }
    }

    private static void line(
            StringBuilder svg, int top, ComparisonText.Pair pair, List<Outcome> outcomes) {
        svg.append(text(
                "text",
                LEFT - 14,
                top + BAR + 5,
                "end",
                pair.fault().title() + ", " + ComparisonText.growth(pair.voters())));
        for (Adder adder : Adder.values()) {
            int y = top + 2 + adder.ordinal() * (BAR + 1);
            Optional<Outcome> outcome = outcomes.stream()
                    .filter(pair::covers)
                    .filter(one -> one.adder() == adder)
                    .findFirst();
            outcome.ifPresent(one -> gap(svg, y, one));
        }
    }

    private static void gap(StringBuilder svg, int y, Outcome outcome) {
        Gap gap = outcome.gap();
        double end = gap.untilEnd() ? RIGHT : position(gap.millis());
        svg.append(bar(outcome.adder(), LEFT, y, end - LEFT));
        boolean fits = end < RIGHT - 70;
        int x = (int) Math.round(end) + (fits ? 5 : -6);
        String label = text(
                fits ? "faint" : "inside", x, y + BAR - 2, fits ? "start" : "end", gap.toString());
        svg.append("<g font-size=\"10.5\">").append(label.strip()).append("</g>\n");
    }

    private static String bar(Adder adder, double x, double y, double width) {
        return String.format(
                Locale.ROOT,
                "<rect class=\"%s\" x=\"%.0f\" y=\"%.0f\" width=\"%.1f\" height=\"%d\"/>%n",
                adder.name().toLowerCase(Locale.ROOT),
                x,
                y,
                Math.max(1, width),
                BAR);
    }

    /** Where on the scale a number of milliseconds is; what is beyond an end is at the end. */
    static double position(double millis) {
        double share =
                (Math.log10(Math.max(millis, 1e-3)) - FIRST_POWER) / (LAST_POWER - FIRST_POWER);
        return LEFT + Math.clamp(share, 0, 1) * (RIGHT - LEFT);
    }

    private static String text(String style, int x, int y, String anchor, String words) {
        return "<text class=\"%s\" x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>%n"
                .formatted(style, x, y, anchor, words.replace("&", "&amp;").replace("<", "&lt;"));
    }
}
