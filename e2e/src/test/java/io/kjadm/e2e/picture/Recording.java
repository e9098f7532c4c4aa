package io.kjadm.e2e.picture;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** What a program wrote to its terminal, and when. */
record Recording(List<Output> outputs) {

    /**
     * @param pause since the output before
     * @param text  ends between two characters, but may end inside a control sequence
     */
    record Output(Duration pause, String text) {}

    private static final String HEADER = "Script started on ";

    Recording {
        outputs = List.copyOf(outputs);
    }

    /**
     * Reads what script(1) wrote.
     *
     * @param log    a header line, the bytes, and a last line that no timing covers
     * @param timing lines of seconds and a number of bytes, the "classic" format
     */
    static Recording of(byte[] log, List<String> timing) {
        int start = 0;
        if (new String(log, StandardCharsets.UTF_8).startsWith(HEADER)) {
            while (log[start++] != '\n') {}
        }
        var outputs = new ArrayList<Output>();
        int end = start;
        for (String line : timing) {
            String[] words = line.split(" ");
            end += Integer.parseInt(words[1]);
            int whole = end;
            while (whole < log.length && continuesCharacter(log[whole])) {
                whole++;
            }
            long millis = Math.round(1000 * Double.parseDouble(words[0]));
            outputs.add(new Output(
                    Duration.ofMillis(millis),
                    new String(log, start, whole - start, StandardCharsets.UTF_8)));
            start = whole;
        }
        return new Recording(outputs);
    }

    private static boolean continuesCharacter(byte utf8) {
        return (utf8 & 0xc0) == 0x80;
    }

    Recording withoutSecrets() {
        List<String> masked = Secrets.masked(outputs.stream().map(Output::text).toList());
        return new Recording(IntStream.range(0, outputs.size())
                .mapToObj(i -> new Output(outputs.get(i).pause(), masked.get(i)))
                .toList());
    }
}
