package io.kjadm.core.preflight;

import io.kjadm.core.host.Services;

import java.util.List;

/** A running firewall may close the ports that other nodes use. */
record FirewalldCheck(Services services, List<Integer> ports) implements Check {

    private static final String FIREWALLD = "firewalld";

    FirewalldCheck {
        ports = List.copyOf(ports);
    }

    @Override
    public String name() {
        return "Firewalld";
    }

    @Override
    public List<Finding> run() {
        if (!services.available()) {
            return List.of(
                    Finding.warning("no supported init system found, cannot ask for " + FIREWALLD));
        }
        return Finding.warningIf(
                services.exists(FIREWALLD) && services.isActive(FIREWALLD),
                "firewalld is active, make sure that ports %s are open".formatted(ports));
    }
}
