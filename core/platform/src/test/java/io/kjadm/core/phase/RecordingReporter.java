package io.kjadm.core.phase;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Keeps what the operator would read, in order; safe for several threads. */
public final class RecordingReporter implements Reporter {

    private final List<String> lines = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private final List<String> details = new ArrayList<>();
    private final List<String> works = new ArrayList<>();

    /** With what another one was given; for chains. */
    public RecordingReporter with(RecordingReporter other) {
        lines.addAll(other.lines());
        warnings.addAll(other.warnings());
        findings.addAll(other.findings());
        details.addAll(other.details());
        works.addAll(other.works());
        return this;
    }

    /** Steps as {@code [area] sentence}, and printed text. */
    public synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    /** What only verbosity shows. */
    public synchronized List<String> details() {
        return List.copyOf(details);
    }

    /** What was begun, as {@code [area] what}. */
    public synchronized List<String> works() {
        return List.copyOf(works);
    }

    /** Warnings without a prefix. */
    public synchronized List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** Lines of preflight findings. */
    public synchronized List<String> findings() {
        return List.copyOf(findings);
    }

    /** The sentences of one area, without it. */
    public List<String> in(String area) {
        String begin = "[%s] ".formatted(area);
        return lines().stream()
                .filter(line -> line.startsWith(begin))
                .map(line -> line.substring(begin.length()))
                .toList();
    }

    /** Everything that went to standard output, one text. */
    public String text() {
        return String.join("\n", lines());
    }

    @Override
    public synchronized void step(String area, String sentence) {
        lines.add("[%s] %s".formatted(area, sentence));
    }

    @Override
    public synchronized void print(String text) {
        lines.add(text);
    }

    @Override
    public synchronized void warn(String sentence) {
        warnings.add(sentence);
    }

    @Override
    public synchronized void finding(String line) {
        findings.add(line);
    }

    @Override
    public synchronized void detail(String sentence) {
        details.add(sentence);
    }

    @Override
    public void waiting(String area, String sentence) {}

    @Override
    public void waited() {}

    @Override
    public <T> T during(String area, String what, Supplier<T> work) {
        synchronized (this) {
            works.add("[%s] %s".formatted(area, what));
        }
        return work.get();
    }
}
