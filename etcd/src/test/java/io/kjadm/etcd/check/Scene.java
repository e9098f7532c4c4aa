package io.kjadm.etcd.check;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberProbe;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * The facts of a good join, to be spoiled by the test: voters cp-1, cp-2 … led by cp-1, and cp-9
 * that wants in.
 */
final class Scene {

    static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");
    static final String CLUSTER = "c1";
    static final Path DATA = Path.of("/var/lib/etcd");

    /** One member; its fields are set by the test. */
    static final class Node {
        Member member;
        String silence = "";
        EtcdVersion version;
        MemberId leader = new MemberId(1);
        long term = 2;
        long applied = 10_000;
        long database = 1 << 20;
        OptionalLong quota = OptionalLong.empty();
        boolean downgrading;
        List<String> errors = List.of();
        Optional<List<Member>> agreed = Optional.empty();
        Optional<List<Member>> local = Optional.empty();
        PeerContact contact =
                new PeerContact.Answered(Duration.ofMillis(1), Optional.of(Duration.ZERO), "");

        private MemberProbe look(List<Member> all) {
            MemberStatus status = new MemberStatus(
                    member.id(),
                    CLUSTER,
                    leader,
                    new MemberStatus.Versions(version, Optional.empty(), downgrading),
                    database,
                    term,
                    10_000,
                    applied,
                    member.learner(),
                    errors);
            return new MemberProbe(
                    status,
                    quota,
                    agreed.or(() -> Optional.of(all)),
                    local.or(() -> Optional.of(all)));
        }
    }

    final List<Node> nodes = new ArrayList<>();
    Candidate candidate;
    PeerCertificate certificate = new PeerCertificate.Readable(
            "/etc/kubernetes/pki/etcd/peer.crt",
            true,
            "CN=etcd-ca AA:BB",
            true,
            new PeerCertificate.Validity(NOW.minusSeconds(3600), NOW.plusSeconds(3600)),
            List.of(),
            List.of());
    DataDirectory data = new DataDirectory.Empty();
    OptionalLong free = OptionalLong.of(100L << 30);

    static Scene ofVoters(int voters, String version) {
        Scene scene = new Scene();
        scene.candidate = scene.candidate(version, true, false);
        for (int number = 1; number <= voters; number++) {
            scene.add(number, "cp-" + number, false, version);
        }
        return scene;
    }

    static Scene ofVoters(int voters) {
        return ofVoters(voters, "3.6.13");
    }

    static URI url(int number) {
        return URI.create("https://10.0.0." + number + ":2380");
    }

    Candidate candidate(String version, boolean learner, boolean allowDegraded) {
        return new Candidate(
                new NewMember("cp-9", url(9)),
                Optional.of(EtcdVersion.parse(version)),
                learner,
                new RejoinOptions(false, false, false, allowDegraded, false, Optional.empty()));
    }

    Node add(int number, String name, boolean learner, String version) {
        Node node = new Node();
        node.member = new Member(
                new MemberId(number),
                name,
                List.of(url(number)),
                name.isEmpty()
                        ? List.of()
                        : List.of(URI.create("https://10.0.0." + number + ":2379")),
                learner);
        node.version = EtcdVersion.parse(version);
        nodes.add(node);
        return node;
    }

    Node node(int number) {
        return nodes.get(number - 1);
    }

    Scene silent(int... numbers) {
        for (int number : numbers) {
            node(number).silence = "connection refused";
            node(number).contact = new PeerContact.Unreachable("connection refused");
        }
        return this;
    }

    List<Member> members() {
        return nodes.stream().map(node -> node.member).toList();
    }

    ClusterFacts cluster() {
        Map<MemberId, MemberProbe> looks = new HashMap<>();
        Map<MemberId, String> silences = new HashMap<>();
        for (Node node : nodes) {
            if (!node.silence.isEmpty()) {
                silences.put(node.member.id(), node.silence);
            } else if (node.member.started()) {
                looks.put(node.member.id(), node.look(members()));
            }
        }
        return ClusterFacts.of(members(), looks, silences);
    }

    List<EtcdFinding> findings() {
        Map<MemberId, PeerContact> contacts = nodes.stream()
                .filter(node -> node.member.started() && node.member.voter())
                .collect(Collectors.toMap(node -> node.member.id(), node -> node.contact));
        return JoinChecklist.findings(new CheckFacts(
                candidate,
                cluster(),
                contacts,
                certificate,
                new CheckFacts.Data(DATA, data, free),
                NOW));
    }

    private List<String> told(EtcdFinding.Level level) {
        return findings().stream()
                .filter(finding -> finding.level() == level)
                .map(finding -> finding.rule().checkName() + ": " + finding.text())
                .toList();
    }

    List<String> errors() {
        return told(EtcdFinding.Level.ERROR);
    }

    List<String> warnings() {
        return told(EtcdFinding.Level.WARNING);
    }

    List<String> notes() {
        return told(EtcdFinding.Level.NOTE);
    }
}
