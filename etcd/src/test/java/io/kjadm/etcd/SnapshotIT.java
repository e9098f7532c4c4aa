package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.etcd.snapshot.SnapshotVerifier;
import io.kjadm.etcd.snapshot.SnapshotVerifier.Verdict;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Snapshots of etcd processes on the loopback interface. Skipped where no etcd is at hand. */
class SnapshotIT {

    private static final int SUM_BYTES = 32;

    @TempDir
    Path folder;

    @RegisterExtension
    final EtcdProcesses etcds = new EtcdProcesses();

    static List<EtcdBinary> versions() {
        return EtcdBinary.found(version -> true);
    }

    /** Those whose own tool restores, by its name. */
    static List<EtcdBinary> restorable() {
        return EtcdBinary.found(version -> true).stream()
                .filter(binary -> Files.isExecutable(restorer(binary)))
                .toList();
    }

    private static Path restorer(EtcdBinary binary) {
        boolean utility = binary.version().compareTo(new EtcdVersion(3, 5, 0)) >= 0;
        return binary.file().resolveSibling(utility ? "etcdutl" : "etcdctl");
    }

    @ParameterizedTest
    @MethodSource("versions")
    void itIsWholePagesAndTheSumOverThem(EtcdBinary binary) throws Exception {
        EtcdProcess etcd = EtcdProcess.first(binary, folder, "cp-1");
        byte[] all = Files.readAllBytes(snapshot(etcds.leading(etcd), etcd));

        assertEquals(SUM_BYTES, all.length % 512);
        byte[] pages = Arrays.copyOf(all, all.length - SUM_BYTES);
        assertArrayEquals(
                MessageDigest.getInstance("SHA-256").digest(pages),
                Arrays.copyOfRange(all, pages.length, all.length));
    }

    @ParameterizedTest
    @MethodSource("restorable")
    void etcdsOwnToolRestoresIt(EtcdBinary binary) throws Exception {
        Path control = binary.file().resolveSibling("etcdctl");
        assumeTrue(Files.isExecutable(control), "no etcdctl beside " + binary.file());
        EtcdProcess etcd = EtcdProcess.first(binary, folder, "cp-1");
        EtcdCluster cluster = etcds.leading(etcd);
        tool(control, "--endpoints=" + etcd.clientUrl(), "put", "town", "Basel");
        Path file = snapshot(cluster, etcd);
        etcd.close();

        EtcdProcess again = EtcdProcess.first(binary, folder.resolve("again"), "cp-1");
        List<String> words = new ArrayList<>(List.of(
                "snapshot",
                "restore",
                file.toString(),
                "--data-dir",
                folder.resolve("again").resolve("cp-1").toString(),
                "--name",
                "cp-1",
                "--initial-cluster",
                "cp-1=" + again.peerUrl(),
                "--initial-advertise-peer-urls",
                again.peerUrl().toString()));
        if (binary.version().compareTo(new EtcdVersion(3, 5, 10)) >= 0) {
            words.addAll(List.of("--bump-revision", "1000000000", "--mark-compacted"));
        }
        tool(restorer(binary), words.toArray(String[]::new));
        EtcdCluster restored = etcds.leading(again);
        assertEquals(
                "town\nBasel\n", tool(control, "--endpoints=" + again.clientUrl(), "get", "town"));
        SnapshotVerifier verifier = new SnapshotVerifier(OutputStream.nullOutputStream());
        restored.snapshot(again.clientUrl(), verifier);
        assertInstanceOf(Verdict.Whole.class, verifier.verdict());
    }

    /**
     * Values of several pages, buckets that lie within the root and such as do not, pages that are
     * free: etcd's own tool has to find the same in each.
     */
    @ParameterizedTest
    @MethodSource("versions")
    void aDatabaseThatWasUsedIsWholeAndHasTheHashThatEtcdsToolFinds(EtcdBinary binary)
            throws Exception {
        Path control = binary.file().resolveSibling("etcdctl");
        assumeTrue(Files.isExecutable(control), "no etcdctl beside " + binary.file());
        EtcdProcess etcd = EtcdProcess.first(binary, folder, "cp-1");
        EtcdCluster cluster = etcds.leading(etcd);
        String endpoint = "--endpoints=" + etcd.clientUrl();
        for (int i = 0; i < 60; i++) {
            tool(control, endpoint, "role", "add", "readers-of-the-town-" + i);
        }
        for (int i = 0; i < 40; i++) {
            tool(control, endpoint, "lease", "grant", "3600");
            tool(control, endpoint, "put", "town-" + i % 7, "Basel".repeat(1 + i * 20));
        }
        assertSame(binary, snapshot(cluster, etcd));
        for (int i = 0; i < 12; i++) {
            String value = "pages of a value ".repeat(8 << i);
            put(control, endpoint, "book-" + i % 5, value);
        }
        put(control, endpoint, "book-1", "a long value ".repeat(110_000));
        put(control, endpoint, "book-2", "a long value ".repeat(100_000));
        tool(control, endpoint, "del", "--prefix", "town");
        assertSame(binary, snapshot(cluster, etcd));
        tool(control, endpoint, "compact", "50");
        tool(control, endpoint, "put", "after", "the compaction");
        assertSame(binary, snapshot(cluster, etcd));
        tool(control, endpoint, "defrag");
        put(control, endpoint, "book-3", "a long value ".repeat(110_000));
        assertSame(binary, snapshot(cluster, etcd));
    }

    private static void assertSame(EtcdBinary binary, Path file) throws Exception {
        SnapshotVerifier verifier = new SnapshotVerifier(OutputStream.nullOutputStream());
        Files.copy(file, verifier);
        Verdict.Whole whole = assertInstanceOf(Verdict.Whole.class, verifier.verdict());
        String status = tool(
                Files.isExecutable(restorer(binary))
                        ? restorer(binary)
                        : binary.file().resolveSibling("etcdctl"),
                "snapshot",
                "status",
                file.toString(),
                "-w",
                "json");
        // newer tools append the version
        assertLinesMatch(
                List.of("\\{\"hash\":%d,\"revision\":%d,\"totalKey\":\\d+,\"totalSize\":\\d+[,}].*"
                        .formatted(
                                Integer.toUnsignedLong(whole.content().total().hash()),
                                whole.content().revision())),
                status.lines().toList());
    }

    @Test
    void aReceiverThatHasNoRoomIsNotTakenForEtcdsFailure() throws Exception {
        EtcdProcess etcd = EtcdProcess.first(EtcdBinary.anyOf(version -> true), folder, "cp-1");
        EtcdCluster cluster = etcds.leading(etcd);
        IOException full = assertThrows(
                IOException.class,
                () -> cluster.snapshot(etcd.clientUrl(), new OutputStream() {
                    @Override
                    public void write(int one) throws IOException {
                        throw new IOException("No space left on device");
                    }
                }));
        assertEquals("No space left on device", full.getMessage());
    }

    @Test
    void anEtcdThatIsGoneIsAFailureOfItsOwn() throws Exception {
        EtcdProcess etcd = EtcdProcess.first(EtcdBinary.anyOf(version -> true), folder, "cp-1");
        EtcdCluster cluster = etcds.leading(etcd);
        etcd.close();
        assertThrows(
                EtcdCallException.class,
                () -> cluster.snapshot(etcd.clientUrl(), OutputStream.nullOutputStream()));
    }

    @Test
    void whoIsInterruptedTakesNoMoreOfIt() throws Exception {
        EtcdProcess etcd = EtcdProcess.first(EtcdBinary.anyOf(version -> true), folder, "cp-1");
        EtcdCluster cluster = etcds.leading(etcd);
        EtcdCallException ended = assertThrows(
                EtcdCallException.class,
                () -> cluster.snapshot(etcd.clientUrl(), new OutputStream() {
                    @Override
                    public void write(int one) {
                        Thread.currentThread().interrupt();
                    }
                }));
        assertTrue(Thread.interrupted());
        assertEquals(RpcCode.CANCELLED, ended.code());
    }

    private Path snapshot(EtcdCluster cluster, EtcdProcess etcd) throws Exception {
        Path file = folder.resolve("snapshot.db");
        try (OutputStream to = Files.newOutputStream(file)) {
            cluster.snapshot(etcd.clientUrl(), to);
        }
        return file;
    }

    private static void put(Path control, String endpoint, String key, String value)
            throws Exception {
        tool(control, value, new String[] {endpoint, "put", key});
    }

    private static String tool(Path program, String... words) throws Exception {
        return tool(program, "", words);
    }

    /** @param input what it reads */
    private static String tool(Path program, String input, String[] words) throws Exception {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("ETCDCTL_API", "3");
        Process process = builder.start();
        try (OutputStream to = process.getOutputStream()) {
            to.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        return said;
    }
}
