package io.kjadm.etcd;

/**
 * An alarm raised in the cluster, which stays until somebody disarms it.
 *
 * @param kind {@code NOSPACE} or {@code CORRUPT}
 */
public record Alarm(MemberId memberId, String kind) {}
