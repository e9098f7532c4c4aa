package io.kjadm.e2e.picture;

import io.kjadm.e2e.picture.Screen.Erase;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Understands what programs write to a terminal (ECMA-48, as far as progress lines, colours and
 * tables need it) and plays it on a {@link Screen}. Titles, private modes and whatever else it does
 * not know are passed over.
 */
final class Terminal {

    private enum State {
        TEXT,
        ESCAPE,
        CONTROL_SEQUENCE,
        STRING,
        STRING_ESCAPE
    }

    /** No private mode, and nothing that a screen has no room for. */
    private static final Pattern NUMBERS = Pattern.compile("(?:\\d{0,4}[;:])*\\d{0,4}");

    private static final char ESC = '\033';
    private static final char BEL = '\007';

    private final Screen screen;
    private State state = State.TEXT;
    private final StringBuilder parameters = new StringBuilder();

    Terminal(Screen screen) {
        this.screen = screen;
    }

    /** May end anywhere, also inside a control sequence; the next call goes on there. */
    void write(String text) {
        text.codePoints()
                .forEach(character -> state = switch (state) {
                    case TEXT -> text(character);
                    case ESCAPE -> escape(character);
                    case CONTROL_SEQUENCE -> controlSequence(character);
                    case STRING ->
                        character == BEL
                                ? State.TEXT
                                : character == ESC ? State.STRING_ESCAPE : State.STRING;
                    case STRING_ESCAPE -> character == '\\' ? State.TEXT : State.STRING;
                });
    }

    private State text(int character) {
        switch (character) {
            case ESC -> {
                return State.ESCAPE;
            }
            case '\r' -> screen.toColumn(0);
            case '\n', '\013', '\f' -> screen.feedLine();
            case '\b' -> screen.moveBy(0, -1);
            case '\t' -> screen.tab();
            default -> {
                if (!Character.isISOControl(character)) {
                    screen.put(character);
                }
            }
        }
        return State.TEXT;
    }

    private State escape(int character) {
        parameters.setLength(0);
        return switch (character) {
            case '[' -> State.CONTROL_SEQUENCE;
            case ']', 'P', 'X', '^', '_' -> State.STRING;
            // one more character follows these, such as the name of a character set
            default -> character >= ' ' && character <= '/' ? State.ESCAPE : State.TEXT;
        };
    }

    private State controlSequence(int character) {
        if (character < '@') {
            parameters.appendCodePoint(character);
            return State.CONTROL_SEQUENCE;
        }
        if (NUMBERS.matcher(parameters).matches()) {
            run(character, numbers());
        } else if (parameters.toString().equals("?7")) {
            screen.wrap(character != 'l');
        }
        return State.TEXT;
    }

    private List<Integer> numbers() {
        return Arrays.stream(parameters.toString().split("[;:]", -1))
                .map(number -> number.isEmpty() ? 0 : Integer.parseInt(number))
                .toList();
    }

    private void run(int command, List<Integer> numbers) {
        int first = numbers.getFirst();
        int count = Math.max(first, 1);
        switch (command) {
            case 'A' -> screen.moveBy(-count, 0);
            case 'B' -> screen.moveBy(count, 0);
            case 'C' -> screen.moveBy(0, count);
            case 'D' -> screen.moveBy(0, -count);
            case 'G' -> screen.toColumn(count - 1);
            case 'H', 'f' -> {
                screen.toRow(count - 1);
                screen.toColumn(numbers.size() > 1 ? numbers.get(1) - 1 : 0);
            }
            case 'J' -> {
                if (first <= 2) {
                    screen.eraseInScreen(Erase.values()[first]);
                }
            }
            case 'K' -> {
                if (first <= 2) {
                    screen.eraseInLine(Erase.values()[first]);
                }
            }
            case 'm' -> screen.restyle(numbers);
            default -> {}
        }
    }
}
