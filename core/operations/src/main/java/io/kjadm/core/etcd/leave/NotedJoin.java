package io.kjadm.core.etcd.leave;

import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.PeerUrls;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What a join of this node that did not end has added to the cluster. One that died while its add
 * was being sent knows no ID: then it is the member with its URL that was not listed before and has
 * never started, and that there is none is certain only when the add can no longer be applied. An
 * address alone shows nothing: another machine may have it by now.
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
    Optional<Member> among(EtcdHealth health) {
        return ofCluster(health)
                .flatMap(known -> health.members().stream()
                        .filter(member -> isAdded(known, member))
                        .findFirst());
    }

    /** The note, unless it is of another cluster; as long as none is reported, it may be this one. */
    private Optional<JoinEntry> ofCluster(EtcdHealth health) {
        return entry.filter(known ->
                health.clusterIds().isEmpty() || health.clusterIds().contains(known.clusterId()));
    }

    private static boolean isAdded(JoinEntry known, Member member) {
        return known.memberId()
                .map(member.id()::equals)
                .orElseGet(() -> known.state() == JoinState.ADDING && isNew(known, member));
    }

    /** Its etcd is set up once its ID is noted, so what has started is another machine's. */
    private static boolean isNew(JoinEntry known, Member member) {
        return !member.started()
                && PeerUrls.of(member).overlaps(PeerUrls.of(known.peerUrl()))
                && known.before().stream().noneMatch(old -> old.id().equals(member.id()));
    }

    /**
     * Why it cannot be said yet what the join has added, or whether what it has added votes;
     * nothing, if it can.
     */
    Optional<String> late(EtcdHealth health) {
        Duration looked = Duration.between(firstLook, clock.now());
        if (looked.compareTo(EtcdCluster.LATE_CHANGE) >= 0) {
            return Optional.empty();
        }
        Optional<JoinState> state = ofCluster(health).map(JoinEntry::state);
        Optional<Member> added = among(health);
        boolean sent = state.filter(JoinState.ADDING::equals).isPresent() && added.isEmpty();
        boolean promoted = state.filter(JoinState.PROMOTING::equals).isPresent()
                && added.filter(Member::learner).isPresent();
        return !sent && !promoted
                ? Optional.empty()
                : Optional.of(
                        "etcd may still apply what that join sent; this is known %d s after the first look"
                                .formatted(EtcdCluster.LATE_CHANGE.toSeconds()));
    }
}
