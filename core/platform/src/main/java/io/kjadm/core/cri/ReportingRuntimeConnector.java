package io.kjadm.core.cri;

import io.kjadm.core.phase.Reporter;

import java.nio.file.Path;

/** The runtimes of a dry run: asked for real, changed only in words. */
public final class ReportingRuntimeConnector implements RuntimeConnector {

    private final RuntimeConnector asked;
    private final Reporter out;

    /** Asks through the given connector. */
    public ReportingRuntimeConnector(RuntimeConnector asked, Reporter out) {
        this.asked = asked;
        this.out = out;
    }

    @Override
    public ContainerRuntime connect(String criSocket) {
        return new ReportingRuntime(asked.connect(criSocket), out);
    }

    @Override
    public boolean canConnect(Path socket) {
        return asked.canConnect(socket);
    }
}
