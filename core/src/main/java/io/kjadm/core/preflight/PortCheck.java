package io.kjadm.core.preflight;

import java.util.List;

/** A port that one of our servers will listen on is free. */
record PortCheck(int port, PortProbe probe) implements Check {

    @Override
    public String name() {
        return "Port-" + port;
    }

    @Override
    public List<Finding> run() {
        return probe.refusal(port).stream()
                .map(why -> Finding.error("port %d cannot be used: %s".formatted(port, why)))
                .toList();
    }

    @Override
    public boolean isAboutLeftovers() {
        return true;
    }
}
