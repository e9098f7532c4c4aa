package io.kjadm.etcd.recover;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.recover.ClusterLook.Asked;
import io.kjadm.etcd.recover.OldCluster.Proof;
import io.kjadm.etcd.recover.OldCluster.Sign;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Tells whether the old cluster has ended. A restored cluster beside a living one is two clusters
 * that clients write to, so silence alone never counts as the end: a node may be down for a while
 * or behind a firewall.
 */
public final class OldClusterDecider {

    /**
     * A leader that was known so short a time ago counts as long as this node's member does not
     * respond: its data or its process may be gone, and the leader may not.
     */
    private static final Duration KNOWN = RecoveryFacts.FRESH;

    private OldClusterDecider() {}

    /** Decides by one look. */
    public static OldCluster decide(ClusterLook look) {
        List<Proof> proofs = look.members().stream()
                .flatMap(asked -> sign(asked, look).stream())
                .toList();
        if (!proofs.isEmpty()) {
            return new OldCluster.Alive(proofs);
        }
        Optional<Duration> ago =
                look.ledAgo().map(Duration::abs).filter(age -> age.compareTo(KNOWN) < 0);
        if (ago.isPresent()) {
            return new OldCluster.LedBefore(ago.get(), KNOWN.minus(ago.get()));
        }
        Set<String> misnamed = misnamed(look);
        if (!misnamed.isEmpty()) {
            return new OldCluster.Misnamed(misnamed);
        }
        List<Member> unnamed = unnamed(look);
        boolean unlisted = !look.listed() && !look.named().contains(ClusterLook.NO_OTHERS);
        if (unlisted || !unnamed.isEmpty()) {
            return new OldCluster.NotKnown(unnamed, unlisted);
        }
        return new OldCluster.Ended(
                others(look.voters()).stream().filter(look::isNamed).toList());
    }

    private static Optional<Proof> sign(Asked asked, ClusterLook look) {
        // what others list says nothing about the cluster that this node's etcd is of now
        boolean others = look.voters().size() > 1 && !(asked.own() && look.alone());
        if (knowsLeader(asked.status(), others)) {
            return Optional.of(new Proof(Sign.KNOWS_LEADER, asked.member()));
        }
        if (asked.own()) {
            return Optional.empty();
        }
        if (asked.status().isPresent()) {
            return Optional.of(new Proof(Sign.SERVES, asked.member()));
        }
        return asked.listens()
                ? Optional.of(new Proof(Sign.LISTENS, asked.member()))
                : Optional.empty();
    }

    /**
     * Whether that means that others serve: a member that knows a leader is one of a quorum, also
     * where this node does not reach the others. The only voter leads alone.
     *
     * @param others whether there are other voters
     */
    private static boolean knowsLeader(Optional<MemberStatus> status, boolean others) {
        return status.filter(said -> !said.leaderId().isNone() && (others || !said.leads()))
                .isPresent();
    }

    private static Set<String> misnamed(ClusterLook look) {
        Set<String> names = new TreeSet<>(look.named());
        names.remove(ClusterLook.NO_OTHERS);
        look.members()
                .forEach(asked -> names.removeIf(name -> ClusterLook.names(asked.member(), name)));
        return names;
    }

    /**
     * A survivor too has to be named: it may begin a new cluster with its data, as this node does,
     * and neither sees the other while their etcd is stopped.
     */
    private static List<Member> unnamed(ClusterLook look) {
        return others(look.voters().stream()
                .filter(asked -> !look.isNamed(asked.member()))
                .toList());
    }

    private static List<Member> others(List<Asked> asked) {
        return asked.stream()
                .filter(Predicate.not(Asked::own))
                .map(Asked::member)
                .toList();
    }
}
