package io.kjadm.e2e.picture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Makes an SVG of a recording: {@code Picture COLUMNS ROWS TITLE RECORDING TIMING SVG}. The
 * recording and its timing are what {@code script --log-out --log-timing} of util-linux writes.
 */
final class Picture {

    private Picture() {}

    static void main(String[] args) throws IOException {
        int columns = Integer.parseInt(args[0]);
        int rows = Integer.parseInt(args[1]);
        String title = Secrets.masked(List.of(args[2])).getFirst();
        var recording = Recording.of(
                Files.readAllBytes(Path.of(args[3])), Files.readAllLines(Path.of(args[4])));
        Film film = Film.of(recording.withoutSecrets(), columns, rows);
        Files.writeString(Path.of(args[5]), SvgPicture.of(film, columns, title));
    }
}
