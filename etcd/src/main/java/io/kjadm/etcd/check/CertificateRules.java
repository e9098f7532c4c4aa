package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.EtcdRule.CERTIFICATE;
import static io.kjadm.etcd.check.EtcdRule.CLOCK;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What can be told of the peer certificate without asking anybody. */
final class CertificateRules {

    private CertificateRules() {}

    static List<EtcdFinding> findings(PeerCertificate certificate, Instant now) {
        return switch (certificate) {
            case PeerCertificate.Unusable(String why) ->
                List.of(
                        EtcdFinding.error(
                                CERTIFICATE,
                                why
                                        + "; replace it, or remove certificate and key to generate them again"));
            case PeerCertificate.Readable readable -> readable(readable, now);
        };
    }

    private static List<EtcdFinding> readable(PeerCertificate.Readable peer, Instant now) {
        List<EtcdFinding> findings = new ArrayList<>();
        if (!peer.signedByCa()) {
            findings.add(fault(
                    peer,
                    "is not signed by the etcd CA on this node (%s)"
                            .formatted(peer.caFingerprint())));
        }
        if (!peer.fitsKey()) {
            findings.add(fault(peer, "does not belong to the key next to it"));
        }
        if (now.isAfter(peer.validity().notAfter())) {
            findings.add(fault(peer, "or its CA expired at " + peer.validity().notAfter()));
        }
        if (now.isBefore(peer.validity().notBefore())) {
            findings.add(EtcdFinding.error(
                    CLOCK,
                    ("the certificate %s or its CA is valid from %s on, and this machine's clock shows %s:"
                                    + " set the clocks (chrony, ntpd), or wait")
                            .formatted(peer.file(), peer.validity().notBefore(), now)));
        }
        if (!peer.missingUsages().isEmpty()) {
            findings.add(fault(
                    peer,
                    "lacks the extended key usage %s; members are servers and clients to each other"
                            .formatted(String.join(" and ", peer.missingUsages()))));
        }
        if (!peer.missingNames().isEmpty()) {
            findings.add(fault(
                    peer,
                    "is not valid for %s, which other members know this node by"
                            .formatted(String.join(", ", peer.missingNames()))));
        }
        return findings;
    }

    private static EtcdFinding fault(PeerCertificate.Readable peer, String what) {
        return EtcdFinding.error(
                CERTIFICATE,
                "the certificate %s %s; replace it, or remove it and its key to generate them again"
                        .formatted(peer.file(), what));
    }
}
