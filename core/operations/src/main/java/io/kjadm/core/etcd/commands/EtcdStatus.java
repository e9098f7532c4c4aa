package io.kjadm.core.etcd.commands;

import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdSurvey;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.check.KnownDefects;
import io.kjadm.etcd.join.ReplicationProgress;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The cluster at one moment, ready to be shown.
 *
 * @param clusterId hexadecimal
 * @param members   leader first, then voters, then learners, by name
 * @param alarms    raised in the cluster
 * @param lock      who changes the membership; asked for only where there is a learner
 * @param disputes  what members say differently
 * @param at        the moment
 */
public record EtcdStatus(
        String clusterId,
        Voters voters,
        List<Row> members,
        List<Alarm> alarms,
        MembershipLeaseStatus lock,
        List<String> disputes,
        Instant at) {

    public EtcdStatus {
        members = List.copyOf(members);
        alarms = List.copyOf(alarms);
        disputes = List.copyOf(disputes);
    }

    /**
     * The voters together.
     *
     * @param healthy answer under their own ID and know a leader
     * @param leader  whom a majority of them names
     */
    public record Voters(Quorum quorum, int healthy, Optional<Member> leader) {}

    /** The same with one member alone. */
    public EtcdStatus only(MemberId id) {
        return new EtcdStatus(
                clusterId,
                voters,
                members.stream().filter(row -> row.member().id().equals(id)).toList(),
                alarms,
                lock,
                disputes,
                at);
    }

    /** What a member is to the others. */
    public enum Role {
        LEADER,
        VOTER,
        LEARNER;

        /** In lower case. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One member.
     *
     * @param status    what it says of itself, if it answers
     * @param progress  how far it follows the leader; empty if either does not answer
     * @param healthy   answers under its own ID, knows a leader and reports no error
     * @param condition "healthy", or what is wrong
     * @param owner     of a learner, if known
     */
    public record Row(
            Member member,
            Role role,
            Optional<MemberStatus> status,
            Optional<ReplicationProgress> progress,
            boolean healthy,
            String condition,
            Optional<LearnerOwner> owner) {}

    static EtcdStatus of(
            EtcdSurvey.Heard heard,
            Optional<MemberId> noted,
            MembershipLeaseStatus lock,
            Instant now) {
        EtcdHealth health = heard.health();
        Optional<Member> leader = health.leader();
        List<Alarm> alarms = health.raisedAlarms();
        List<Row> rows = health.members().stream()
                .map(member -> row(
                        health,
                        member,
                        leader,
                        alarms,
                        member.learner()
                                ? LearnerOwner.of(member, health.learners(), noted, lock)
                                : Optional.empty()))
                .sorted(Comparator.comparing(Row::role)
                        .thenComparing(row -> row.member().name())
                        .thenComparing(row -> row.member().id()))
                .toList();
        return new EtcdStatus(
                heard.clusterId(),
                new Voters(health.quorum(), health.healthyVoters(), leader),
                rows,
                alarms,
                lock,
                heard.disputes(),
                now);
    }

    private static Row row(
            EtcdHealth health,
            Member member,
            Optional<Member> leader,
            List<Alarm> alarms,
            Optional<LearnerOwner> owner) {
        Role role = member.learner()
                ? Role.LEARNER
                : leader.filter(member::equals).isPresent() ? Role.LEADER : Role.VOTER;
        Optional<MemberStatus> status = health.status(member.id());
        List<String> problems = new ArrayList<>();
        if (status.isEmpty()) {
            problems.add(
                    member.started()
                            ? "no answer: "
                                    + health.silences().getOrDefault(member.id(), "not asked")
                            : "not started");
        } else if (!health.healthy(member)) {
            problems.add("knows no leader");
        }
        alarms.stream()
                .filter(alarm -> alarm.memberId().equals(member.id()))
                .forEach(alarm -> problems.add("alarm " + alarm.kind()));
        return new Row(
                member,
                role,
                status,
                progress(health, member),
                problems.isEmpty(),
                problems.isEmpty() ? "healthy" : String.join(", ", problems),
                owner);
    }

    /** How far a member follows the leader; empty if either does not answer. */
    static Optional<ReplicationProgress> progress(EtcdHealth health, Member member) {
        return health.status(member.id())
                .flatMap(own -> health.leaderStatus()
                        .map(leader ->
                                new ReplicationProgress(own.appliedIndex(), leader.raftIndex())));
    }

    /** How many voters may still fail; negative if so many are missing. */
    public int margin() {
        return voters.healthy() - voters.quorum().size();
    }

    /** The known defects of the versions that the members run, the oldest version first. */
    public List<KnownDefects.Affected> defects() {
        return KnownDefects.shipped()
                .of(members.stream()
                        .filter(row -> row.status().isPresent())
                        .collect(Collectors.groupingBy(
                                row -> row.status().orElseThrow().version(),
                                Collectors.mapping(
                                        row -> row.member().label(), Collectors.toList()))));
    }

    /** Whether writes go through: a quorum that agrees on a leader. */
    public boolean serves() {
        return margin() >= 0 && voters.leader().isPresent();
    }

    /** Every voter that is not well, and why. */
    public String unhealthyMembers() {
        return String.join(
                "; ",
                members.stream()
                        .filter(row -> row.role() != Role.LEARNER && !row.healthy())
                        .map(row -> row.member().describe() + ": " + row.condition())
                        .toList());
    }
}
