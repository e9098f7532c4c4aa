package io.kjadm.core.preflight;

import io.kjadm.core.host.HostInfo;

import java.util.List;

/** A control plane needs about 2 GB of memory; what the firmware keeps is allowed for. */
record MemoryCheck(HostInfo host) implements Check {

    private static final long LEAST_MIB = 1700;

    @Override
    public String name() {
        return "Mem";
    }

    @Override
    public List<Finding> run() {
        var memory = host.memoryMiB();
        if (memory.isEmpty()) {
            return List.of(Finding.error("the amount of memory cannot be read"));
        }
        return Finding.errorIf(
                memory.getAsLong() < LEAST_MIB,
                "the system memory of %d MB is less than the required %d MB"
                        .formatted(memory.getAsLong(), LEAST_MIB));
    }
}
