package io.kjadm.core.init;

import io.kjadm.core.addon.CoreDns;
import io.kjadm.core.node.PatchDirectory;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;

/** {@code addon/coredns}: the cluster's name service. */
record CoreDnsPhase(AdminWriters writes, PatchDirectory patches) implements Phase<InitRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "coredns",
                "Install the CoreDNS addon to a Kubernetes cluster",
                InitPhaseFlags.COREDNS);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        CoreDns coreDns = new CoreDns(run.node().cluster(), patches, run.node().patches());
        if (run.options().printManifest()) {
            out.print(coreDns.print());
            return run;
        }
        coreDns.install(writes.of(run, "addons", out), out);
        out.step("addons", "Applied essential addon: CoreDNS");
        return run;
    }
}
