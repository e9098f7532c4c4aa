package io.kjadm.core.standalone;

import io.kjadm.core.etcd.commands.ClusterLookup;
import io.kjadm.core.etcd.commands.MembershipLeaseStatus;

import java.net.URI;
import java.util.List;

/**
 * What is known around an etcd of its own, where there is no API server. Who changes it stands in
 * its queue, in which a command waits for its turn: it never goes ahead because nobody can be asked.
 */
public final class QueueLookup implements ClusterLookup {

    @Override
    public List<URI> endpoints() {
        return List.of();
    }

    @Override
    public MembershipLeaseStatus lock() {
        return new MembershipLeaseStatus.Free();
    }
}
