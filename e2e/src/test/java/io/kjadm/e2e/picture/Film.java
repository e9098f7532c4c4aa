package io.kjadm.e2e.picture;

import io.kjadm.e2e.picture.Screen.View;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a terminal showed as frames, for people to watch: nobody waits longer than a second for the
 * next output, and a long recording is played faster.
 *
 * @param frames at least one; the first is at zero
 * @param length with the time for which the last frame stays
 */
record Film(List<Frame> frames, Duration length) {

    /** @param at when it appears, since the start */
    record Frame(Duration at, View view) {}

    static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    static final Duration LONGEST_PLAY = Duration.ofSeconds(16);
    static final Duration LAST_FRAME = Duration.ofSeconds(4);
    /** Outputs that are closer than this are one frame. */
    static final Duration SHORTEST_FRAME = Duration.ofMillis(60);

    Film {
        frames = List.copyOf(frames);
    }

    static Film of(Recording recording, int columns, int rows) {
        var screen = new Screen(columns, rows);
        var terminal = new Terminal(screen);
        var frames = new ArrayList<Frame>();
        var clock = Duration.ZERO;
        double pace = pace(recording);
        for (Recording.Output output : recording.outputs()) {
            // how long the program's start took before anything was to be seen is not shown
            clock = frames.isEmpty() ? Duration.ZERO : clock.plus(shortened(output.pause(), pace));
            terminal.write(output.text());
            add(frames, new Frame(clock, screen.view()));
        }
        if (frames.isEmpty()) {
            frames.add(new Frame(clock, screen.view()));
        }
        return new Film(frames, frames.getLast().at().plus(LAST_FRAME));
    }

    private static void add(List<Frame> frames, Frame next) {
        if (frames.isEmpty()) {
            frames.add(next);
            return;
        }
        Frame last = frames.getLast();
        if (next.view().equals(last.view())) {
            return;
        }
        if (next.at().minus(last.at()).compareTo(SHORTEST_FRAME) < 0) {
            frames.set(frames.size() - 1, new Frame(last.at(), next.view()));
            return;
        }
        frames.add(next);
    }

    /** What the pauses are multiplied with: 1, or less for a long recording. */
    private static double pace(Recording recording) {
        var total = recording.outputs().stream()
                .skip(1)
                .map(output -> shortened(output.pause(), 1))
                .reduce(Duration.ZERO, Duration::plus);
        return total.compareTo(LONGEST_PLAY) <= 0
                ? 1
                : (double) LONGEST_PLAY.toMillis() / total.toMillis();
    }

    private static Duration shortened(Duration pause, double pace) {
        long millis = Math.min(pause.toMillis(), LONGEST_PAUSE.toMillis());
        return Duration.ofMillis(Math.round(millis * pace));
    }
}
