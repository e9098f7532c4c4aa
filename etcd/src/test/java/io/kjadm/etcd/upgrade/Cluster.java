package io.kjadm.etcd.upgrade;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberProbe;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.check.ClusterFacts;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A healthy cluster of voters cp-1, cp-2 … led by cp-1, to be spoiled by the test. */
final class Cluster {

    final List<Node> nodes = new ArrayList<>();

    static final class Node {
        final Member member;
        EtcdVersion version;
        String silence = "";
        MemberId leader = new MemberId(1);
        long applied = 100;
        Optional<EtcdVersion> storage = Optional.empty();
        boolean downgrading;
        Optional<EtcdVersion> downgradeTarget = Optional.empty();
        List<String> errors = List.of();
        Optional<List<Member>> local = Optional.empty();

        private Node(Member member, String version) {
            this.member = member;
            this.version = EtcdVersion.parse(version);
        }
    }

    /** Voters of these versions. */
    static Cluster of(String... versions) {
        Cluster cluster = new Cluster();
        for (String version : versions) {
            cluster.add(version, false);
        }
        return cluster;
    }

    Node add(String version, boolean learner) {
        int number = nodes.size() + 1;
        Node node = new Node(
                new Member(
                        new MemberId(number),
                        "cp-" + number,
                        List.of(URI.create("https://10.0.0." + number + ":2380")),
                        List.of(URI.create("https://10.0.0." + number + ":2379")),
                        learner),
                version);
        nodes.add(node);
        return node;
    }

    Node node(int number) {
        return nodes.get(number - 1);
    }

    List<Member> members() {
        return nodes.stream().map(node -> node.member).toList();
    }

    ClusterFacts facts() {
        Map<MemberId, MemberProbe> looks = new HashMap<>();
        Map<MemberId, String> silences = new HashMap<>();
        for (Node node : nodes) {
            if (node.silence.isEmpty()) {
                looks.put(node.member.id(), look(node));
            } else {
                silences.put(node.member.id(), node.silence);
            }
        }
        return ClusterFacts.of(members(), looks, silences);
    }

    private MemberProbe look(Node node) {
        MemberStatus status = new MemberStatus(
                node.member.id(),
                "c1",
                node.leader,
                new MemberStatus.Versions(
                        node.version, node.storage, node.downgrading, node.downgradeTarget),
                1 << 20,
                2,
                10_000,
                node.applied + 9_900,
                node.member.learner(),
                node.errors);
        return new MemberProbe(
                status,
                OptionalLong.empty(),
                Optional.of(members()),
                node.local.or(() -> Optional.of(members())));
    }
}
