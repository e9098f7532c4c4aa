package io.kjadm.core.journal;

import io.kjadm.etcd.MemberId;

import java.time.Instant;
import java.util.Optional;

/**
 * What an entry tells for its header.
 *
 * @param step      that the entry announces
 * @param at        when the operation began, or when this was written if it does not say
 * @param clusterId the etcd cluster that it is about (hexadecimal), if it is known
 * @param memberId  the member that it is about, if it is known
 */
public record Progress(
        Enum<?> step, Instant at, Optional<String> clusterId, Optional<MemberId> memberId) {}
