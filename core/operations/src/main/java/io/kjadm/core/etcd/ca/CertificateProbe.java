package io.kjadm.core.etcd.ca;

import io.kjadm.pki.CertificateInfo;

import java.net.URI;

/** Looks at the certificate that a server shows, as a port; nothing is sent or believed. */
@FunctionalInterface
public interface CertificateProbe {

    /** One handshake, of at most some seconds. */
    Answer look(URI server);

    /** What was seen. */
    sealed interface Answer {

        /** The server's own certificate, whether or not it is valid. */
        record Shown(CertificateInfo certificate) implements Answer {}

        /** None. */
        record Unseen(String why) implements Answer {}
    }
}
