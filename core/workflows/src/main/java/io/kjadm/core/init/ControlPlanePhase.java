package io.kjadm.core.init;

import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;

import java.util.function.Consumer;

/**
 * {@code control-plane/NAME}: the manifest of one component.
 *
 * @param component name of the static pod
 * @param writing   writes its manifest
 */
record ControlPlanePhase(PhaseInfo info, String component, Consumer<InitRun> writing)
        implements Phase<InitRun> {

    @Override
    public InitRun run(InitRun run, Reporter out) {
        out.step("control-plane", "Creating static Pod manifest for \"%s\"".formatted(component));
        writing.accept(run);
        return run;
    }
}
