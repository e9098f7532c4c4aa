package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.etcd.recover.LogScan;
import io.kjadm.etcd.snapshot.SnapshotContent;
import io.kjadm.etcd.snapshot.SnapshotVerifier;
import io.kjadm.etcd.snapshot.SnapshotVerifier.Verdict;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What real members leave on their disks: three are killed, and one of them is looked into, started
 * alone, and looked into again.
 */
class RecoveryEvidenceIT {

    @TempDir
    Path folder;

    @RegisterExtension
    final EtcdProcesses etcds = new EtcdProcesses();

    static List<EtcdBinary> versions() {
        return EtcdBinary.found(version -> version.atLeast(3, 4));
    }

    /** A database, and the members that it lists. */
    private record Look(SnapshotContent content, List<String> members) {}

    @ParameterizedTest
    @MethodSource("versions")
    void aSurvivorAppliesWhatItsLogCommitsWithoutAQuorum(EtcdBinary binary) throws Exception {
        Path control = binary.file().resolveSibling("etcdctl");
        assumeTrue(Files.isExecutable(control), "no etcdctl beside " + binary.file());
        List<EtcdProcess> members = EtcdProcess.together(binary, folder, peerUrls());
        for (EtcdProcess member : members) {
            etcds.start(member);
        }
        EtcdCluster cluster = etcds.connect(
                EtcdAccess.plain(members.stream().map(EtcdProcess::clientUrl).toList()));
        EtcdProcess survivor = members.getFirst();
        EtcdProcesses.until(
                "a leader",
                () -> !cluster.status(survivor.clientUrl()).leaderId().isNone());
        MemberStatus before = cluster.status(survivor.clientUrl());
        for (int i = 0; i < 40; i++) {
            put(control, survivor, i);
        }
        members.forEach(EtcdProcess::close);

        Look killed = stored(survivor);
        LogScan log = log(survivor, killed.content().raft().index());
        assertEquals(3, killed.members().size());
        assertTrue(killed.members().toString().contains(survivor.peerUrl().toString()));
        // an entry is applied while this member's own log, which says so, is still being written
        assertTrue(log.position().commit() >= killed.content().raft().index() - 1);
        assertTrue(log.position().lastIndex() >= before.raftIndex() + 39);
        System.out.printf(
                "[recover] %s: killed, database at entry %d, log commits %d and ends with %d: %d committed and %d open entries are not in the database%n",
                binary,
                killed.content().raft().index(),
                log.position().commit(),
                log.position().lastIndex(),
                log.gap().committed(),
                log.gap().open());

        keepLog(survivor);
        // alone it serves nobody, so it has to be looked into once it has ended; it asks for votes
        // when it has applied what it knows to be committed
        etcds.start(survivor);
        EtcdProcesses.until("the survivor to ask for votes", () -> asksForVotes(survivor));
        survivor.stop();
        Look ended = stored(survivor);
        assertTrue(ended.content().raft().index() >= log.position().commit());
        assertEquals(0, log(survivor, ended.content().raft().index()).gap().committed());
        assertEquals(killed.members(), ended.members());
    }

    private static boolean asksForVotes(EtcdProcess member) {
        try {
            return Files.readString(member.log()).contains("is starting a new election at term");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next start begins another one. */
    private static void keepLog(EtcdProcess member) throws IOException {
        Files.move(member.log(), member.log().resolveSibling("before.log"));
    }

    private static Map<String, URI> peerUrls() {
        Map<String, URI> urls = new LinkedHashMap<>();
        Stream.of("cp-1", "cp-2", "cp-3").forEach(name -> urls.put(name, EtcdProcess.freeUrl()));
        return urls;
    }

    private static void put(Path control, EtcdProcess member, int number) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        control.toString(),
                        "--endpoints=" + member.clientUrl(),
                        "put",
                        "key-" + number,
                        "value")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("ETCDCTL_API", "3");
        assertEquals(0, builder.start().waitFor());
    }

    private static Look stored(EtcdProcess member) throws Exception {
        SnapshotVerifier verifier = new SnapshotVerifier(OutputStream.nullOutputStream());
        try (InputStream database =
                Files.newInputStream(member.dataDir().resolve("member/snap/db"))) {
            database.transferTo(verifier);
        }
        return look(verifier);
    }

    private static Look look(SnapshotVerifier verifier) {
        var whole = assertInstanceOf(Verdict.Whole.class, verifier.verdict());
        return new Look(whole.content(), verifier.members());
    }

    private static LogScan log(EtcdProcess member, long applied) throws Exception {
        LogScan scan = new LogScan(applied);
        try (Stream<Path> files = Files.list(member.dataDir().resolve("member/wal"))) {
            List<Path> log = files.filter(file -> file.toString().endsWith(".wal"))
                    .sorted()
                    .toList();
            for (Path file : log) {
                try (InputStream in = Files.newInputStream(file)) {
                    scan.file(in, file.equals(log.getLast()));
                }
            }
        }
        return scan;
    }
}
