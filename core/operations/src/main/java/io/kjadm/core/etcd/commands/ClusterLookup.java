package io.kjadm.core.etcd.commands;

import java.net.URI;
import java.util.List;

/**
 * What the API server adds to what etcd tells, as a port. Nothing depends on it: it may be down,
 * and then both answers say so.
 */
public interface ClusterLookup {

    /** Client URLs that the etcd pods tell; none if nobody answers. */
    List<URI> endpoints();

    /** Who changes the membership now. */
    MembershipLeaseStatus lock();
}
