package io.kjadm.core.standalone;

import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.RejoinOptions;
import io.kjadm.pki.PublicKeyPin;

import java.net.URI;
import java.util.List;

/**
 * The cluster that a machine joins.
 *
 * @param endpoints client URLs of members
 * @param caPins    one of which the CA must have, if there are any
 * @param rejoin    what the operator allows
 * @param limits    how long it may take
 * @param existing  whether the data of this machine's member are in the data directory, and no member
 *                  is added
 */
public record JoinTarget(
        List<URI> endpoints,
        List<PublicKeyPin> caPins,
        RejoinOptions rejoin,
        JoinLimits limits,
        boolean existing) {

    public JoinTarget {
        endpoints = List.copyOf(endpoints);
        caPins = List.copyOf(caPins);
    }
}
