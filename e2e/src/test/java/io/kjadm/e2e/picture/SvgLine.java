package io.kjadm.e2e.picture;

import io.kjadm.e2e.picture.Screen.Line;
import io.kjadm.e2e.picture.Screen.Run;
import io.kjadm.e2e.picture.Style.Effect;

import java.util.Locale;
import java.util.regex.Pattern;

/** One row of the terminal in SVG: the colours behind the letters, then the letters. */
final class SvgLine {

    /** Of a row and of a character, in the units of the picture. */
    static final int HEIGHT = 20;

    static final double CELL = 8.4;
    private static final int BASELINE = 15;

    /** Words with one space between them; what has to line up starts anew, at its own column. */
    private static final Pattern WORDS = Pattern.compile("\\S+(?: \\S+)*");

    private SvgLine() {}

    /** @param row counted from the top of the sheet */
    static String of(Line line, int row) {
        var svg = new StringBuilder();
        int top = row * HEIGHT;
        for (Run run : line.runs()) {
            if (!run.style().paper().equals(Palette.PAPER)) {
                svg.append("<rect x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\" fill=\"%s\"/>\n"
                        .formatted(
                                decimal(run.column() * CELL),
                                top,
                                decimal(length(run.text()) * CELL),
                                HEIGHT,
                                run.style().paper()));
            }
            var words = WORDS.matcher(run.text());
            while (words.find()) {
                int column = run.column() + length(run.text().substring(0, words.start()));
                svg.append("<text x=\"%s\" y=\"%d\"%s%s>%s</text>\n"
                        .formatted(
                                decimal(column * CELL),
                                top + BASELINE,
                                fitted(words.group()),
                                look(run.style()),
                                escaped(words.group())));
            }
        }
        return svg.toString();
    }

    /** Makes a text as wide as its cells in every font. */
    private static String fitted(String text) {
        return " textLength=\"%s\" lengthAdjust=\"spacingAndGlyphs\""
                .formatted(decimal(length(text) * CELL));
    }

    private static String look(Style style) {
        var look = new StringBuilder();
        if (!style.ink().equals(Palette.TEXT)) {
            look.append(" fill=\"%s\"".formatted(style.ink()));
        }
        style.effects().stream().sorted().map(SvgLine::look).forEach(look::append);
        return look.toString();
    }

    private static String look(Effect effect) {
        return switch (effect) {
            case BOLD -> " font-weight=\"bold\"";
            case DIM -> " fill-opacity=\".6\"";
            case ITALIC -> " font-style=\"italic\"";
            case UNDERLINE -> " text-decoration=\"underline\"";
            case INVERSE -> "";
        };
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    static String decimal(double number) {
        String text = String.format(Locale.ROOT, "%.3f", number);
        return text.replaceAll("\\.?0+$", "");
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
