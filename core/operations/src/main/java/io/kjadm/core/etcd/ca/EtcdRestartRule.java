package io.kjadm.core.etcd.ca;

import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Whether this node's etcd may be away for the moments of a restart. It may if all other members
 * are healthy and keep a quorum without it, or if it takes no part as it is. Decided from facts
 * alone.
 */
public sealed interface EtcdRestartRule {

    /**
     * It may.
     *
     * @param handOver comes first, if this member leads
     */
    record Allowed(String why, Optional<HandOver> handOver) implements EtcdRestartRule {}

    /** Leadership from one member to another. */
    record HandOver(Member leader, Member successor) {}

    /** It may not. */
    record Refused(Problem problem) implements EtcdRestartRule {}

    /** @param own this node's member, if the list has it */
    static EtcdRestartRule judge(EtcdHealth health, Optional<Member> own) {
        if (own.isEmpty()) {
            return allowed("this node has no member in the list");
        }
        Member member = own.get();
        if (member.learner()) {
            return allowed("it is a learner, which has no vote");
        }
        if (health.voters().size() == 1) {
            return allowed("it is the only voter");
        }
        // where those that are seen are no quorum, a leader that they know has the vote of a silent
        // one
        if (!health.healthy(member) && (!health.isLed() || health.keepsQuorumWhileAway(member))) {
            return allowed("it takes no part as it is: " + health.problem(member));
        }
        List<Member> others = health.healthyVotersWithout(member);
        if (!health.keepsQuorumWhileAway(member)) {
            return refused(
                    CommonReason.NEEDED_FOR_QUORUM,
                    "without it %d of %d voters would be healthy, %d are needed"
                            .formatted(
                                    others.size(),
                                    health.voters().size(),
                                    health.quorum().size()),
                    health.voters().size() == 2 && !others.isEmpty()
                            ? "a cluster of two members has none to spare: join a third, or stop etcd by hand when a pause of all writes is acceptable"
                            : "bring the other members back, then run the command again; if their certificates have expired too, renew them there first");
        }
        String unhealthy = health.members().stream()
                .filter(other -> !other.equals(member) && !health.healthy(other))
                .map(other -> other.describe() + ": " + health.problem(other))
                .collect(Collectors.joining("; "));
        if (!unhealthy.isEmpty()) {
            return refused(
                    CommonReason.MEMBERS_UNHEALTHY,
                    "not all other members are healthy: " + unhealthy,
                    "bring them back, or remove a member that is lost with 'kjadm etcd member remove', then run the command again");
        }
        return new Allowed(
                "%d other voters are healthy, %d are needed"
                        .formatted(others.size(), health.quorum().size()),
                health.successorOf(member).map(next -> new HandOver(member, next)));
    }

    private static EtcdRestartRule allowed(String why) {
        return new Allowed(why, Optional.empty());
    }

    private static EtcdRestartRule refused(CommonReason reason, String why, String next) {
        return new Refused(
                new Problem(reason, "etcd on this node cannot be restarted now", why, next));
    }
}
