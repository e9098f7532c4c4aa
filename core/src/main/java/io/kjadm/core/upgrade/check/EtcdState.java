package io.kjadm.core.upgrade.check;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.upgrade.V2Content;

import java.util.Map;

/** A stacked etcd that is upgraded too. */
public sealed interface EtcdState {

    /**
     * It answers.
     *
     * @param targetTag tag of the image that its members get
     * @param v2Content what was found in the data directories that were looked into
     */
    record Seen(ClusterFacts cluster, String targetTag, Map<MemberId, V2Content> v2Content)
            implements EtcdState {

        public Seen {
            v2Content = Map.copyOf(v2Content);
        }
    }

    /** None of its members does. */
    record Silent(String why) implements EtcdState {}
}
