package io.kjadm.core.net;

import java.util.Objects;

/**
 * By what a server is verified in TLS. Every caller says so: nothing follows from a CA that happens
 * to be missing.
 */
public sealed interface ServerTrust {

    /**
     * By these CAs and no others.
     *
     * @param caPem one or several certificates, each of them an anchor
     */
    record Pinned(String caPem) implements ServerTrust {
        public Pinned {
            Objects.requireNonNull(caPem, "caPem");
        }
    }

    /** By the CAs of this machine. */
    record Machine() implements ServerTrust {}

    /**
     * By nothing: what it says is verified by other means, and nothing is given away. The first
     * look of token discovery is the only one.
     */
    record FirstLook() implements ServerTrust {}

    /**
     * By nothing, since a kubeconfig of the operator's says {@code insecure-skip-tls-verify}, or
     * since only the status of a health endpoint on this node is asked for.
     */
    record Skipped() implements ServerTrust {}
}
