package io.kjadm.etcd;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One member looked at by itself.
 *
 * @param quotaBytes largest size of its database; only etcd 3.6 and newer tell it
 * @param agreed its member list as all voters agree on it; empty if it could not tell, as without a
 *         leader
 * @param local its member list from its own memory; empty if it could not tell, as a learner
 */
public record MemberProbe(
        MemberStatus status,
        OptionalLong quotaBytes,
        Optional<List<Member>> agreed,
        Optional<List<Member>> local) {

    public MemberProbe {
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(quotaBytes, "quotaBytes");
        agreed = agreed.map(List::copyOf);
        local = local.map(List::copyOf);
    }
}
