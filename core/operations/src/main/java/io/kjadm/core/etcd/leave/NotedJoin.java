package io.kjadm.core.etcd.leave;

import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.PeerUrls;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a join of this node that did not end has added to the cluster. One that died while its add
 * was being sent knows no ID: then it is the member with its URL that was not listed before, and
 * that there is none is certain only when the add can no longer be applied.
 */
final class NotedJoin {

    private final Optional<JoinEntry> entry;
    private final Waiter clock;
    private final Instant firstLook;

    NotedJoin(Optional<JoinEntry> entry, Waiter clock) {
        this.entry = entry;
        this.clock = clock;
        this.firstLook = clock.now();
    }

    /** The member that it has added, if it is listed. */
    Optional<Member> among(List<Member> members) {
        return members.stream().filter(this::isAdded).findFirst();
    }

    private boolean isAdded(Member member) {
        return entry.filter(known -> known.memberId()
                        .map(member.id()::equals)
                        .orElseGet(() -> known.state() == JoinState.ADDING && isNew(known, member)))
                .isPresent();
    }

    private static boolean isNew(JoinEntry known, Member member) {
        return PeerUrls.of(member).overlaps(PeerUrls.of(known.peerUrl()))
                && known.before().stream().noneMatch(old -> old.id().equals(member.id()));
    }

    /**
     * Why it cannot be said yet what the join has added, or whether what it has added votes;
     * nothing, if it can.
     */
    Optional<String> late(List<Member> members) {
        Duration looked = Duration.between(firstLook, clock.now());
        if (looked.compareTo(EtcdCluster.LATE_CHANGE) >= 0) {
            return Optional.empty();
        }
        boolean sent = entry.filter(known -> known.state() == JoinState.ADDING).isPresent()
                && among(members).isEmpty();
        boolean promoted =
                entry.filter(known -> known.state() == JoinState.PROMOTING).isPresent()
                        && among(members).filter(Member::learner).isPresent();
        return !sent && !promoted
                ? Optional.empty()
                : Optional.of(
                        "etcd may still apply what that join sent; this is known %d s after the first look"
                                .formatted(EtcdCluster.LATE_CHANGE.toSeconds()));
    }
}
