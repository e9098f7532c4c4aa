package io.kjadm.etcd.recover;

import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.recover.LogEvidence.Gap;
import io.kjadm.etcd.recover.LogEvidence.Position;
import io.kjadm.etcd.recover.NodeEvidence.OwnMember;
import io.kjadm.etcd.recover.NodeEvidence.StartedWith;

import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A cluster of voters {@code cp-1}, {@code cp-2} …, and what its nodes see of it. */
public final class EvidenceScene {

    public static final String CLUSTER = "c1";
    public static final Instant NOW = Instant.parse("2026-11-26T03:00:00Z");

    private final int voters;
    private final Set<Integer> answering = new HashSet<>();
    private final Map<Integer, DiskEvidence> disks = new HashMap<>();
    private final Map<Integer, KvHash> hashes = new HashMap<>();
    private final List<Alarm> alarms = new ArrayList<>();
    private final List<MemberAnswer> strangers = new ArrayList<>();
    private final List<MemberAnswer> others = new ArrayList<>();
    private boolean led;

    /** Of voters that do not answer. */
    public EvidenceScene(int voters) {
        this.voters = voters;
    }

    public static MemberId id(int number) {
        return new MemberId(0xa000 + number);
    }

    public static String name(int number) {
        return "cp-" + number;
    }

    static List<String> labels(List<MemberFacts> members) {
        return members.stream().map(MemberFacts::label).toList();
    }

    public static Member member(int number) {
        return new Member(
                id(number),
                name(number),
                List.of(URI.create("https://cp-%d:2380".formatted(number))),
                List.of(URI.create("https://cp-%d:2379".formatted(number))),
                false);
    }

    /** They answer. */
    EvidenceScene answering(int... numbers) {
        IntStream.of(numbers).forEach(answering::add);
        return this;
    }

    /** Those that answer follow the first of them. */
    EvidenceScene led() {
        led = true;
        return this;
    }

    /** It is listed beside the voters. */
    EvidenceScene beside(MemberAnswer other) {
        others.add(other);
        return this;
    }

    EvidenceScene alarm(int number, String kind) {
        alarms.add(new Alarm(id(number), kind));
        return this;
    }

    EvidenceScene hash(int number, int hash) {
        return hash(number, new KvHash(50, 10, hash));
    }

    EvidenceScene hash(int number, KvHash hash) {
        hashes.put(number, hash);
        return this;
    }

    EvidenceScene stranger(String cluster, int number) {
        strangers.add(new MemberAnswer(
                member(number),
                Optional.of(status(new MemberId(0xbeef), cluster, new MemberId(0xbeef), 100)),
                "",
                Optional.empty()));
        return this;
    }

    /** The data of a node whose database has applied so much, all that its log commits. */
    public EvidenceScene data(int number, long applied) {
        return data(number, applied, applied, applied, 0);
    }

    EvidenceScene data(int number, long applied, long commit, long last, long committed) {
        return disk(
                number,
                new DiskEvidence.Held(
                        "/var/lib/etcd",
                        new LogEvidence.Readable(
                                id(number),
                                CLUSTER,
                                new Position(commit, 3, last),
                                new Gap(committed, last - commit)),
                        new DatabaseEvidence.Whole(applied - 10, applied, 3, 4096),
                        members()));
    }

    /** Data of a node whose log commits more than its database has applied. */
    public EvidenceScene lagging(int number, long applied, long commit, long committed) {
        return data(number, applied, commit, commit, committed);
    }

    EvidenceScene dataOf(int number, MemberId owner, String cluster) {
        return disk(
                number,
                new DiskEvidence.Held(
                        "/var/lib/etcd",
                        new LogEvidence.Readable(
                                owner, cluster, new Position(9, 3, 9), new Gap(0, 0)),
                        new DatabaseEvidence.Whole(5, 9, 3, 4096),
                        List.of()));
    }

    EvidenceScene damaged(int number) {
        return disk(
                number,
                new DiskEvidence.Held(
                        "/var/lib/etcd",
                        new LogEvidence.Readable(
                                id(number), CLUSTER, new Position(9, 3, 9), new Gap(0, 0)),
                        new DatabaseEvidence.Damaged("its tree has no end at page 7"),
                        List.of()));
    }

    public EvidenceScene empty(int number) {
        return disk(
                number,
                new DiskEvidence.Empty(
                        "/var/lib/etcd", List.of(), Optional.of(id(number).toString()), List.of()));
    }

    EvidenceScene disk(int number, DiskEvidence disk) {
        disks.put(number, disk);
        return this;
    }

    private List<Member> members() {
        return IntStream.rangeClosed(1, voters).mapToObj(EvidenceScene::member).toList();
    }

    private static MemberStatus status(MemberId id, String cluster, MemberId leader, long applied) {
        return new MemberStatus(
                id,
                cluster,
                leader,
                MemberStatus.Versions.of(EtcdVersion.parse("3.6.8")),
                4096,
                3,
                applied,
                applied,
                false,
                List.of());
    }

    /** What each node with a disk tells; if there is none, a machine that only asks. */
    public List<NodeEvidence> evidence() {
        List<NodeEvidence> nodes = new ArrayList<>();
        disks.forEach((number, disk) -> nodes.add(node(
                name(number),
                NOW,
                Optional.of(new OwnMember(
                        name(number),
                        Set.copyOf(member(number).peerUrls()),
                        startedWith(),
                        disk)))));
        return nodes.isEmpty() ? List.of(node("elsewhere", NOW, Optional.empty())) : nodes;
    }

    NodeEvidence node(String name, Instant taken, Optional<OwnMember> own) {
        return new NodeEvidence(
                new NodeEvidence.Look(name, taken, "boot-1"),
                own,
                answers(),
                strangers,
                alarms,
                List.of());
    }

    private List<StartedWith> startedWith() {
        return members().stream()
                .map(member -> new StartedWith(member.name(), member.peerUrls().getFirst()))
                .toList();
    }

    /** Nobody tells the members where nobody answers. */
    private List<MemberAnswer> answers() {
        if (answering.isEmpty()) {
            return List.of();
        }
        MemberId leader =
                led ? id(answering.stream().min(Integer::compare).orElseThrow()) : MemberId.NONE;
        Stream<MemberAnswer> listed = IntStream.rangeClosed(1, voters)
                .mapToObj(number -> answering.contains(number)
                        ? new MemberAnswer(
                                member(number),
                                Optional.of(status(id(number), CLUSTER, leader, 100)),
                                "",
                                Optional.ofNullable(hashes.get(number)))
                        : new MemberAnswer(
                                member(number),
                                Optional.empty(),
                                "connection refused",
                                Optional.empty()));
        return Stream.concat(listed, others.stream()).toList();
    }

    RecoveryFacts facts(String... lost) {
        return RecoveryFacts.of(Optional.empty(), evidence(), NOW, List.of(lost));
    }

    public Diagnosis decide(String... lost) {
        return RecoveryDecider.decide(facts(lost));
    }
}
