package io.kjadm.etcd.check;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberProbe;
import io.kjadm.etcd.MemberStatus;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The cluster as it was seen, all members asked at the same time.
 *
 * @param health the member list, who answered, and why the others did not
 * @param looks what each of those that answered told
 */
public record ClusterFacts(EtcdHealth health, Map<MemberId, MemberProbe> looks) {

    public ClusterFacts {
        Objects.requireNonNull(health, "health");
        looks = Map.copyOf(looks);
    }

    /**
     * The facts of one look at everybody.
     *
     * @param silences why members that have started did not answer
     */
    public static ClusterFacts of(
            List<Member> members,
            Map<MemberId, MemberProbe> looks,
            Map<MemberId, String> silences) {
        Map<MemberId, MemberStatus> statuses = looks.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().status()));
        Map<MemberId, String> why = new HashMap<>(silences);
        members.stream()
                .filter(member -> !member.started())
                .forEach(member -> why.put(member.id(), "it has not started"));
        return new ClusterFacts(new EtcdHealth(members, statuses, why), looks);
    }

    /** Whether a second look in a moment may be better: an election or a change was under way. */
    public boolean mayPass() {
        return !AgreementRules.leader(this).isEmpty()
                || !AgreementRules.lists(this).isEmpty();
    }

    List<Member> members() {
        return health.members();
    }
}
