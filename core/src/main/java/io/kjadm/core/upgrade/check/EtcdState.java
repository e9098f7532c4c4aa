package io.kjadm.core.upgrade.check;

import io.kjadm.etcd.check.ClusterFacts;

/** A stacked etcd that is upgraded too. */
public sealed interface EtcdState {

    /**
     * It answers.
     *
     * @param targetTag tag of the image that its members get
     */
    record Seen(ClusterFacts cluster, String targetTag) implements EtcdState {}

    /** None of its members does. */
    record Silent(String why) implements EtcdState {}
}
