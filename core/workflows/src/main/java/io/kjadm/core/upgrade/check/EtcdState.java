package io.kjadm.core.upgrade.check;

import io.kjadm.core.upgrade.EtcdPatch;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.upgrade.V2Content;

import java.util.Map;
import java.util.Optional;

/** A stacked etcd that is upgraded too. */
public sealed interface EtcdState {

    /**
     * It answers.
     *
     * @param targetTag tag of the image that its members get
     * @param v2Content what was found in the data directories that were looked into
     * @param patch     the patch release that members get first, if they need one
     */
    record Seen(
            ClusterFacts cluster,
            String targetTag,
            Map<MemberId, V2Content> v2Content,
            Optional<EtcdPatch> patch)
            implements EtcdState {

        public Seen {
            v2Content = Map.copyOf(v2Content);
        }
    }

    /** The patch release that members get first, if they need one. */
    static Optional<EtcdPatch> patch(Optional<EtcdState> etcd) {
        return etcd.flatMap(state -> state instanceof Seen seen ? seen.patch() : Optional.empty());
    }

    /** None of its members does. */
    record Silent(String why) implements EtcdState {}
}
