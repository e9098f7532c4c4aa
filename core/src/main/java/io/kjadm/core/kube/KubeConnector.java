package io.kjadm.core.kube;

/** Makes clients of API servers; nothing is sent before the first call of a client. */
@FunctionalInterface
public interface KubeConnector {

    /** A client; the caller closes it. */
    KubeApi connect(KubeAccess access);
}
