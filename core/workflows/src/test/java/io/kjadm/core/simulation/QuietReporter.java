package io.kjadm.core.simulation;

import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.model.VirtualWorld;

import java.util.List;
import java.util.function.Consumer;

/** Passes on what a command says, line by line, but not that it waits. */
record QuietReporter(Consumer<String> lines) implements Reporter {

    /** For those who are not asked what happened. */
    static final List<String> NOWHERE = List.of();

    /** Tells nobody, or the one who replays a single schedule. */
    static QuietReporter of(VirtualWorld world, Host host, List<String> log) {
        return new QuietReporter(line -> {
            if (log != NOWHERE) {
                log.add("%d ms, machine %d: %s".formatted(world.now(), host.number, line));
            }
        });
    }

    @Override
    public void step(String area, String sentence) {
        lines.accept(sentence);
    }

    @Override
    public void print(String text) {
        lines.accept(text);
    }

    @Override
    public void warn(String sentence) {
        lines.accept(sentence);
    }

    @Override
    public void finding(String line) {
        lines.accept(line);
    }

    @Override
    public void detail(String sentence) {
        lines.accept(sentence);
    }

    @Override
    public void waiting(String area, String sentence) {
        // nobody looks
    }

    @Override
    public void waited() {
        // nobody looks
    }
}
