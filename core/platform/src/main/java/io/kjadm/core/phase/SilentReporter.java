package io.kjadm.core.phase;

/** Tells nobody: for what is only tried. */
public final class SilentReporter implements Reporter {

    @Override
    public void step(String area, String sentence) {
        // nobody is told
    }

    @Override
    public void print(String text) {
        // nobody is told
    }

    @Override
    public void warn(String sentence) {
        // nobody is told
    }

    @Override
    public void finding(String line) {
        // nobody is told
    }

    @Override
    public void detail(String sentence) {
        // nobody is told
    }

    @Override
    public void waiting(String area, String sentence) {
        // nobody is told
    }

    @Override
    public void waited() {
        // nobody is told
    }
}
