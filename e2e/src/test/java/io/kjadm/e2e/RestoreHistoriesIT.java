package io.kjadm.e2e;

import static io.kjadm.e2e.StandaloneCommands.BUNDLE;
import static io.kjadm.e2e.StandaloneCommands.founding;
import static io.kjadm.e2e.StandaloneCommands.joining;
import static io.kjadm.e2e.StandaloneCommands.kjadm;
import static io.kjadm.e2e.StandaloneCommands.leader;
import static io.kjadm.e2e.StandaloneCommands.status;
import static io.kjadm.e2e.StandaloneCommands.url;
import static io.kjadm.e2e.StandaloneCommands.voters;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.e2e.cluster.NodeRecorder;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.etcd.history.PrefixRules.Snapshot;
import io.kjadm.etcd.history.Recording;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Clients write until the quorum is lost for good, and again while the program brings the cluster
 * back: what they find has to be what the former cluster held at one moment. {@code e2e/histories
 * --nodes} runs it; see {@code docs/proof.md}.
 */
@NeedsLab
@Tag("long")
final class RestoreHistoriesIT {

    private static final String STORE = "/root/backups";
    private static final Duration REST = Duration.ofSeconds(4);
    /** It has no time to hand over the leadership. */
    private static final String DIES = "systemctl kill -s KILL etcd; systemctl stop etcd";

    private static final String LOSES_ALL = DIES + "; rm -r /var/lib/etcd/member";
    private static final Pattern LOST = Pattern.compile("--declare-lost (\\S+)");

    @TempDir
    Path folder;

    private final String version = EtcdRelease.named(98);

    @Test
    void aSnapshotIsRestored() throws IOException {
        try (var lab = Lab.withNodes(3)) {
            var recorder = together(lab);
            var first = lab.node(1);
            var before = recorder.requireRight(
                    "snapshot, before a restore, on nodes", EtcdRelease.newest(), () -> {
                        rest();
                        recorder.during(
                                "save",
                                () -> kjadm(first, List.of("snapshot", "save", STORE))
                                        .orFail());
                        rest();
                    });
            var snapshot = new Snapshot(before.mark("save").from(), revision(first));

            lab.nodes().forEach(node -> node.shell(LOSES_ALL));
            kjadm(first, restore(first)).orFail();
            requirePrefix(lab, recorder.afterRestore(first), first, before, snapshot, "a restore");
        }
    }

    /** It led, so nothing that was acknowledged may be missing. */
    @Test
    void aSurvivorGoesOn() throws IOException {
        try (var lab = Lab.withNodes(3)) {
            var recorder = together(lab);
            var survivor = leader(lab.nodes());
            var lost = lab.nodes().stream().filter(node -> node != survivor).toList();
            var before = recorder.requireRightUntilLost(
                    "two of three are lost, before a recovery, on nodes",
                    EtcdRelease.newest(),
                    () -> {
                        rest();
                        recorder.during(
                                "lose two of three", () -> lost.forEach(node -> node.shell(DIES)));
                        rest();
                    });

            lost.forEach(node -> node.shell("rm -r /var/lib/etcd/member"));
            var recover = new ArrayList<>(List.of("recover", "--apply", "--yes"));
            lost.forEach(node -> recover.add("--declare-lost=" + node.name()));
            kjadm(survivor, recover).orFail();
            var all = new Snapshot(Long.MAX_VALUE, Long.MAX_VALUE);
            requirePrefix(
                    lab, recorder.afterRestore(survivor), survivor, before, all, "a recovery");
        }
    }

    /** Three members, all of which serve clients. */
    private NodeRecorder together(Lab lab) {
        lab.nodes().forEach(node -> EtcdRelease.pack(node, version));
        var first = lab.node(1);
        kjadm(first, founding(version)).orFail();
        var recorder = new NodeRecorder(folder, first, lab.nodes());
        lab.nodes().stream().skip(1).forEach(node -> {
            node.write(BUNDLE, first.read(BUNDLE));
            kjadm(node, joining(first, version)).orFail();
            recorder.serves(node);
        });
        return recorder;
    }

    /** The other machines join again, while clients write. */
    private void requirePrefix(
            Lab lab,
            NodeRecorder recorder,
            Node first,
            Recording before,
            Snapshot snapshot,
            String what)
            throws IOException {
        var after = recorder.requireRight(
                "resets and joins after %s, on nodes".formatted(what), EtcdRelease.newest(), () -> {
                    for (var other : lab.nodes()) {
                        if (other != first) {
                            recorder.during(
                                    "reset " + other.name(),
                                    () -> kjadm(
                                                    other,
                                                    List.of(
                                                            "reset",
                                                            "--endpoints",
                                                            url(first),
                                                            "--yes"))
                                            .orFail());
                            recorder.during(
                                    "join " + other.name(),
                                    () -> kjadm(other, joining(first, version)).orFail());
                            recorder.serves(other);
                        }
                    }
                });
        assertEquals(3, voters(first), () -> status(first));
        recorder.requirePrefix(before, snapshot, after);
    }

    /** The command with the members that it asks for, as they are silent. */
    private static List<String> restore(Node node) {
        var words = new ArrayList<>(
                List.of("snapshot", "restore", "latest", "--store", STORE, "--yes"));
        var refused = kjadm(node, words);
        assertEquals(1, refused.status(), refused::everything);
        LOST.matcher(refused.stderr())
                .results()
                .forEach(flag -> words.add("--declare-lost=" + flag.group(1)));
        return words;
    }

    private static long revision(Node node) {
        var list = List.of("snapshot", "list", "--store", STORE, "-o", "jsonpath={.revision}");
        return Long.parseLong(kjadm(node, list).orFail().stdout().strip());
    }

    private static void rest() {
        try {
            Thread.sleep(REST);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
