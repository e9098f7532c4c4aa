package io.kjadm.etcd.history;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Checks or draws a record that was kept, for {@code e2e/histories}. */
final class HistoryReader {

    private HistoryReader() {}

    /**
     * Prints what breaks a rule, and ends with status 1 if something does; or prints a picture.
     *
     * @param arguments {@code --check RECORD}, or {@code --draw RECORD MARK}, where MARK is the
     *     beginning of a mark's name
     */
    public static void main(String... arguments) throws IOException {
        Recording recording = RecordFile.read(Path.of(arguments[1]));
        if (arguments[0].equals("--draw")) {
            System.out.print(HistoryPicture.of(recording, arguments[2]));
            return;
        }
        List<String> broken = recording.broken();
        System.out.printf(
                "%d operations, %d rules are broken%n", recording.history().size(), broken.size());
        if (!broken.isEmpty()) {
            System.out.println(Recording.text(broken));
            System.exit(1);
        }
    }
}
