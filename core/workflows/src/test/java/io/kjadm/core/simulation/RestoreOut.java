package io.kjadm.core.simulation;

import io.kjadm.core.phase.Reporter;

import java.util.function.Consumer;

/** Passes on what a command says. */
record RestoreOut(Consumer<String> lines) implements Reporter {

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
        // not shown
    }

    @Override
    public void waited() {
        // not shown
    }
}
