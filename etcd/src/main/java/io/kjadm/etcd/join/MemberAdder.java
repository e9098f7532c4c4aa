package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * In what role a member is added, and how it comes to vote. The two ways differ only in what is
 * asked here; everything else about a join is {@link JoinDecider}'s. An adder decides from facts;
 * only {@link #add} speaks to the cluster.
 */
public interface MemberAdder {

    /** Sends the add, once. */
    Member add(EtcdCluster cluster, List<URI> peerUrls);

    /** Whether the added member has no vote until it is promoted, so that it can be rolled back. */
    boolean addsLearners();

    /** What stands against adding a member now, besides what holds for both ways. */
    Optional<JoinDecision> obstacle(EtcdHealth health);

    /** The next step for a member that is listed, has started and does not vote yet. */
    JoinDecision follow(JoinFacts facts, JoinEntry entry, EtcdHealth health, Member own);
}
