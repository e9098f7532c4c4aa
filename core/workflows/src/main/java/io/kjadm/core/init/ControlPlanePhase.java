package io.kjadm.core.init;

import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;

import java.util.function.Consumer;

/** {@code control-plane/NAME}: the manifest of one component. */
final class ControlPlanePhase implements Phase<InitRun> {

    private final PhaseInfo info;
    private final String component;
    private final Consumer<InitRun> writing;

    /**
     * @param component name of the static pod
     * @param writing   writes its manifest
     */
    ControlPlanePhase(PhaseInfo info, String component, Consumer<InitRun> writing) {
        this.info = info;
        this.component = component;
        this.writing = writing;
    }

    @Override
    public PhaseInfo info() {
        return info;
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        out.step("control-plane", "Creating static Pod manifest for \"%s\"".formatted(component));
        writing.accept(run);
        return run;
    }
}
