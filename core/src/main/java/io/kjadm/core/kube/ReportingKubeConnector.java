package io.kjadm.core.kube;

import io.kjadm.core.phase.Reporter;

/** The dry run's connector: its clients read for real and only report what they would change. */
public final class ReportingKubeConnector implements KubeConnector {

    private final KubeConnector real;
    private final Reporter out;

    public ReportingKubeConnector(KubeConnector real, Reporter out) {
        this.real = real;
        this.out = out;
    }

    @Override
    public KubeApi connect(KubeAccess access) {
        return new ReportingApi(real.connect(access), out);
    }
}
