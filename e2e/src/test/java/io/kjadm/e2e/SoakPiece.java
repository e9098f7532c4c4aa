package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.e2e.cluster.NodeRecorder;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.Node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A part of a soak: a cluster, and what is done to it until its time is over. */
abstract class SoakPiece {

    private static final Path SUMMARY =
            Path.of(System.getProperty("kjadm.soak.summary", "target/soak/pieces.tsv"));
    private static final String NAMES =
            "begun\tpiece\tetcd\tseed\tseconds\tacts\tresult\tat first\tat last\n";

    /** What a write that was cut leaves until the next one, in all directories that kjadm writes to. */
    private static final String LEFT_OVERS =
            "find /etc /opt /run /usr/local /var/lib /var/cache -xdev -regextype egrep -regex '.*/\\.[^/]*-[0-9a-f]{4}-[0-9a-f]{12}' 2> /dev/null || true";

    final Lab lab;
    final Path folder;
    final Random random;
    final String version = EtcdRelease.named(98);

    private final long seed;
    private final List<String> done = new ArrayList<>();
    private String first = "";

    /**
     * What may be done now.
     *
     * @param name for the record
     */
    record Act(String name, Runnable does) {}

    SoakPiece(Lab lab, Path folder, long seed) {
        this.lab = lab;
        this.folder = folder.resolve(String.valueOf(seed));
        this.seed = seed;
        this.random = new Random(seed);
        lab.nodes().forEach(node -> EtcdRelease.pack(node, version));
    }

    /** What is done in this piece, for the summary. */
    abstract String title();

    /** Sets the cluster up. */
    abstract NodeRecorder begin();

    /** All that the state of the cluster allows. */
    abstract List<Act> acts();

    /** Waits until it is healthy again. */
    abstract void settle();

    /** What is to be measured, at the beginning and at the end. */
    abstract String measured();

    /** Until that time is over, at least once. */
    final void play(Duration length) throws IOException {
        var begun = Instant.now();
        var result = "failed";
        try {
            var recorder = begin();
            first = measured();
            var end = Instant.now().plus(length);
            recorder.requireRight(title() + ", on nodes", EtcdRelease.newest(), () -> {
                do {
                    var act = any(acts());
                    System.out.printf("[soak] %s%n", act.name());
                    done.add(act.name());
                    recorder.during(act.name(), act.does()::run);
                    settle();
                } while (Instant.now().isBefore(end));
            });
            for (var node : lab.nodes()) {
                assertEquals("", node.shell(LEFT_OVERS), node::name);
            }
            result = "passed";
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed %d, after %s".formatted(seed, done), e);
        } finally {
            note(begun, result);
        }
    }

    private void note(Instant begun, String result) throws IOException {
        Files.createDirectories(SUMMARY.toAbsolutePath().getParent());
        if (!Files.exists(SUMMARY)) {
            Files.writeString(SUMMARY, NAMES);
        }
        Files.writeString(
                SUMMARY,
                "%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\t%s\n"
                        .formatted(
                                begun,
                                title(),
                                EtcdRelease.newest(),
                                seed,
                                Duration.between(begun, Instant.now()).toSeconds(),
                                done.size(),
                                result,
                                first,
                                result.equals("passed") ? measured() : ""),
                StandardOpenOption.APPEND);
    }

    final <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    /** Up to so long. */
    final void pause(int seconds) {
        try {
            Thread.sleep(Duration.ofSeconds(random.nextInt(seconds)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Its peers do not reach a node for a while; clients do. */
    final Act cutOff(Node node) {
        return new Act("cut off " + node.name(), () -> {
            node.block("-p tcp --dport 2380");
            node.block("-p tcp --sport 2380");
            pause(20);
            node.unblock();
        });
    }
}
