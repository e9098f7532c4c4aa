package io.kjadm.core.phase;

/** A phase failed; the cause says why. */
public final class PhaseFailure extends RuntimeException {

    private final String phase;

    PhaseFailure(String phase, RuntimeException cause) {
        super("error execution phase %s: %s".formatted(phase, cause.getMessage()), cause);
        this.phase = phase;
    }

    /** Full name of the phase. */
    public String phase() {
        return phase;
    }
}
