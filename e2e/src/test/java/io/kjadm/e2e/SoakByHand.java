package io.kjadm.e2e;

import static io.kjadm.e2e.AutoCommands.SETTLING;
import static io.kjadm.e2e.AutoCommands.member;
import static io.kjadm.e2e.AutoCommands.serves;
import static io.kjadm.e2e.StandaloneCommands.BUNDLE;
import static io.kjadm.e2e.StandaloneCommands.founding;
import static io.kjadm.e2e.StandaloneCommands.joining;
import static io.kjadm.e2e.StandaloneCommands.kjadm;
import static io.kjadm.e2e.StandaloneCommands.leader;
import static io.kjadm.e2e.StandaloneCommands.start;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.NodeRecorder;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Running;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/** Members that come and go by commands of a person, and whose machines fail. */
final class SoakByHand extends SoakPiece {

    private static final int KILLED = 137;
    private static final List<String> STATES =
            List.of("adding", "added", "manifest", "started", "promoting");
    /** etcd before 3.6 does not report its quota. */
    private static final List<String> DISARM =
            List.of("alarm", "disarm", "--yes", "--quota-backend-bytes", "2147483648");

    private final List<Node> members = new ArrayList<>();
    private NodeRecorder recorder;

    SoakByHand(Lab lab, Path folder, long seed) {
        super(lab, folder, seed);
    }

    @Override
    String title() {
        return "random commands and faults";
    }

    @Override
    NodeRecorder begin() {
        var first = lab.node(1);
        kjadm(first, founding(version)).orFail();
        var bundle = first.read(BUNDLE);
        lab.nodes().stream().skip(1).forEach(node -> node.write(BUNDLE, bundle));
        members.add(first);
        recorder = new NodeRecorder(folder, first, lab.nodes());
        return recorder;
    }

    /** Of three voters one may be away. */
    @Override
    List<Act> acts() {
        var member = any(members);
        List<Act> acts = new ArrayList<>(List.of(
                of("snapshot", member, List.of("snapshot", "save", "/root/backups")),
                new Act("alarm " + member.name(), () -> alarm(member))));
        var others =
                lab.nodes().stream().filter(node -> !members.contains(node)).toList();
        if (!others.isEmpty()) {
            var other = any(others);
            acts.add(new Act("join " + other.name(), () -> join(other)));
            acts.add(new Act("killed join " + other.name(), () -> killedJoin(other)));
        }
        if (others.size() > 1) {
            acts.add(new Act("joins at once", () -> joinAtOnce(others)));
        }
        if (members.size() > 1) {
            acts.add(new Act("reset " + member.name(), () -> reset(member)));
            acts.add(new Act("reset of the leader", () -> reset(leader(members))));
        }
        // of two voters none can be away
        if (members.size() != 2) {
            acts.add(of("renewal", member, List.of("certs", "renew")));
            acts.add(of("defrag", member, List.of("defrag", "--all", "--yes")));
        }
        if (members.size() > 2) {
            acts.add(new Act("power cut " + member.name(), () -> {
                member.cutPower();
                pause(20);
                member.powerOn();
                Eventually.passes(SETTLING, () -> member.shell("systemctl start etcd"));
            }));
            acts.add(new Act("killed etcd " + member.name(), () -> {
                member.shell("pkill -9 -x etcd");
                Eventually.passes(SETTLING, () -> member.shell("systemctl start etcd"));
            }));
            acts.add(cutOff(member));
        }
        return acts;
    }

    private static Act of(String name, Node node, List<String> words) {
        return new Act(name + " " + node.name(), () -> kjadm(node, words).orFail());
    }

    private void alarm(Node node) {
        recorder.fillsUp(node, member(node, node));
        assertEquals(1, kjadm(node, List.of("status")).status());
        kjadm(node, DISARM).orFail();
    }

    private void join(Node node) {
        kjadm(node, joining(any(members), version)).orFail();
        joined(node);
    }

    private void joined(Node node) {
        recorder.serves(node);
        members.add(node);
    }

    private void killedJoin(Node node) {
        var at = "%s:%s".formatted(any(STATES), any(List.of("before", "after")));
        var killed = kjadm(
                node, joining(any(members), version), "KJADM_FAILPOINT=%s=exit137".formatted(at));
        assertEquals(KILLED, killed.status(), killed::everything);
        join(node);
    }

    private void joinAtOnce(List<Node> nodes) {
        var joins = new LinkedHashMap<Node, Running>();
        nodes.forEach(node -> joins.put(node, start(node, joining(any(members), version))));
        joins.values().forEach(join -> join.outcome().orFail());
        nodes.forEach(this::joined);
    }

    private void reset(Node node) {
        kjadm(node, List.of("reset", "--yes")).orFail();
        recorder.leaves(node);
        members.remove(node);
    }

    @Override
    void settle() {
        serves(members.getFirst(), members.size());
    }

    @Override
    String measured() {
        return "%d members".formatted(members.size());
    }
}
