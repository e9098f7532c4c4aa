package io.kjadm.e2e;

import static io.kjadm.e2e.StandaloneCommands.BUNDLE;
import static io.kjadm.e2e.StandaloneCommands.UPGRADE_JOURNAL;
import static io.kjadm.e2e.StandaloneCommands.founding;
import static io.kjadm.e2e.StandaloneCommands.installed;
import static io.kjadm.e2e.StandaloneCommands.joining;
import static io.kjadm.e2e.StandaloneCommands.kjadm;
import static io.kjadm.e2e.StandaloneCommands.leader;
import static io.kjadm.e2e.StandaloneCommands.status;
import static io.kjadm.e2e.StandaloneCommands.upgrading;
import static io.kjadm.e2e.StandaloneCommands.voters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.Stream;

/**
 * A standalone etcd of three machines goes from 3.5 to 3.6 and to 3.7 while clients write, on each
 * way killed behind every step of the journal. It needs builds of these etcds, and is skipped
 * without them.
 */
@NeedsLab
final class StandaloneUpgradeIT {

    /** Those at hand, and what they call themselves. */
    private record Release(String build, String version) {}

    private static final List<Release> WAY = List.of(
            new Release("3.5.30", "3.5.98"),
            new Release("3.6.11", "3.6.98"),
            new Release("3.7.1", "3.7.9"));

    /** A client of all members tries a write again for three seconds; then it counts as failed. */
    private static final String WRITER = """
            nohup sh -c '
            set -a; . /etc/etcd/etcdctl.env; ETCDCTL_ENDPOINTS=%s
            i=0
            while [ ! -e /root/stop ]; do
                i=$((i + 1)); end=$(($(date +%%s) + 3))
                until /opt/bin/etcdctl put /written/%s/$i $i --command-timeout=2s > /dev/null 2>> /root/refused; do
                    [ $(date +%%s) -lt $end ] || { echo $i >> /root/failed; continue 2; }
                done
                echo $i >> /root/acknowledged
                sleep 0.2
            done' > /dev/null 2>&1 &
            """;

    /** More than the 10,000 entries after which etcd takes a snapshot of its log: 9,000 each. */
    private static final String MANY_WRITES =
            "for i in 1 2; do /opt/bin/etcdctl.sh check perf --load=s --auto-compact > /dev/null 2>&1; done; true";

    @Test
    void itGoesThroughEveryMinorWhileClientsWrite() {
        WAY.forEach(release -> Components.etcdTag(release.build()));
        try (var lab = Lab.withNodes(3)) {
            var nodes = lab.nodes();
            nodes.forEach(node -> WAY.forEach(
                    release -> EtcdRelease.pack(node, release.build(), release.version())));
            make(nodes);
            nodes.forEach(node -> write(node, nodes));

            WAY.stream().skip(1).forEach(release -> {
                var first = followers(nodes).getFirst();
                if (release.equals(WAY.getLast())) {
                    readsNoLogOf35(first, release);
                }
                killedBehindEveryStep(first, release);
                goes(first, release);
                followers(nodes).stream()
                        .filter(node -> !installed(node).equals(release.version()))
                        .forEach(node -> goes(node, release));
                nodes.stream()
                        .filter(node -> !installed(node).equals(release.version()))
                        .forEach(node -> goes(node, release));
                nodes.forEach(node -> assertEquals(release.version(), installed(node)));
                assertEquals(3, voters(nodes.getFirst()), () -> status(nodes.getFirst()));
            });

            nodes.forEach(StandaloneUpgradeIT::assertNothingFailedOrWasLost);
        }
    }

    private static void make(List<Node> nodes) {
        var version = WAY.getFirst().version();
        var first = nodes.getFirst();
        kjadm(first, founding(version)).orFail();
        nodes.stream().skip(1).forEach(node -> {
            node.write(BUNDLE, first.read(BUNDLE));
            kjadm(node, joining(first, version)).orFail();
        });
        assertEquals(3, voters(first), () -> status(first));
    }

    private static List<Node> followers(List<Node> nodes) {
        var leader = leader(nodes);
        return nodes.stream().filter(node -> node != leader).toList();
    }

    private static void write(Node node, List<Node> nodes) {
        var endpoints =
                String.join(",", nodes.stream().map(StandaloneCommands::url).toList());
        node.shell(WRITER.formatted(endpoints, node.name()));
    }

    /** etcd 3.7 ends when it reads what 3.5 wrote: first the log has to be behind a snapshot. */
    private static void readsNoLogOf35(Node node, Release release) {
        var refused = kjadm(node, words(release));
        refused.failsFor("EtcdV2Content");
        node.shell(MANY_WRITES);
    }

    private static void killedBehindEveryStep(Node node, Release release) {
        Stream.of("BEGUN", "SNAPSHOT_TAKEN", "CHANGING", "COMPONENT_DONE").forEach(step -> {
            var killed =
                    kjadm(node, words(release), "KJADM_FAILPOINT=%s:after=exit137".formatted(step));
            assertEquals(137, killed.status(), killed::everything);
        });
    }

    private static void goes(Node node, Release release) {
        var told = kjadm(node, words(release)).orFail();
        System.out.printf(
                "[standalone upgrade] %s to %s: %.1f s%n",
                node.name(), release.version(), told.took().toMillis() / 1000.0);
        assertFalse(node.exists(UPGRADE_JOURNAL), told::everything);
        assertEquals(release.version(), installed(node));
    }

    private static List<String> words(Release release) {
        return upgrading(release.version(), EtcdRelease.tarball(release.version()));
    }

    private static void assertNothingFailedOrWasLost(Node node) {
        node.shell("touch /root/stop; sleep 4");
        var acknowledged = node.read("/root/acknowledged").lines().toList();
        assertTrue(acknowledged.size() > 20, () -> "only %d writes".formatted(acknowledged.size()));
        System.out.printf(
                "[standalone upgrade] %s: %d writes acknowledged%n",
                node.name(), acknowledged.size());
        assertFalse(
                node.exists("/root/failed"), () -> node.shell("tail /root/failed /root/refused"));
        var kept = node.shell(
                "/opt/bin/etcdctl.sh get --prefix --print-value-only /written/%s/ | sort -n"
                        .formatted(node.name()));
        assertEquals(acknowledged, kept.lines().toList());
    }
}
