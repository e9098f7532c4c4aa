package io.kjadm.core.preflight;

import io.kjadm.core.host.HostInfo;

import java.util.List;

/** Swap is only good with a kubelet that is configured for it. */
record SwapCheck(HostInfo host) implements Check {

    @Override
    public String name() {
        return "Swap";
    }

    @Override
    public List<Finding> run() {
        List<String> swaps = host.swaps();
        return Finding.warningIf(
                !swaps.isEmpty(),
                "swap is enabled on %s; turn it off, or configure the kubelet to tolerate it"
                        .formatted(swaps));
    }
}
