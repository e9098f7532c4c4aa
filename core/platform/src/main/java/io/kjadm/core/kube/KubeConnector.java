package io.kjadm.core.kube;

import io.kjadm.core.phase.Reporter;

/** Makes clients of API servers; nothing is sent before the first call of a client. */
@FunctionalInterface
public interface KubeConnector {

    /** A client; the caller closes it. */
    KubeApi connect(KubeAccess access);

    /** Of what is not there yet: nothing is sent, and nothing is found. */
    static KubeConnector absent() {
        return _ -> new AbsentApi();
    }

    /** The dry run's: its clients read as the given ones and only report what they would change. */
    static KubeConnector reporting(KubeConnector real, Reporter out) {
        return access -> new ReportingApi(real.connect(access), out);
    }
}
