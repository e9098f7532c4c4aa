package io.kjadm.etcd.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.snapshot.SnapshotVerifier.Verdict;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import javax.tools.ToolProvider;

/** The example of the documentation, compiled and run as a reader would. */
class ExampleTest {

    private static final Path EXAMPLE = Path.of("../docs/examples/EtcdTour.java");
    private static final Duration START = Duration.ofMinutes(2);

    @TempDir
    Path folder;

    private Path classes;

    @BeforeEach
    void compile() throws IOException {
        classes = Files.createDirectories(folder.resolve("classes"));
        assertEquals(
                0,
                ToolProvider.getSystemJavaCompiler()
                        .run(
                                null,
                                null,
                                null,
                                "-Xlint:all",
                                "-Werror",
                                "-proc:none",
                                "-cp",
                                Path.of("target/classes").toString(),
                                "-d",
                                classes.toString(),
                                EXAMPLE.toString()));
    }

    @Test
    void itRunsAgainstARealEtcd() throws IOException, InterruptedException {
        EtcdBinary binary = EtcdBinary.anyOf(EtcdVersion::knowsLearners);
        URI peer = EtcdProcess.freeUrl();
        try (EtcdProcess etcd =
                EtcdProcess.together(binary, folder, Map.of("cp-1", peer)).getFirst()) {
            etcd.start();
            awaitLeader(etcd);
            Path out = folder.resolve("out.txt");
            Path err = folder.resolve("err.txt");
            Path snapshot = folder.resolve("snapshot.db");
            Process tour = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            classes
                                    + java.io.File.pathSeparator
                                    + System.getProperty(
                                            "surefire.test.class.path",
                                            System.getProperty("java.class.path")),
                            "EtcdTour",
                            etcd.clientUrl().toString(),
                            snapshot.toString(),
                            "http://127.0.0.1:1")
                    .redirectError(err.toFile())
                    .redirectOutput(out.toFile())
                    .start();
            int status = tour.waitFor();
            List<String> told = Files.readAllLines(out);
            assertEquals(0, status, told + Files.readString(err));
            String voter = "\\w+ cp-1 \\(voter, \\Q" + peer + "\\E\\) is healthy";
            String quorum = "1 of 1 voters are healthy, 1 are needed";
            assertLinesMatch(
                    List.of(
                            voter,
                            quorum,
                            "saved: revision 1, \\d+ bytes",
                            "read again: revision 1, \\d+ bytes",
                            // in the order of their IDs
                            "start it with --initial-cluster=(%1$s,%2$s|%2$s,%1$s)"
                                    .formatted("cp-1=" + peer, "new=http://127.0.0.1:1"),
                            "removed \\w+ \\(learner not started, http://127.0.0.1:1\\)",
                            voter,
                            quorum),
                    told);
            try (var from = Files.newInputStream(snapshot)) {
                assertInstanceOf(Verdict.Whole.class, Snapshots.verify(from));
            }
        }
    }

    @Test
    void whatIsNoSnapshotIsDamaged() throws IOException {
        assertInstanceOf(
                Verdict.Damaged.class,
                Snapshots.verify(new ByteArrayInputStream(
                        "x".repeat(4096).getBytes(StandardCharsets.UTF_8))));
    }

    private static void awaitLeader(EtcdProcess etcd) throws InterruptedException {
        Instant until = Instant.now().plus(START);
        while (true) {
            try (MembershipOperations members =
                    MembershipOperations.on(EtcdAccess.plain(List.of(etcd.clientUrl())))) {
                if (members.look().allVotersHealthy()) {
                    return;
                }
            } catch (EtcdCallException e) {
                // it is starting
            }
            assertTrue(Instant.now().isBefore(until), "etcd does not start");
            Thread.sleep(100);
        }
    }
}
