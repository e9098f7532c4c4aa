package io.kjadm.core.etcd.ca;

import io.kjadm.core.pki.CertificatePair;
import io.kjadm.pki.CertificateAuthority;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** A machine whose etcd gets a new CA, as the rotation sees it: as a static pod or otherwise. */
public interface RotatedNode {

    /** What differs in the words for the operator. */
    Terms terms();

    /**
     * The file with the CA's certificate, and with both while two are trusted, and the file with the
     * key of the first in it.
     */
    CertificatePair ca();

    /** The journal of a stage that the node is entering. */
    Path journal();

    /** When the certificates begin that are made now. */
    Instant now();

    /**
     * The first CA in the file, with its key.
     *
     * @throws io.kjadm.core.error.HostException if it cannot be used, or its key is not here
     */
    CertificateAuthority authority();

    /** Goes on with exchanges of what the CA signs, and with a restart, that were interrupted. */
    void finishInterrupted();

    /**
     * Restarts what reads the CAs, and sees that it serves.
     *
     * @throws io.kjadm.core.error.ClusterException if it may not be restarted or does not come back
     */
    void restart();

    /** Makes anew what the CA signs; what serves reads it without a restart. */
    void renew();

    /**
     * Waits until etcd shows its certificates as its files have them now.
     *
     * @throws io.kjadm.core.error.ClusterException if it does not
     */
    void awaitShown();

    /** Clients on other machines, for whom each stage but the first has to wait. */
    Optional<Clients> clients();

    /**
     * What the clients on other machines need.
     *
     * @param beforeIssue        before anybody shows a certificate of the new CA
     * @param beforeTrustNewOnly before nobody accepts a certificate of the former CA any more
     */
    record Clients(Need beforeIssue, Need beforeTrustNewOnly) {}

    /**
     * What all of them must have.
     *
     * @param done     that it is time for it, a sentence
     * @param advice   how they get it, in sentences
     * @param question whether they have it
     */
    record Need(String done, String advice, String question) {}

    /**
     * Words for the operator.
     *
     * @param one     such a machine: {@code node}
     * @param every   all of them: {@code every control-plane node}
     * @param restart of what reads the CAs: {@code restart etcd, so that it trusts}
     * @param caFiles the CA with its key on one of them: {@code etcd/ca.crt and etcd/ca.key of a
     *                control-plane node}
     * @param advice  what is left to be done in the end, in sentences
     */
    record Terms(String one, String every, String restart, String caFiles, String advice) {}
}
