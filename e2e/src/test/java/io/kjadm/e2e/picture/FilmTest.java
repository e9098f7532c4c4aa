package io.kjadm.e2e.picture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.picture.Film.Frame;
import io.kjadm.e2e.picture.Recording.Output;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

final class FilmTest {

    /** A film of lines that come after these pauses. */
    private static Film film(long... pauses) {
        return film(Arrays.stream(pauses)
                .mapToObj(pause -> new Output(Duration.ofMillis(pause), "line\r\n"))
                .toList());
    }

    private static Film film(List<Output> outputs) {
        return Film.of(new Recording(outputs), 80, 24);
    }

    private static List<Long> times(Film film) {
        return film.frames().stream().map(Frame::at).map(Duration::toMillis).toList();
    }

    @Test
    void framesComeAtTheRecordedTimesFromTheFirstOutputOn() {
        assertEquals(List.of(0L, 300L, 1000L), times(film(2500, 300, 700)));
    }

    @Test
    void pausesAreCut() {
        assertEquals(List.of(0L, 1000L, 1400L), times(film(0, 60_000, 400)));
    }

    @Test
    void longRecordingIsPlayedFaster() {
        var film = film(LongStream.range(0, 101).map(_ -> 800).toArray());
        assertEquals(Film.LONGEST_PLAY, film.frames().getLast().at());
        assertEquals(160, film.frames().get(1).at().toMillis());
    }

    @Test
    void lastFrameStays() {
        var film = film(0, 500);
        assertEquals(Duration.ofMillis(500).plus(Film.LAST_FRAME), film.length());
    }

    @Test
    void outputsInQuickSuccessionAreOneFrame() {
        var film = film(0, 200, 10, 10, 300);
        assertEquals(List.of(0L, 200L, 520L), times(film));
        assertEquals(4, film.frames().get(1).view().lines().size());
    }

    @Test
    void endlessQuickOutputStillMoves() {
        var film = film(LongStream.range(0, 100).map(_ -> 20).toArray());
        assertTrue(film.frames().size() > 20, () -> "" + film.frames().size());
        assertEquals(100, film.frames().getLast().view().lines().size());
    }

    @Test
    void outputThatChangesNothingIsNoFrame() {
        assertEquals(
                List.of(0L),
                times(film(IntStream.range(0, 3)
                        .mapToObj(_ -> new Output(Duration.ofMillis(500), "\r\033[Ksame"))
                        .toList())));
    }

    @Test
    void recordingOfNothingIsAnEmptyFrame() {
        assertEquals(List.of(0L), times(film()));
    }
}
