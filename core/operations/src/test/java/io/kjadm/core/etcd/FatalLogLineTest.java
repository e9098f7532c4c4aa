package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.LogSignature.Kind;

import org.junit.jupiter.api.Test;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What etcd of several versions says when it ends, and what is made of it. */
class FatalLogLineTest {

    private static final String HEALTHY = """
            {"level":"warn","ts":"2026-11-21T19:45:03Z","caller":"config.go:689","msg":"Running on one port"}
            {"level":"info","ts":"2026-11-21T19:45:03Z","caller":"etcd.go:73","msg":"Running: ","args":["etcd"]}
            """;

    private static FatalLogLine of(String log) {
        return FatalLogLine.ofEnded("etcd", log.lines().toList()).orElseThrow();
    }

    private static void assertVerdict(Kind kind, String log) {
        assertEquals(kind, of(log).diagnosis().orElseThrow().kind(), log);
    }

    @Test
    void aFatalLineOfJsonIsShownWithoutItsStack() {
        FatalLogLine words = of(HEALTHY + """
                {"level":"warn","ts":"t","msg":"failed to start etcd","error":"member count is unequal"}
                {"level":"fatal","ts":"t","msg":"discovery failed","error":"error validating \
                peerURLs {ClusterID:dc50b8daae93b3e0 Members:[] RemovedMemberIDs:[]}: member count is unequal",\
                "stacktrace":"go.etcd.io/etcd/server/etcdmain.startEtcdOrProxyV2\\n\\tetcd.go:204"}
                """);
        assertEquals(
                "discovery failed: error validating peerURLs {ClusterID:dc50b8daae93b3e0 Members:[] "
                        + "RemovedMemberIDs:[]}: member count is unequal",
                words.line());
        assertEquals(Kind.WRITE_MANIFEST_ANEW, words.diagnosis().orElseThrow().kind());
    }

    @Test
    void olderFormatsAreReadToo() {
        assertEquals(
                "etcdmain: listen tcp 127.0.0.1:2379: bind: address already in use",
                of("""
                [WARNING] Deprecated '--logger=capnslog' flag is set; use '--logger=zap' flag instead
                2026-11-21 19:45:00.468032 I | etcdmain: setting maximum number of CPUs to 2
                2026-11-21 19:45:00.468294 C | etcdmain: listen tcp 127.0.0.1:2379: bind: address already in use
                """).line());
        assertEquals(
                "listener failed\t{\"error\": \"no such file\"}",
                of("2026-11-21T19:45:06.249Z\tfatal\t"
                                + "etcdmain/etcd.go:198\tlistener failed\t{\"error\": \"no such file\"}\n")
                        .line());
        assertEquals(
                "cannot do it",
                of("F0203 04:05:06.123456       1 main.go:12] cannot do it\n").line());
    }

    @Test
    void anArgumentThatEtcdDoesNotKnowIsFoundAboveItsUsage() {
        FatalLogLine words = of("""
                flag provided but not defined: -bogus-arg
                Usage:

                  etcd [flags]
                    Start an etcd server.
                """);
        assertEquals("flag provided but not defined: -bogus-arg", words.line());
        assertEquals(Kind.STOP, words.diagnosis().orElseThrow().kind());
        assertVerdict(
                Kind.STOP,
                "invalid value \"abc\" for flag -election-timeout: parse error\nUsage:\n");
    }

    @Test
    void aPanicIsFoundAboveItsStack() {
        FatalLogLine words = of(HEALTHY + """
                {"level":"panic","ts":"t","msg":"tocommit(10) is out of range [lastIndex(3)]. Was the raft log lost?"}
                panic: tocommit(10) is out of range [lastIndex(3)]. Was the raft log lost?

                goroutine 163 [running]:
                go.uber.org/zap/zapcore.(*CheckedEntry).Write(0xc0003d6000, {0x0, 0x0, 0x0})
                """);
        assertTrue(words.line().startsWith("panic: tocommit(10)"), words.line());
        assertEquals(Kind.REMOVE_AND_ADD_AGAIN, words.diagnosis().orElseThrow().kind());
    }

    @Test
    void everyKnownLineHasItsVerdict() {
        Map<String, Kind> table = new LinkedHashMap<>();
        table.put("x: no match found for existing member (m) in n", Kind.WRITE_MANIFEST_ANEW);
        table.put("member 1 has already been bootstrapped", Kind.WRITE_MANIFEST_ANEW);
        table.put("the member has been permanently removed from the cluster", Kind.WIPE);
        table.put("request cluster ID mismatch", Kind.STOP);
        table.put("remote cluster ID mismatch", Kind.STOP);
        table.put("incompatible with current running cluster", Kind.STOP);
        table.put(
                "invalid downgrade; server version is lower than determined cluster version",
                Kind.STOP);
        table.put("listen tcp :2380: bind: address already in use", Kind.TRY_AGAIN);
        table.put("remote error: tls: bad certificate", Kind.STOP);
        table.put("x509: certificate signed by unknown authority", Kind.STOP);
        table.put("rejected connection", Kind.STOP);
        table.put("write /var/lib/etcd/member/snap/db: no space left on device", Kind.STOP);
        table.put("error validating peerURLs {}: unmatched", Kind.STOP);
        table.put(
                "failed to find database snapshot file (no such file)", Kind.REMOVE_AND_ADD_AGAIN);
        table.put("wal: max entry size limit exceeded, recBytes: 1", Kind.REMOVE_AND_ADD_AGAIN);
        table.put("walpb: crc mismatch", Kind.REMOVE_AND_ADD_AGAIN);
        table.put("found data inconsistency with peers", Kind.HUMAN);
        table.put("found hash mismatch", Kind.HUMAN);
        table.put("could not retrieve cluster information from the given URLs", Kind.TRY_AGAIN);
        table.forEach((text, kind) -> assertVerdict(
                kind, "{\"level\":\"fatal\",\"msg\":\"failed\",\"error\":\"%s\"}".formatted(text)));
    }

    @Test
    void theDetailsNameThePeer() {
        String log = """
                {"level":"error","ts":"t","msg":"rejected connection","remote-addr":"10.0.0.2:4711","error":"tls: bad"}
                """;
        assertEquals("rejected connection: remote-addr: 10.0.0.2:4711, tls: bad", of(log).line());
    }

    @Test
    void aKnownErrorSaysMoreThanAGeneralEnd() {
        FatalLogLine words = of("""
                {"level":"error","ts":"t","msg":"cannot save","error":"no space left on device"}
                {"level":"fatal","ts":"t","msg":"stopping"}
                """);
        assertEquals("cannot save: no space left on device", words.line());
    }

    @Test
    void anUnknownFatalLineIsShownWithoutAVerdict() {
        FatalLogLine words = of(HEALTHY + """
                {"level":"fatal","msg":"listener failed","error":"open /nope: no such file"}
                """);
        assertEquals("listener failed: open /nope: no such file", words.line());
        assertTrue(words.diagnosis().isEmpty());
    }

    @Test
    void warningsOfTheHealthyAreNoVerdict() {
        FatalLogLine words = of("""
                {"level":"warn","ts":"t","msg":"rejected connection","remote-addr":"10.0.0.2:4711","error":"EOF"}
                {"level":"info","ts":"t","msg":"closed etcd server"}
                """);
        assertTrue(words.diagnosis().isEmpty());
        assertTrue(
                FatalLogLine.ofEnded("etcd", List.of("{\"level\":\"info\",\"msg\":\"closed\"}", ""))
                        .isEmpty());
        assertTrue(FatalLogLine.ofEnded("etcd", List.of()).isEmpty());
    }

    @Test
    void ofItsRemovalEtcdOnlyWarns() {
        FatalLogLine words = of("""
                {"level":"warn","msg":"server error","error":"the member has been permanently removed from the cluster"}
                {"level":"warn","ts":"t","msg":"data-dir used by this member must be removed"}
                {"level":"info","ts":"t","msg":"stopped remote peer"}
                """);
        assertEquals(
                "server error: the member has been permanently removed from the cluster",
                words.line());
        assertEquals(Kind.WIPE, words.diagnosis().orElseThrow().kind());
    }

    @Test
    void whatWasCutOffIsStillUnderstood() {
        assertEquals(
                Kind.STOP,
                of("{\"level\":\"fatal\",\"msg\":\"x\",\"error\":\"no space left on device")
                        .diagnosis()
                        .orElseThrow()
                        .kind());
    }

    @Test
    void aLongLineKeepsItsBeginningAndItsReason() {
        String line =
                of("{\"level\":\"fatal\",\"msg\":\"discovery failed\",\"error\":\"%s: member count is unequal\"}"
                                .formatted("m".repeat(2000)))
                        .line();
        assertTrue(line.length() < 330, line);
        assertTrue(
                line.startsWith("discovery failed") && line.endsWith("member count is unequal"),
                line);
    }
}
