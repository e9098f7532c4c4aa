package io.kjadm.etcd;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The member list and what each member said when asked, once and all together.
 *
 * @param statuses of the members that answered under their own ID
 * @param silences why the others are missing there
 */
public record EtcdHealth(
        List<Member> members, Map<MemberId, MemberStatus> statuses, Map<MemberId, String> silences) {

    public EtcdHealth {
        members = List.copyOf(members);
        statuses = Map.copyOf(statuses);
        silences = Map.copyOf(silences);
    }

    /** Reads the member list, then asks every member; fails only if the list cannot be read. */
    public static EtcdHealth ask(EtcdCluster cluster) {
        return ask(cluster, cluster.members());
    }

    /** Asks every member of a list that was read just now. */
    public static EtcdHealth ask(EtcdCluster cluster, List<Member> members) {
        var statuses = new HashMap<MemberId, MemberStatus>();
        var silences = new HashMap<MemberId, String>();
        List<Member> started = members.stream().filter(Member::started).toList();
        members.stream().filter(member -> !member.started())
                .forEach(member -> silences.put(member.id(), "it has not started"));
        cluster.statuses(started).forEach((member, answer) -> {
            switch (answer) {
                case StatusAnswer.Heard(MemberStatus status) when status.memberId().equals(member.id()) ->
                        statuses.put(member.id(), status);
                case StatusAnswer.Heard(MemberStatus status) -> silences.put(member.id(),
                        "member " + status.memberId() + " answers at its client URLs");
                case StatusAnswer.Silent(String why) -> silences.put(member.id(), why);
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
     * Answers under its own ID and knows a leader. Alarms are the whole cluster's, every member reports them, so they are
     * asked for apart: a full disk must not look like a lost quorum.
     */
    public boolean healthy(Member member) {
        MemberStatus status = statuses.get(member.id());
        return status != null && !status.leaderId().isNone();
    }

    public long healthyVoters() {
        return voters().stream().filter(this::healthy).count();
    }

    public boolean hasQuorum() {
        return healthyVoters() >= quorum().size();
    }

    /** The leader the majority of voters names. */
    public Optional<Member> leader() {
        Map<MemberId, Long> named = voters().stream()
                .map(member -> statuses.get(member.id()))
                .filter(status -> status != null && !status.leaderId().isNone())
                .collect(Collectors.groupingBy(MemberStatus::leaderId, Collectors.counting()));
        return members.stream()
                .filter(member -> named.getOrDefault(member.id(), 0L) >= quorum().size())
                .findFirst();
    }

    public Optional<MemberStatus> leaderStatus() {
        return leader().map(leader -> statuses.get(leader.id()));
    }

    public Optional<MemberStatus> status(MemberId id) {
        return Optional.ofNullable(statuses.get(id));
    }

    /** The versions heard, lowest first. */
    public List<EtcdVersion> versions() {
        return statuses.values().stream().map(MemberStatus::version).distinct().sorted().toList();
    }

    /** The clusters that the members which answered say they belong to; more than one is a mix-up of endpoints. */
    public Set<String> clusterIds() {
        return statuses.values().stream().map(MemberStatus::clusterId).collect(Collectors.toSet());
    }

    /** The leader's term, if there is one leader. */
    public OptionalLong leaderTerm() {
        return leaderStatus().map(status -> OptionalLong.of(status.raftTerm())).orElseGet(OptionalLong::empty);
    }

    /** The listed member of that ID. */
    public Optional<Member> find(MemberId id) {
        return members.stream().filter(member -> member.id().equals(id)).findFirst();
    }

    /** Alarms some member reports, as it words them; {@code no leader} is not one. */
    public List<String> alarms() {
        return statuses.values().stream().flatMap(status -> status.errors().stream())
                .map(String::strip).filter(error -> error.contains("alarm:")).distinct().sorted().toList();
    }

    /** "10a1 cp-1 (voter, https://10.0.0.1:2380): connection refused" of every voter that is not well. */
    public String ailing() {
        return voters().stream().filter(Predicate.not(this::healthy))
                .map(member -> member.describe() + ": " + ailment(member))
                .collect(Collectors.joining("; "));
    }

    private String ailment(Member member) {
        return statuses.containsKey(member.id())
                ? "it knows no leader"
                : silences.getOrDefault(member.id(), "no answer");
    }

    /** Every member with its version: "cp-1 3.5.16, cp-2 3.5.16". */
    public String versionsByMember() {
        return members.stream()
                .map(member -> member.label() + " " + status(member.id()).map(s -> s.version().toString()).orElse("unknown"))
                .collect(Collectors.joining(", "));
    }

    /** Whether a further member may be added now, before anything is changed. */
    public JoinVerdict joinVerdict() {
        if (!alarms().isEmpty()) {
            return new JoinVerdict.NotReady("etcd raises an alarm: " + String.join(", ", alarms()),
                    "a member with an alarm refuses writes or has damaged data",
                    "for NOSPACE compact, defragment and disarm (etcdctl alarm disarm); for CORRUPT replace the member");
        }
        if (!hasQuorum()) {
            return new JoinVerdict.NotReady("etcd has no healthy majority: %d of %d voters"
                    .formatted(healthyVoters(), quorum().voters()), ailing(), "bring the silent members back first");
        }
        if (leader().isEmpty()) {
            return new JoinVerdict.NotReady("the etcd members do not agree on a leader", leadersNamed(),
                    "wait for the election to end, or look for two clusters behind these endpoints");
        }
        if (statuses.values().stream().anyMatch(MemberStatus::downgrading)) {
            return new JoinVerdict.NotReady("an etcd downgrade is in progress",
                    "no member can start for the first time while it is", "finish it, or run etcdctl downgrade cancel");
        }
        return healthyVoters() == quorum().voters() ? ready() : degradedVerdict();
    }

    /** etcd's own test (strict reconfiguration check) decides, told here before it costs anybody a wait. */
    private JoinVerdict degradedVerdict() {
        boolean newEnough = versions().stream().allMatch(EtcdVersion::addsWithSilentVoter);
        int needed = quorum().plusOne().size();
        if (newEnough && healthyVoters() >= needed) {
            List<String> warnings = new ArrayList<>(ready().warnings());
            warnings.add("not every etcd voter is healthy: " + ailing());
            return new JoinVerdict.Ready(warnings);
        }
        return new JoinVerdict.NotReady("not every etcd voter is healthy: " + ailing(),
                newEnough
                        ? "etcd adds a member only while %d voters are connected, %d are".formatted(needed, healthyVoters())
                        : "etcd before 3.5.30 and 3.6.11 adds a member only while every voter is connected; here: "
                                + versionsByMember(),
                "bring the member back, or remove it for good (etcdctl member remove), then try again");
    }

    private JoinVerdict.Ready ready() {
        var warnings = new ArrayList<String>();
        Set<Integer> minors = versions().stream().map(EtcdVersion::minor).collect(Collectors.toSet());
        if (minors.size() > 1) {
            warnings.add("the etcd members run different minor versions: " + versionsByMember());
        }
        for (Member learner : learners()) {
            warnings.add("another etcd member is joining: " + learner.describe());
        }
        return new JoinVerdict.Ready(warnings);
    }

    private String leadersNamed() {
        return voters().stream()
                .map(member -> member.label() + " follows "
                        + status(member.id()).map(s -> s.leaderId().toString()).orElse("nobody known"))
                .collect(Collectors.joining(", "));
    }
}
