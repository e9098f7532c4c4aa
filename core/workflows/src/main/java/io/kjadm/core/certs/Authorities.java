package io.kjadm.core.certs;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.node.ExternalCa;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** The CAs in a node's certificates directory, each read once. */
final class Authorities {

    private final HostFiles files;
    private final CertsNode node;
    private final Map<String, CertificateAuthority> read = new HashMap<>();

    Authorities(HostFiles files, CertsNode node) {
        this.files = files;
        this.node = node;
    }

    /**
     * The CA of that name, with its key if that is here.
     *
     * @throws io.kjadm.core.error.HostException if it is missing, unreadable or may not sign, or if its key is kept
     *         elsewhere and not all that it has to sign is here
     */
    CertificateAuthority named(String name) {
        CertificateAuthority known = read.get(name);
        if (known != null) {
            return known;
        }
        CertificateAuthority authority = node.pair(CertificateSet.named(name)).authority(files);
        if (!authority.canSign()) {
            requireSigned(new ExternalCa(files, name, authority));
        }
        read.put(name, authority);
        return authority;
    }

    /** Judged at a moment when both are valid: that one has expired makes the CA no less external. */
    private void requireSigned(ExternalCa ca) {
        for (CertificateSpec leaf : CertificateSet.signedBy(ca.name())) {
            ca.require(node.pair(leaf), pem -> {
                Instant begun = CertificateInfo.parse(pem).notBefore();
                Instant since = ca.authority().notBefore();
                return begun.isBefore(since) ? since : begun;
            });
        }
    }
}
