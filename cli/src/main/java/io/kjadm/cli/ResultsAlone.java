package io.kjadm.cli;

import io.kjadm.core.phase.Reporter;

import java.util.function.Supplier;

/**
 * For commands whose standard output is read by a program: what is printed as a result goes there,
 * and the steps on the way to it go to standard error.
 */
final class ResultsAlone implements Reporter {

    private final Reporter all;
    private final Console console;

    ResultsAlone(Reporter all, Console console) {
        this.all = all;
        this.console = console;
    }

    @Override
    public void step(String area, String sentence) {
        console.err().println("[" + area + "] " + sentence);
    }

    @Override
    public void print(String text) {
        all.print(text);
    }

    @Override
    public void warn(String sentence) {
        all.warn(sentence);
    }

    @Override
    public void detail(String sentence) {
        all.detail(sentence);
    }

    @Override
    public void waiting(String area, String sentence) {
        all.waiting(area, sentence);
    }

    @Override
    public void waited() {
        all.waited();
    }

    @Override
    public <T> T during(String area, String what, Supplier<T> work) {
        return all.during(area, what, work);
    }
}
