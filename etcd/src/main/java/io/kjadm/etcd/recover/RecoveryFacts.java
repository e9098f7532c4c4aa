package io.kjadm.etcd.recover;

import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.recover.MemberFacts.SeenDisk;
import io.kjadm.etcd.recover.NodeEvidence.OwnMember;
import io.kjadm.etcd.recover.NodeEvidence.StartedWith;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What all nodes' evidence says together.
 *
 * @param listed   whether a member or a database lists the members; otherwise only manifests name
 *     them, which may be out of date
 * @param members  as the most advanced member or database lists them
 * @param clusters who says to belong to which cluster, by its ID
 * @param led      the clusters among them that have a leader
 * @param unknown  names that were declared lost and that no member has
 * @param ignored  evidence that was not taken, with the reason, a sentence each
 */
public record RecoveryFacts(
        boolean listed,
        List<MemberFacts> members,
        List<Alarm> alarms,
        Map<String, Set<String>> clusters,
        Set<String> led,
        Set<String> unknown,
        List<String> ignored) {

    /** What was seen so long before this run's look says nothing of now. */
    static final Duration FRESH = Duration.ofMinutes(15);

    /** By so much clocks may differ. */
    static final Duration SKEW = Duration.ofMinutes(1);

    public RecoveryFacts {
        members = List.copyOf(members);
        alarms = List.copyOf(alarms);
        clusters = Map.copyOf(clusters);
        led = Set.copyOf(led);
        unknown = Set.copyOf(unknown);
        ignored = List.copyOf(ignored);
    }

    /**
     * Puts evidence together. This run's own look always counts, and of what others bring each
     * node's newest; what is of the future was made by a wrong clock.
     *
     * @param own    what this run has seen, if it has looked
     * @param others that were looked at before
     * @param now    when this run has looked
     * @param lost   names, IDs or peer URLs of members that the operator gives up
     */
    public static RecoveryFacts of(
            Optional<NodeEvidence> own,
            Collection<NodeEvidence> others,
            Instant now,
            Collection<String> lost) {
        return new Merge(own, others, now).facts(new LinkedHashSet<>(lost));
    }

    public List<MemberFacts> voters() {
        return members.stream().filter(facts -> facts.member().voter()).toList();
    }

    public Quorum quorum() {
        return new Quorum(voters().size());
    }

    /** How many voters have to be gone for good before the others may begin a new cluster. */
    public int fence() {
        return quorum().voters() - quorum().size() + 1;
    }

    /** Voters that the operator gives up and that do not respond. */
    public List<MemberFacts> lost() {
        return voters().stream()
                .filter(voter -> voter.loss() == MemberFacts.Loss.DECLARED)
                .toList();
    }

    /** Whether enough voters follow a leader. */
    public boolean hasQuorum() {
        return voters().stream().filter(MemberFacts::led).count() >= quorum().size();
    }

    /** Those that answer although they were declared lost. */
    public List<MemberFacts> aliveThoughDeclared() {
        return members.stream()
                .filter(facts -> facts.declared() && facts.answers())
                .toList();
    }

    /** The evidence of all nodes on its way to one picture. */
    private static final class Merge {

        /** This run's first, then the newest. */
        private final List<NodeEvidence> nodes = new ArrayList<>();

        private final List<NodeEvidence> fresh;
        private final List<String> ignored = new ArrayList<>();

        Merge(Optional<NodeEvidence> own, Collection<NodeEvidence> others, Instant now) {
            own.ifPresent(nodes::add);
            others.stream()
                    .sorted(Comparator.comparing(NodeEvidence::taken).reversed())
                    .forEach(node -> add(node, now));
            Instant limit = now.minus(FRESH);
            fresh = nodes.stream()
                    .filter(node -> own.filter(node::equals).isPresent()
                            || !node.taken().isBefore(limit))
                    .toList();
        }

        private void add(NodeEvidence node, Instant now) {
            if (node.taken().isAfter(now.plus(SKEW))) {
                ignored.add(
                        "Evidence of node %s is ignored: it was created at %s, and it is %s here; set the clocks and collect it again"
                                .formatted(node.node(), node.taken(), now));
                return;
            }
            Optional<NodeEvidence> newer = nodes.stream()
                    .filter(other -> other.node().equals(node.node()))
                    .findFirst();
            newer.ifPresentOrElse(
                    other -> ignored.add(
                            "Evidence of node %s of %s is ignored: there is newer evidence%s"
                                    .formatted(
                                            node.node(),
                                            node.taken(),
                                            node.look()
                                                            .boot()
                                                            .equals(other.look().boot())
                                                    ? ""
                                                    : ", of a later boot")),
                    () -> nodes.add(node));
        }

        RecoveryFacts facts(Set<String> lost) {
            Optional<List<Member>> list = list();
            List<Member> members = list.orElseGet(this::named);
            Set<String> unknown = new TreeSet<>(lost);
            members.forEach(member -> unknown.removeIf(name -> names(member, name)));
            return new RecoveryFacts(
                    list.isPresent(),
                    members.stream().map(member -> facts(member, lost)).toList(),
                    fresh.stream()
                            .flatMap(node -> node.alarms().stream())
                            .distinct()
                            .toList(),
                    clusters(),
                    led(),
                    unknown,
                    ignored);
        }

        private static boolean names(Member member, String name) {
            return ClusterLook.names(member, name);
        }

        /** A list, and the entry of raft's log up to which whoever has it knows changes of it. */
        private record Listing(List<Member> members, long index) {}

        private Optional<List<Member>> list() {
            List<Listing> listings = new ArrayList<>();
            for (NodeEvidence node : nodes) {
                node.answers().stream()
                        .flatMap(answer -> answer.status().stream())
                        .mapToLong(MemberStatus::appliedIndex)
                        .max()
                        .ifPresent(index -> listings.add(new Listing(
                                node.answers().stream()
                                        .map(MemberAnswer::member)
                                        .toList(),
                                index)));
                node.own()
                        .map(OwnMember::disk)
                        .filter(DiskEvidence.Held.class::isInstance)
                        .map(DiskEvidence.Held.class::cast)
                        .filter(held -> !held.members().isEmpty())
                        .ifPresent(held -> listings.add(new Listing(
                                held.members(),
                                held.database() instanceof DatabaseEvidence.Whole whole
                                        ? whole.applied()
                                        : 0)));
            }
            return listings.stream()
                    .max(Comparator.comparingLong(Listing::index))
                    .map(Listing::members);
        }

        /** Without any list: whom the manifests name. */
        private List<Member> named() {
            Map<URI, String> names = new LinkedHashMap<>();
            for (NodeEvidence node : nodes) {
                node.own().ifPresent(own -> {
                    own.peerUrls().forEach(url -> names.putIfAbsent(url, own.name()));
                    for (StartedWith other : own.startedWith()) {
                        names.putIfAbsent(other.peerUrl(), other.name());
                    }
                });
            }
            Map<String, List<URI>> urls = new LinkedHashMap<>();
            names.forEach((url, name) ->
                    urls.computeIfAbsent(name, unused -> new ArrayList<>()).add(url));
            return urls.entrySet().stream()
                    .map(entry -> new Member(
                            MemberId.NONE, entry.getKey(), entry.getValue(), List.of(), false))
                    .toList();
        }

        private MemberFacts facts(Member member, Set<String> lost) {
            List<MemberAnswer> answers = fresh.stream()
                    .flatMap(node -> node.answers().stream())
                    .filter(answer -> answer.member().id().equals(member.id()))
                    .toList();
            return new MemberFacts(
                    member,
                    answers.stream().flatMap(answer -> answer.status().stream()).findFirst(),
                    answers.stream()
                            .map(MemberAnswer::silence)
                            .filter(silence -> !silence.isEmpty())
                            .findFirst()
                            .orElse(""),
                    answers.stream().flatMap(answer -> answer.hash().stream()).findFirst(),
                    disk(member),
                    lost.stream().anyMatch(name -> names(member, name)));
        }

        private Optional<SeenDisk> disk(Member member) {
            return nodes.stream()
                    .filter(node -> node.own().filter(own -> runs(own, member)).isPresent())
                    .findFirst()
                    .map(node -> new SeenDisk(
                            node.node(),
                            node.taken(),
                            node.own().orElseThrow().disk(),
                            fresh.contains(node)));
        }

        private static boolean runs(OwnMember own, Member member) {
            return own.dataOf().filter(member.id()::equals).isPresent()
                    || member.peerUrls().stream().anyMatch(own.peerUrls()::contains);
        }

        private Map<String, Set<String>> clusters() {
            Map<String, Set<String>> clusters = new TreeMap<>();
            for (NodeEvidence node : fresh) {
                everyAnswer(node)
                        .forEach(answer -> answer.status()
                                .ifPresent(status ->
                                        note(clusters, status.clusterId(), label(answer))));
            }
            for (NodeEvidence node : nodes) {
                node.own().ifPresent(own -> {
                    if (own.disk() instanceof DiskEvidence.Held held
                            && held.log() instanceof LogEvidence.Readable log) {
                        note(clusters, log.clusterId(), own.name());
                    }
                });
            }
            return clusters;
        }

        private static void note(Map<String, Set<String>> clusters, String id, String who) {
            clusters.computeIfAbsent(id, unused -> new TreeSet<>()).add(who);
        }

        private static String label(MemberAnswer answer) {
            Member member = answer.member();
            return member.started()
                    ? member.name()
                    : member.clientUrls().stream()
                            .findFirst()
                            .map(URI::toString)
                            .orElse(member.id().toString());
        }

        private Set<String> led() {
            Set<String> led = new TreeSet<>();
            fresh.stream()
                    .flatMap(node -> everyAnswer(node).stream())
                    .flatMap(answer -> answer.status().stream())
                    .filter(status -> !status.leaderId().isNone())
                    .forEach(status -> led.add(status.clusterId()));
            return led;
        }

        private static List<MemberAnswer> everyAnswer(NodeEvidence node) {
            List<MemberAnswer> all = new ArrayList<>(node.answers());
            all.addAll(node.strangers());
            return all;
        }
    }
}
