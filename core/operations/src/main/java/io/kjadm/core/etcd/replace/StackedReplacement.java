package io.kjadm.core.etcd.replace;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.commands.MemberCommandRules;
import io.kjadm.core.etcd.commands.MembershipChanges;
import io.kjadm.core.etcd.commands.MembershipSteps;
import io.kjadm.core.etcd.upkeep.AlarmDisarm;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;

import java.util.Optional;

/**
 * Replaces the etcd member of a control-plane node: {@code join} on another machine brings the new one
 * in, with all of its checks, so what is left to do here is to let the dead one go.
 */
public final class StackedReplacement {

    private static final String JOIN = """
            Now join a new control-plane node:
              1. on a node that runs:   kjadm init phase upload-certs --upload-certs
              2. on the same node:      kjadm token create --print-join-command
              3. on the new machine:    that command, with --control-plane --certificate-key KEY of step 1
            """;

    private final MembershipSteps steps;
    private final MembershipChanges changes;
    private final AlarmDisarm alarms;
    private final Reporter out;

    /** @param alarms disarms {@code CORRUPT} once its member has left */
    public StackedReplacement(
            MembershipSteps steps, MembershipChanges changes, AlarmDisarm alarms, Reporter out) {
        this.steps = steps;
        this.changes = changes;
        this.alarms = alarms;
        this.out = out;
    }

    private static Optional<Problem> serves(EtcdHealth health, Member old) {
        return health.healthy(old) && !ReplaceRules.corrupt(health, old)
                ? Optional.of(new Problem(
                        "%s is not removed before another node has joined"
                                .formatted(old.describe()),
                        "it serves, and the new member votes first then",
                        "join the new control-plane node, then run 'kjadm reset' on the node of %s"
                                .formatted(old.label())))
                : Optional.empty();
    }

    /**
     * Removes a dead voter as {@code member remove} does, and tells how another node joins.
     *
     * @param word ID or name
     * @throws ClusterException if it serves, so that the new node has to join first, or if it must
     *         not go
     */
    public void replace(String word) {
        EtcdHealth health = steps.look().health();
        Member old = MemberCommandRules.member(health.members(), word);
        switch (ReplaceRules.plan(health, old)) {
            case ReplacePlan.Refused refused -> throw new ClusterException(refused.problem());
            case ReplacePlan.Ordered ordered -> {
                serves(health, old).ifPresent(problem -> {
                    throw new ClusterException(problem);
                });
                out.step("etcd", "Replacing %s: %s".formatted(old.describe(), ordered.why()));
            }
        }
        changes.remove(word, now -> serves(now, old));
        alarms.disarmCorruptOfThoseGone(steps.agreed());
        out.print(
                JOIN + "  4. on a node that runs:   kubectl delete node %s".formatted(old.label()));
    }
}
