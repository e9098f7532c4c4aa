package io.kjadm.core.pki;

import io.kjadm.etcd.ProblemReason;

/** Why certificates of a node cannot be used or made. */
public enum CertificateReason implements ProblemReason {
    /** A certificate in place of a CA's may not sign. */
    UNFIT_CA,
    /** There is a key, and the certificate next to it is missing. */
    KEY_WITHOUT_CERTIFICATE
}
