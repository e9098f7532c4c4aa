package io.kjadm.core.etcd.replace;

import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberProbe;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.check.ClusterFacts;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides in which order a member is replaced: facts in, plan out. Whether the cluster is fit for
 * another member is the join's checks to say. Nothing here asks or changes anything.
 */
final class ReplaceRules {

    /** From so many voters on one that is dead leaves enough to add another before it goes. */
    private static final int ENOUGH_TO_ADD_FIRST = 5;

    private ReplaceRules() {}

    /** The safest order for that voter. */
    static ReplacePlan plan(EtcdHealth health, Member old) {
        if (old.learner()) {
            return refused(
                    "%s is a learner, and has no vote to replace".formatted(old.describe()),
                    "",
                    "remove it with 'kjadm etcd member remove %s', then add another one with 'kjadm etcd member add'"
                            .formatted(old.id()));
        }
        if (!health.hasQuorum()) {
            return refused(
                    "%s cannot be replaced: etcd has no quorum".formatted(old.describe()),
                    "%s: %s".formatted(health.quorumText(), health.unhealthyMembers()),
                    "bring a majority of the voters back; if they are lost for good, restore a snapshot: kjadm etcd snapshot restore");
        }
        if (!health.learners().isEmpty()) {
            return refused(
                    "%s is not replaced while another member is joining".formatted(old.describe()),
                    Member.describeAll(health.learners()),
                    "wait for its join to finish, or run 'kjadm etcd member cleanup' if it is not going to start");
        }
        if (corrupt(health, old)) {
            return orderOfDead(health, old, "its data are damaged", true);
        }
        if (!health.healthy(old)) {
            return orderOfDead(health, old, "it does not serve: " + health.problem(old), false);
        }
        List<Member> unhealthy =
                health.voters().stream().filter(voter -> !health.healthy(voter)).toList();
        if (!unhealthy.isEmpty()) {
            return refused(
                    "%s is not replaced while another voter is unhealthy".formatted(old.describe()),
                    health.unhealthyMembers(),
                    "bring that one back, or replace it first");
        }
        return new ReplacePlan.Ordered(
                ReplaceOrder.ADD_FIRST,
                false,
                "it serves, so the new member votes before it leaves");
    }

    private static ReplacePlan orderOfDead(
            EtcdHealth health, Member old, String why, boolean damaged) {
        Quorum now = health.quorum();
        boolean addFirst = !damaged
                && now.voters() >= ENOUGH_TO_ADD_FIRST
                && health.addsWithSilentVoter()
                && health.healthyVoters() >= now.plusOne().size();
        if (addFirst) {
            return new ReplacePlan.Ordered(
                    ReplaceOrder.ADD_FIRST,
                    true,
                    "%s; %d of %d voters are healthy, so the new member votes before it leaves"
                            .formatted(why, health.healthyVoters(), now.voters()));
        }
        if (!health.keepsQuorumWithout(old)) {
            return refused(
                    "%s cannot be replaced".formatted(old.describe()),
                    "of the other voters %d are healthy, %d are needed: %s"
                            .formatted(
                                    health.healthyVotersWithout(old).size(),
                                    now.minusOne().size(),
                                    health.unhealthyMembers()),
                    now.voters() == 1
                            ? "it is the only voter: restore a snapshot (kjadm etcd snapshot restore)"
                            : "bring the other voters back first; if a majority is lost for good, restore a snapshot: kjadm etcd snapshot restore");
        }
        return new ReplacePlan.Ordered(
                ReplaceOrder.REMOVE_FIRST,
                false,
                "%s; it leaves first, and until the new member votes %s"
                        .formatted(
                                why,
                                spare(health.healthyVotersWithout(old).size()
                                        - now.minusOne().size())));
    }

    private static String spare(int more) {
        return more == 0 ? "none of the others may fail" : more + " of the others may fail";
    }

    /** Whether the member has raised the alarm that its keys are others than its peers have. */
    static boolean corrupt(EtcdHealth health, Member old) {
        return health.raisedAlarms().contains(new Alarm(old.id(), Alarm.CORRUPT));
    }

    /** The cluster as the new member would find it: without the old one and its alarm. */
    static ClusterFacts without(ClusterFacts cluster, Member old) {
        // one that leads hands over before it leaves
        MemberId leader = cluster.health().healthyVotersWithout(old).stream()
                .findFirst()
                .map(Member::id)
                .orElse(MemberId.NONE);
        Map<MemberId, MemberProbe> looks = new HashMap<>();
        cluster.looks().forEach((id, look) -> {
            if (!id.equals(old.id())) {
                looks.put(id, without(look, old, leader));
            }
        });
        return ClusterFacts.of(
                withoutMember(cluster.health().members(), old),
                looks,
                cluster.health().silences());
    }

    private static MemberProbe without(MemberProbe look, Member old, MemberId leader) {
        MemberStatus status = look.status();
        String own = "memberID:%s alarm:CORRUPT"
                .formatted(Long.toUnsignedString(old.id().value()));
        return new MemberProbe(
                new MemberStatus(
                        status.ids(),
                        status.leaderId().equals(old.id()) ? leader : status.leaderId(),
                        status.versions(),
                        status.database(),
                        status.raft(),
                        status.learner(),
                        status.errors().stream()
                                .filter(error -> !error.contains(own))
                                .toList()),
                look.quotaBytes(),
                look.agreed().map(members -> withoutMember(members, old)),
                look.local().map(members -> withoutMember(members, old)));
    }

    private static List<Member> withoutMember(List<Member> members, Member old) {
        return members.stream().filter(member -> !member.id().equals(old.id())).toList();
    }

    private static ReplacePlan.Refused refused(String what, String why, String next) {
        return new ReplacePlan.Refused(new Problem(what, why, next));
    }
}
