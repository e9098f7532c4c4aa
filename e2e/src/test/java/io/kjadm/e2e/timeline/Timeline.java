package io.kjadm.e2e.timeline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * One run of a program, as {@code e2e/bench/bench} has recorded it.
 *
 * @param title   what was run
 * @param seconds how long it took
 * @param spans   what went on meanwhile, on all actors
 */
record Timeline(String title, double seconds, List<Span> spans) {

    /** What the program itself did. */
    static final String PHASES = "phases";
    /** What it waited for, or called. */
    static final String WAITS = "waits, calls";
    /** Less cannot be seen. */
    private static final double SHORTEST = 0.05;

    /**
     * Reads a folder: file {@code run} has the title, begin and end of the run; each line of {@code
     * events} has actor, begin, end (empty for a moment) and text, tabs between; a time is RFC 3339
     * or seconds since 1970; {@code timings.json}, if it is there, is what {@code --timings} wrote.
     */
    static Timeline read(Path folder) throws IOException {
        List<String> run = Files.readAllLines(folder.resolve("run"));
        double began = seconds(run.get(1));
        double ended = seconds(run.get(2));
        List<Span> spans = new ArrayList<>();
        Path timings = folder.resolve("timings.json");
        boolean told = Files.exists(timings);
        if (told) {
            spans.addAll(told(new ObjectMapper().readTree(timings.toFile()), began));
        }
        for (String line : Files.readAllLines(folder.resolve("events"))) {
            String[] fields = line.split("\t", 4);
            double begin = seconds(fields[1]) - began;
            double end = fields[2].isEmpty() ? begin : seconds(fields[2]) - began;
            // what the program told itself is more exact than what its output shows
            if (begin >= 0 && !(told && fields[0].equals(PHASES))) {
                spans.add(new Span(fields[0], begin, end, fields[3]));
            }
        }
        return new Timeline(run.getFirst(), ended - began, List.copyOf(spans));
    }

    private static List<Span> told(JsonNode timings, double began) {
        double offset = seconds(timings.get("began").asText()) - began;
        List<Span> spans = new ArrayList<>();
        for (JsonNode span : timings.get("spans")) {
            String kind = span.get("kind").asText();
            double begin = span.get("begin").asDouble() + offset;
            double end = span.get("end").asDouble() + offset;
            if (end - begin >= SHORTEST) {
                String actor = kind.equals("start") || kind.equals("phase") ? PHASES : WAITS;
                spans.add(new Span(
                        actor, Math.max(0, begin), end, span.get("name").asText()));
            }
        }
        return spans;
    }

    private static double seconds(String time) {
        if (!time.contains("T")) {
            return Double.parseDouble(time);
        }
        Instant at = Instant.parse(time);
        return at.getEpochSecond() + at.getNano() / 1e9;
    }
}
