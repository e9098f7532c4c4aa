package io.kjadm.etcd.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
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
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            int status = tour.waitFor();
            String told = Files.readString(out);
            assertEquals(0, status, told);
            assertTrue(told.contains("cp-1=" + peer), told);
            assertTrue(told.contains("new=http://127.0.0.1:1"), told);
            assertTrue(told.contains("removed "), told);
            assertTrue(told.contains("1 of 1 voters are healthy"), told);
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
