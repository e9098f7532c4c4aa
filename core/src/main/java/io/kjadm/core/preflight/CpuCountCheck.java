package io.kjadm.core.preflight;

import io.kjadm.core.host.HostInfo;

import java.util.List;

/** A control plane needs two CPUs. */
record CpuCountCheck(HostInfo host) implements Check {

    private static final int LEAST = 2;

    @Override
    public String name() {
        return "NumCPU";
    }

    @Override
    public List<Finding> run() {
        var cpus = host.cpus();
        if (cpus.isEmpty()) {
            return List.of(Finding.error("the number of available CPUs cannot be read"));
        }
        return Finding.errorIf(
                cpus.getAsInt() < LEAST,
                "the number of available CPUs %d is less than the required %d"
                        .formatted(cpus.getAsInt(), LEAST));
    }
}
