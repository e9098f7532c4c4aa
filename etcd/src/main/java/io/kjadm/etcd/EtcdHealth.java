package io.kjadm.etcd;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The member list and what each member said when asked, once and all together.
 *
 * @param statuses of the members that answered under their own ID
 * @param silences why the others are missing there
 */
public record EtcdHealth(
        List<Member> members,
        Map<MemberId, MemberStatus> statuses,
        Map<MemberId, String> silences) {

    /** Every member reports all alarms, each with the ID of the one that raised it. */
    private static final Pattern ALARM = Pattern.compile("memberID:(\\d+)\\s+alarm:(\\w+)");

    public EtcdHealth {
        members = List.copyOf(members);
        statuses = Map.copyOf(statuses);
        silences = Map.copyOf(silences);
    }

    /** Reads the member list, then asks every member; fails only if the list cannot be read. */
    public static EtcdHealth ask(EtcdCluster cluster) {
        return ask(cluster, cluster.members());
    }

    /** The same while that member may not serve yet; see {@link EtcdCluster#statuses}. */
    public static EtcdHealth ask(EtcdCluster cluster, MemberId starting) {
        return of(cluster.members(), started -> cluster.statuses(started, starting));
    }

    /** Asks every member of a list that was read just now. */
    public static EtcdHealth ask(EtcdCluster cluster, List<Member> members) {
        return of(members, cluster::statuses);
    }

    private static EtcdHealth of(
            List<Member> members, Function<List<Member>, Map<Member, StatusAnswer>> ask) {
        var statuses = new HashMap<MemberId, MemberStatus>();
        var silences = new HashMap<MemberId, String>();
        List<Member> started = members.stream().filter(Member::started).toList();
        members.stream()
                .filter(member -> !member.started())
                .forEach(member -> silences.put(member.id(), "it has not started"));
        ask.apply(started).forEach((member, answer) -> {
            if (answer.status().isEmpty()) {
                silences.put(member.id(), answer.silence());
                return;
            }
            MemberStatus status = answer.status().get();
            if (status.memberId().equals(member.id())) {
                statuses.put(member.id(), status);
            } else {
                silences.put(
                        member.id(), "member " + status.memberId() + " answers at its client URLs");
            }
        });
        return new EtcdHealth(members, statuses, silences);
    }

    public List<Member> voters() {
        return members.stream().filter(Member::voter).toList();
    }

    public List<Member> learners() {
        return members.stream().filter(Member::learner).toList();
    }

    public Quorum quorum() {
        return new Quorum(voters().size());
    }

    /**
     * Answers under its own ID and knows a leader. Alarms are the whole cluster's, every member
     * reports them, so they are asked for apart: a full disk must not look like a lost quorum.
     */
    public boolean healthy(Member member) {
        MemberStatus status = statuses.get(member.id());
        return status != null && !status.leaderId().isNone();
    }

    public int healthyVoters() {
        return (int) voters().stream().filter(this::healthy).count();
    }

    public boolean allVotersHealthy() {
        return healthyVoters() == quorum().voters();
    }

    /** The healthy voters but for that one. */
    public List<Member> healthyVotersWithout(Member member) {
        return voters().stream()
                .filter(voter -> !voter.id().equals(member.id()) && healthy(voter))
                .toList();
    }

    /** Whether the healthy voters that would remain are a quorum of what would remain. */
    public boolean keepsQuorumWithout(Member voter) {
        return healthyVotersWithout(voter).size() >= quorum().minusOne().size();
    }

    /**
     * Whether the healthy voters are a quorum while that one is away for a moment: it stays in the
     * list, so as many are needed as before.
     */
    public boolean keepsQuorumWhileAway(Member voter) {
        return healthyVotersWithout(voter).size() >= quorum().size();
    }

    /**
     * Who takes over with the least delay where that member leads: of the other healthy voters the
     * one that has applied most. Empty if it does not lead, or if there is none.
     */
    public Optional<Member> successorOf(Member member) {
        if (leader().filter(leader -> leader.id().equals(member.id())).isEmpty()) {
            return Optional.empty();
        }
        return healthyVotersWithout(member).stream()
                .max(Comparator.comparingLong(voter -> statuses.get(voter.id()).appliedIndex()));
    }

    /** "1 of 3 voters are healthy, 2 are needed". */
    public String quorumText() {
        return "%d of %d voters are healthy, %d are needed"
                .formatted(healthyVoters(), quorum().voters(), quorum().size());
    }

    public boolean hasQuorum() {
        return healthyVoters() >= quorum().size();
    }

    /**
     * Whether a voter knows a leader, which then has a quorum, though this node may not reach it.
     */
    public boolean isLed() {
        return healthyVoters() > 0;
    }

    /** Whether so many voters respond as can elect a leader, and none of them knows one. */
    public boolean isElecting() {
        List<MemberStatus> answers =
                voters().stream().flatMap(voter -> status(voter.id()).stream()).toList();
        return answers.size() >= quorum().size()
                && answers.stream().allMatch(status -> status.leaderId().isNone());
    }

    /** The leader the majority of voters names. */
    public Optional<Member> leader() {
        var named = new HashMap<MemberId, Integer>();
        for (Member voter : voters()) {
            MemberStatus status = statuses.get(voter.id());
            if (status != null && !status.leaderId().isNone()) {
                named.merge(status.leaderId(), 1, Integer::sum);
            }
        }
        int majority = quorum().size();
        return members.stream()
                .filter(member -> named.getOrDefault(member.id(), 0) >= majority)
                .findFirst();
    }

    /** Some of the members in the order in which they are restarted: the leader last. */
    public List<Member> leaderLast(Predicate<Member> which) {
        return members.stream()
                .filter(which)
                .sorted(Comparator.comparing(
                        member -> leader().filter(member::equals).isPresent()))
                .toList();
    }

    public Optional<MemberStatus> leaderStatus() {
        return leader().map(leader -> statuses.get(leader.id()));
    }

    /** The leader's commit index; 0 if there is no leader. */
    public long commit() {
        return leaderStatus().map(MemberStatus::raftIndex).orElse(0L);
    }

    public Optional<MemberStatus> status(MemberId id) {
        return Optional.ofNullable(statuses.get(id));
    }

    /** The versions heard, lowest first. */
    public List<EtcdVersion> versions() {
        return statuses.values().stream()
                .map(MemberStatus::version)
                .distinct()
                .sorted()
                .toList();
    }

    /**
     * The clusters that the members which answered say they belong to; more than one is a mix-up of
     * endpoints.
     */
    public Set<String> clusterIds() {
        return statuses.values().stream().map(MemberStatus::clusterId).collect(Collectors.toSet());
    }

    /** The leader's term, if there is one leader. */
    public OptionalLong leaderTerm() {
        return leaderStatus()
                .map(status -> OptionalLong.of(status.raftTerm()))
                .orElseGet(OptionalLong::empty);
    }

    /** The listed member of that ID. */
    public Optional<Member> find(MemberId id) {
        return members.stream().filter(member -> member.id().equals(id)).findFirst();
    }

    /** Alarms some member reports, as it words them; {@code no leader} is not one. */
    public List<String> alarms() {
        return statuses.values().stream()
                .flatMap(status -> status.errors().stream())
                .map(String::strip)
                .filter(error -> error.contains("alarm:"))
                .distinct()
                .sorted()
                .toList();
    }

    /** The same, each with the member that raised it. */
    public List<Alarm> raisedAlarms() {
        return alarms().stream()
                .map(ALARM::matcher)
                .filter(Matcher::find)
                .map(alarm -> new Alarm(
                        new MemberId(Long.parseUnsignedLong(alarm.group(1))), alarm.group(2)))
                .distinct()
                .toList();
    }

    /**
     * "10a1 cp-1 (voter, https://10.0.0.1:2380): connection refused" of every voter that is not
     * well.
     */
    public String unhealthyMembers() {
        return voters().stream()
                .filter(Predicate.not(this::healthy))
                .map(member -> member.describe() + ": " + problem(member))
                .collect(Collectors.joining("; "));
    }

    /** Why a member that is not {@link #healthy} is not. */
    public String problem(Member member) {
        return statuses.containsKey(member.id())
                ? "it knows no leader"
                : silences.getOrDefault(member.id(), "no answer");
    }

    /** Every member with its version: "cp-1 3.5.16, cp-2 3.5.16". */
    public String versionsByMember() {
        return members.stream()
                .map(member -> member.label() + " "
                        + status(member.id()).map(s -> s.version().toString()).orElse("unknown"))
                .collect(Collectors.joining(", "));
    }

    /** An alarm that is raised; etcd refuses or spoils writes until it is dealt with. */
    public Optional<Problem> alarmRaised() {
        return alarms().isEmpty()
                ? Optional.empty()
                : Optional.of(new Problem(
                        "etcd raises an alarm: " + String.join(", ", alarms()),
                        "a member with an alarm refuses writes or has damaged data",
                        Alarm.WAY_OUT));
    }

    /**
     * The version whose format the data have, as the member tells it that is furthest; empty if none
     * tells. An older minor of etcd does not start with them.
     */
    public Optional<EtcdVersion> storageVersion() {
        return statuses.values().stream()
                .flatMap(status -> status.versions().storage().stream())
                .max(Comparator.naturalOrder());
    }

    /** A downgrade that is under way; while it is, the cluster version fits no new member. */
    public Optional<Problem> downgradeUnderWay() {
        return statuses.values().stream().noneMatch(status -> status.versions().downgrading())
                ? Optional.empty()
                : Optional.of(
                        new Problem(
                                "an etcd downgrade is in progress",
                                "no member can start for the first time while it is",
                                "finish it (kjadm etcd downgrade apply), or cancel it (kjadm etcd downgrade cancel)"));
    }

    /**
     * Members that would skip the learner flag and add a voter (KEP-3614 asks for the sentence).
     */
    public Optional<Problem> learnersUnknown() {
        return versions().stream().allMatch(EtcdVersion::knowsLearners)
                ? Optional.empty()
                : Optional.of(new Problem(
                        "etcd learner mode is not supported by this etcd version",
                        "learners came with etcd 3.4; the members run " + versionsByMember(),
                        "upgrade etcd, or join with EtcdLearnerMode switched off"));
    }

    /**
     * Whether etcd of these versions adds a member while a voter is silent; only the versions heard
     * can count.
     */
    public boolean addsWithSilentVoter() {
        return versions().stream().allMatch(EtcdVersion::addsWithSilentVoter);
    }

    public String leadersNamed() {
        return voters().stream()
                .map(member -> member.label() + " follows "
                        + status(member.id())
                                .map(s -> s.leaderId().toString())
                                .orElse("no known leader"))
                .collect(Collectors.joining(", "));
    }
}
