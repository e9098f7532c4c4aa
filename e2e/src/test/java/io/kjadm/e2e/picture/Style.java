package io.kjadm.e2e.picture;

import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** How a character looks; the colours are of the {@link Palette}. */
record Style(String foreground, String background, Set<Effect> effects) {

    enum Effect {
        BOLD,
        DIM,
        ITALIC,
        UNDERLINE,
        INVERSE
    }

    static final Style PLAIN = new Style(Palette.TEXT, Palette.PAPER, Set.of());

    Style {
        effects = Set.copyOf(effects);
    }

    /** The style after "select graphic rendition" (ECMA-48 §8.3.117) with these codes. */
    Style after(List<Integer> codes) {
        var style = this;
        for (var rest = codes.iterator(); rest.hasNext(); ) {
            style = style.after(rest.next(), rest);
        }
        return style;
    }

    private Style after(int code, Iterator<Integer> rest) {
        return switch (code) {
            case 0 -> PLAIN;
            case 1 -> with(Effect.BOLD);
            case 2 -> with(Effect.DIM);
            case 3 -> with(Effect.ITALIC);
            case 4 -> with(Effect.UNDERLINE);
            case 7 -> with(Effect.INVERSE);
            case 22 -> without(Effect.BOLD).without(Effect.DIM);
            case 23 -> without(Effect.ITALIC);
            case 24 -> without(Effect.UNDERLINE);
            case 27 -> without(Effect.INVERSE);
            case 30, 31, 32, 33, 34, 35, 36, 37 -> inColour(Palette.indexed(code - 30));
            case 38 -> Palette.chosenBy(rest).map(this::inColour).orElse(this);
            case 39 -> inColour(Palette.TEXT);
            case 40, 41, 42, 43, 44, 45, 46, 47 -> onColour(Palette.indexed(code - 40));
            case 48 -> Palette.chosenBy(rest).map(this::onColour).orElse(this);
            case 49 -> onColour(Palette.PAPER);
            case 90, 91, 92, 93, 94, 95, 96, 97 -> inColour(Palette.indexed(code - 90 + 8));
            case 100, 101, 102, 103, 104, 105, 106, 107 ->
                onColour(Palette.indexed(code - 100 + 8));
            default -> this;
        };
    }

    private Style inColour(String colour) {
        return new Style(colour, background, effects);
    }

    private Style onColour(String colour) {
        return new Style(foreground, colour, effects);
    }

    private Style with(Effect effect) {
        var more = EnumSet.of(effect);
        more.addAll(effects);
        return new Style(foreground, background, more);
    }

    private Style without(Effect effect) {
        var fewer = EnumSet.noneOf(Effect.class);
        fewer.addAll(effects);
        fewer.remove(effect);
        return new Style(foreground, background, fewer);
    }

    boolean has(Effect effect) {
        return effects.contains(effect);
    }

    /** The colour of the letters. */
    String ink() {
        return has(Effect.INVERSE) ? background : foreground;
    }

    /** The colour behind the letters. */
    String paper() {
        return has(Effect.INVERSE) ? foreground : background;
    }
}
