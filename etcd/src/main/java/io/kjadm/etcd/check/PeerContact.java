package io.kjadm.etcd.check;

import java.time.Duration;
import java.util.Optional;

/**
 * What came of calling a member's peer port from the address this node will use, with its peer
 * certificate.
 */
public sealed interface PeerContact {

    /**
     * The member answered as to one of its own.
     *
     * @param roundTrip time to open the connection
     * @param clockAhead how far its clock is ahead of ours (negative: behind), zero within a
     *     second; empty if it told none
     * @param sourceRefused why the call could not come from the chosen address, empty text if it
     *         did
     */
    record Answered(Duration roundTrip, Optional<Duration> clockAhead, String sourceRefused)
            implements PeerContact {}

    /** No connection. */
    record Unreachable(String why) implements PeerContact {}

    /**
     * We do not trust its certificate.
     *
     * @param theirs issuer and fingerprint of what it showed
     * @param ours name and fingerprint of the CA we trust
     */
    record Untrusted(String why, String theirs, String ours) implements PeerContact {}

    /**
     * It ended the connection during or after the handshake: our certificate is not good enough for
     * it.
     */
    record Refused(String why) implements PeerContact {}
}
