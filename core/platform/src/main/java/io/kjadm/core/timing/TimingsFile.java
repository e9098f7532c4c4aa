package io.kjadm.core.timing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The text of a timings file: one JSON object with {@code command}, {@code version}, {@code began}
 * (of the process, RFC 3339), {@code seconds}, {@code succeeded}, {@code peakResidentBytes} (where
 * the system tells it) and {@code spans}, each of which has {@code kind}, {@code name}, {@code
 * thread}, {@code begin} and {@code end} (seconds since {@code began}), and {@code answer} if there
 * is one.
 */
public final class TimingsFile {

    private TimingsFile() {}

    /**
     * @param about what is said of the run as a whole, before the spans
     * @param spans in the order in which they ended; written in the order in which they began
     */
    public static String text(Map<String, Object> about, List<Span> spans) {
        Map<String, Object> all = new LinkedHashMap<>(about);
        all.put(
                "spans",
                spans.stream()
                        .sorted((one, other) -> {
                            int begins = one.begin().compareTo(other.begin());
                            // what lies around another comes first
                            return begins != 0 ? begins : other.end().compareTo(one.end());
                        })
                        .map(TimingsFile::entry)
                        .toList());
        try {
            return new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(all)
                    + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, Object> entry(Span span) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("kind", span.kind().text());
        entry.put("name", span.name());
        entry.put("thread", span.thread());
        entry.put("begin", seconds(span.begin()));
        entry.put("end", seconds(span.end()));
        if (!span.answer().isEmpty()) {
            entry.put("answer", span.answer());
        }
        return entry;
    }

    /** To the millisecond. */
    public static double seconds(Duration time) {
        return time.toMillis() / 1000.0;
    }
}
