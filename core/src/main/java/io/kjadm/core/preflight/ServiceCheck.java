package io.kjadm.core.preflight;

import io.kjadm.core.host.Services;

import java.util.List;

/** A service that has to come back after a reboot is enabled. */
record ServiceCheck(String service, Services services) implements Check {

    @Override
    public String name() {
        return "Service-" + service;
    }

    @Override
    public List<Finding> run() {
        if (!services.available()) {
            return List.of(
                    Finding.warning("no supported init system found, cannot ask for " + service));
        }
        if (!services.exists(service)) {
            return List.of(Finding.warning("%s service does not exist".formatted(service)));
        }
        return Finding.warningIf(
                !services.isEnabled(service),
                "%s service is not enabled, please run '%s'"
                        .formatted(service, services.enableCommand(service)));
    }
}
