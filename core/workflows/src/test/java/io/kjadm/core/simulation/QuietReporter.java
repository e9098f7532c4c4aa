package io.kjadm.core.simulation;

import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.model.VirtualWorld;

import java.util.List;

/** Tells nobody, or the one who replays a single schedule. */
record QuietReporter(VirtualWorld world, Host host, List<String> log) implements Reporter {

    /** For those who are not asked what happened. */
    static final List<String> NOWHERE = List.of();

    private void tell(String line) {
        if (log != NOWHERE) {
            log.add("%d ms, machine %d: %s".formatted(world.now(), host.number, line));
        }
    }

    @Override
    public void step(String area, String sentence) {
        tell(sentence);
    }

    @Override
    public void print(String text) {
        tell(text);
    }

    @Override
    public void warn(String sentence) {
        tell(sentence);
    }

    @Override
    public void finding(String line) {
        tell(line);
    }

    @Override
    public void detail(String sentence) {
        tell(sentence);
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
