package io.kjadm.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.Trial;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;
import io.kjadm.e2e.lab.Running;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** What many of the cases do. */
final class Scene {
    static final Duration LONG = Duration.ofMinutes(5);
    /**
     * Ten seconds are promised, and unit tests hold kjadm to them. Here all nodes share a machine
     * with other suites, the program's own start counts, and a runtime may try to fetch an image
     * before. Still less than the shortest wait for a fault of the cluster, two minutes.
     */
    private static final Duration REFUSAL_LIMIT = Duration.ofSeconds(60);
    /** Its process; the one that takes the place of a newer release has the longer name. */
    private static final String ETCD = "etcd(-server)?";

    private static final String JOIN_JOURNAL = "/etc/kubernetes/tmp/kjadm-etcd-join";

    private Scene() {}

    /** A join that fails, says all of these words, and adds no member. */
    static Outcome refused(Trial trial, int joiner, List<String> flags, String... words) {
        var before = trial.cluster().members(trial.node(1));
        var outcome = trial.cluster()
                .tryJoinControlPlane(Tool.KJADM, trial.node(joiner), flags.toArray(String[]::new));
        failed(outcome, words);
        assertEquals(before, trial.cluster().members(trial.node(1)), outcome::everything);
        System.out.printf(
                "[faults]   refused after %.1f s: %s%n",
                outcome.took().toMillis() / 1000.0, error(outcome));
        assertTrue(outcome.took().compareTo(REFUSAL_LIMIT) < 0, outcome::everything);
        return outcome;
    }

    static Outcome failed(Outcome outcome, String... words) {
        assertNotEquals(0, outcome.status(), outcome::everything);
        for (String word : words) {
            assertTrue(
                    outcome.stderr().contains(word),
                    () -> "\"" + word + "\" is not in:\n" + outcome.everything());
        }
        return outcome;
    }

    /** The line that tells what was wrong. */
    static String error(Outcome outcome) {
        return outcome.stderr()
                .lines()
                .filter(line -> line.startsWith("error"))
                .findFirst()
                .orElseGet(() -> outcome.stderr().lines().findFirst().orElse("(nothing)"));
    }

    static void joined(Trial trial, int joiner, String... flags) {
        trial.cluster()
                .tryJoinControlPlane(Tool.KJADM, trial.node(joiner), flags)
                .orFail();
    }

    /**
     * A join that does not go on from here until it was waited for; the state is one of its
     * journal.
     */
    static Running pausing(
            Trial trial, int joiner, String failpoint, Duration pause, String... flags) {
        var join = trial.cluster()
                .startJoin(
                        Tool.KJADM,
                        trial.node(joiner),
                        List.of(flags),
                        "KJADM_FAILPOINT=%s=sleep(%d)".formatted(failpoint, pause.toMillis()));
        var state = failpoint.substring(0, failpoint.indexOf(':'));
        if (failpoint.endsWith(":after")) {
            awaitState(trial.node(joiner), join, state);
        }
        return join;
    }

    /** Waits until the journal of a join has a state. */
    static void awaitState(Node node, Running join, String state) {
        Eventually.passes(LONG, () -> {
            var journal = node.exec("cat", JOIN_JOURNAL).stdout();
            assertTrue(
                    journal.toLowerCase(Locale.ROOT).contains(state),
                    () -> journal + join.output());
        });
    }

    static void awaitOutput(Running running, String words) {
        Eventually.passes(
                LONG, () -> assertTrue(running.output().contains(words), running::output));
    }

    /** A join that fails, says all of these words, and has taken its member back. */
    static void takenBack(Trial trial, int joiner, Running join, String... words) {
        var outcome = failed(join.outcome(), words);
        System.out.println("[faults]   " + error(outcome));
        assertTrue(trial.member(trial.node(joiner)).isEmpty(), outcome::everything);
        assertFalse(trial.node(joiner).exists(Node.ETCD_MANIFEST), "the manifest stayed");
    }

    /** Kills a node's etcd as a fault of its memory would; the kubelet starts it again. */
    static void killEtcd(Node node) {
        node.shell("pkill -9 -x '%s'".formatted(ETCD));
    }

    /** Keeps its etcd from doing anything; its connections stay. */
    static void freezeEtcd(Node node) {
        node.shell("pkill -STOP -x '%s'".formatted(ETCD));
    }

    /** Adds a member by hand, as somebody else would. */
    static String addByHand(Trial trial, String name, String peerUrl, boolean learner) {
        trial.cluster()
                .etcdctl(
                        trial.node(1),
                        "member add %s %s --peer-urls=%s"
                                .formatted(name, learner ? "--learner" : "", peerUrl));
        return trial.cluster().members(trial.node(1)).stream()
                .filter(member -> member.peerUrls().equals(peerUrl))
                .findFirst()
                .orElseThrow()
                .id();
    }

    static void removeByHand(Trial trial, String id) {
        trial.cluster().etcdctl(trial.node(1), "member remove " + id);
    }
}
