package io.kjadm.core.etcd.check;

import static io.kjadm.etcd.check.WalFile.ENTRY;
import static io.kjadm.etcd.check.WalFile.SNAPSHOT;
import static io.kjadm.etcd.check.WalFile.bytes;
import static io.kjadm.etcd.check.WalFile.message;
import static io.kjadm.etcd.check.WalFile.number;
import static io.kjadm.etcd.check.WalFile.string;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;

import io.kjadm.core.host.DiskFiles;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.check.WalFile;
import io.kjadm.etcd.upgrade.V2Content;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/** Logs and snapshots that are written here, and those of etcd itself where it is at hand. */
class V2ContentReaderTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String META = "\"0\":{\"Path\":\"/0\",\"Children\":{\"members\":{}}}";

    @TempDir
    Path dataDir;

    private final WalFile log = new WalFile().startFile(0);
    private long index;

    @BeforeEach
    void member() throws IOException {
        Files.createDirectories(dataDir.resolve("member/wal"));
        Files.createDirectories(dataDir.resolve("member/snap"));
    }

    private void entry(UnknownFieldSet.Builder request) {
        log.record(
                ENTRY,
                message()
                        .addField(1, number(0))
                        .addField(3, number(++index))
                        .addField(4, bytes(request)));
    }

    private static UnknownFieldSet.Builder v2(String method, String path) {
        return message()
                .addField(1, number(7))
                .addField(2, string(method))
                .addField(3, string(path));
    }

    private static UnknownFieldSet.Builder v3Put() {
        return message()
                .addField(100, bytes(message().addField(1, number(7))))
                .addField(4, bytes(message().addField(1, string("k")).addField(2, string("v"))));
    }

    private void snapshot(long at, String children) throws IOException {
        log.record(SNAPSHOT, message().addField(1, number(at)).addField(2, number(2)));
        snapshotFile(at, children);
    }

    private void snapshotFile(long at, String children) throws IOException {
        ByteString store = ByteString.copyFromUtf8(
                "{\"Root\":{\"Path\":\"/\",\"Children\":{" + children + "}}}");
        byte[] content = message()
                .addField(1, bytes(store))
                .addField(2, bytes(message().addField(2, number(at)).addField(3, number(2))))
                .build()
                .toByteArray();
        var sum = new CRC32C();
        sum.update(content);
        Files.write(
                dataDir.resolve("member/snap/%016x-%016x.snap".formatted(2, at)),
                message()
                        .addField(1, number(sum.getValue()))
                        .addField(2, bytes(ByteString.copyFrom(content)))
                        .build()
                        .toByteArray());
    }

    private V2Content read() throws IOException {
        Files.write(
                dataDir.resolve("member/wal/0000000000000000-0000000000000000.wal"), log.content());
        return new V2ContentReader(new DiskFiles()).read(dataDir);
    }

    @Test
    void whatEtcdItselfWritesIsNone() throws Exception {
        entry(v2("PUT", "/0/members/8e9e05c52164694d/attributes"));
        entry(v2("PUT", "/0/version"));
        entry(message().addField(1, number(1)).addField(2, bytes(v2("PUT", "/0/version"))));
        entry(v3Put());
        log.record(ENTRY, message().addField(1, number(1)).addField(3, number(++index)));
        snapshot(2, META + ",\"1\":{\"Path\":\"/1\",\"Children\":{}}");
        assertEquals(V2Content.NONE, read());
    }

    private V2Content readRequests() throws IOException {
        read();
        return new V2ContentReader(new DiskFiles()).readRequests(dataDir);
    }

    /** etcd 3.7 ends when it reads what a 3.5 wrote to publish itself. */
    @Test
    void whatEtcd35ItselfWroteCountsFor37UntilASnapshotOfTheLog() throws Exception {
        entry(v3Put());
        entry(v2("PUT", "/0/members/8e9e05c52164694d/attributes"));
        assertEquals(V2Content.IN_LOG, readRequests());
        entry(v3Put());
        snapshot(3, META + ",\"1\":{\"Path\":\"/1\",\"Children\":{\"town\":{}}}");
        assertEquals(V2Content.NONE, readRequests());
    }

    @ParameterizedTest
    @CsvSource({"PUT, /1/town", "DELETE, /0/version", "SYNC, ''", "POST, /1/queue"})
    void whatAnybodyElseAskedForIsInTheLog(String method, String path) throws Exception {
        entry(v3Put());
        entry(v2(method, path));
        assertEquals(V2Content.IN_LOG, read());
    }

    @Test
    void aRequestWithinOneOfVersion3CountsAsWell() throws Exception {
        entry(message().addField(1, number(1)).addField(2, bytes(v2("PUT", "/1/town"))));
        assertEquals(V2Content.IN_LOG, read());
    }

    @Test
    void whatCameBeforeTheSnapshotIsNotReadAgain() throws Exception {
        entry(v2("PUT", "/1/town"));
        entry(v2("DELETE", "/1/town"));
        snapshot(2, META);
        assertEquals(V2Content.NONE, read());
        entry(v2("PUT", "/1/town"));
        assertEquals(V2Content.IN_LOG, read());
    }

    @Test
    void whatAnotherLeaderHasOverwrittenDoesNotCount() throws Exception {
        entry(v2("PUT", "/1/town"));
        index = 0;
        entry(v3Put());
        assertEquals(V2Content.NONE, read());
    }

    @Test
    void theStoreOfTheSnapshotCounts() throws Exception {
        entry(v2("PUT", "/1/town"));
        snapshot(1, META + ",\"1\":{\"Path\":\"/1\",\"Children\":{\"town\":{\"Value\":\"Bern\"}}}");
        assertEquals(V2Content.IN_STORE, read());
        entry(v2("PUT", "/1/town"));
        assertEquals(V2Content.IN_BOTH, read());
    }

    @Test
    void emptyDirectoriesOfUsersAndRolesStayForEver() throws Exception {
        String roles =
                "\"2\":{\"Path\":\"/2\",\"Children\":{\"enabled\":{\"Value\":\"false\",\"Children\":null},"
                        + "\"roles\":{\"Children\":{%s}}}}";
        snapshot(1, META + "," + roles.formatted(""));
        assertEquals(V2Content.NONE, read());
        snapshot(2, META + "," + roles.formatted("\"guest\":{\"Value\":\"x\"}"));
        assertEquals(V2Content.IN_STORE, read());
    }

    @Test
    void aSnapshotThatTheLogDoesNotKnowIsNotTheOne() throws Exception {
        snapshot(1, META);
        snapshotFile(2, "\"1\":{\"Children\":{\"town\":{}}}");
        assertEquals(V2Content.NONE, read());
    }

    @Test
    void aSnapshotThatIsTornIsNotTheOneEither() throws Exception {
        entry(v2("PUT", "/1/town"));
        snapshot(1, META);
        Path file = dataDir.resolve("member/snap/%016x-%016x.snap".formatted(2, 1));
        byte[] whole = Files.readAllBytes(file);
        whole[whole.length - 1]++;
        Files.write(file, whole);
        assertEquals(V2Content.IN_LOG, read());
    }

    /** As of a member that was sent a snapshot, or whose first files of the log are purged. */
    @Test
    void withoutTheSnapshotThatALogGoesOnFromNothingIsKnown() throws Exception {
        index = 9;
        entry(v3Put());
        assertEquals(V2Content.UNKNOWN, read());
        snapshot(9, META);
        assertEquals(V2Content.NONE, read());
        index = 19;
        entry(v3Put());
        assertEquals(V2Content.UNKNOWN, read());
        snapshot(19, META);
        assertEquals(V2Content.NONE, read());
    }

    @Test
    void aLogThatIsDamagedOrMissingTellsNothing() throws Exception {
        assertEquals(
                V2Content.UNKNOWN,
                new V2ContentReader(new DiskFiles()).read(dataDir.resolve("elsewhere")));
        entry(v3Put());
        byte[] damaged = log.content();
        damaged[damaged.length - 10]++;
        Files.write(dataDir.resolve("member/wal/0000000000000000-0000000000000000.wal"), damaged);
        Files.write(
                dataDir.resolve("member/wal/0000000000000001-0000000000000005.wal"),
                new WalFile().startFile(0).content());
        assertEquals(V2Content.UNKNOWN, new V2ContentReader(new DiskFiles()).read(dataDir));
    }

    // ---- etcd's own

    static List<EtcdBinary> withTheOldApi() {
        return EtcdBinary.found(version ->
                version.atLeast(3, 4) && version.compareTo(new EtcdVersion(3, 6, 0)) < 0);
    }

    /** The member runs all the while. */
    @ParameterizedTest
    @MethodSource("withTheOldApi")
    void etcdsOwnFilesTellTheSame(EtcdBinary binary) throws Exception {
        EtcdProcess etcd = EtcdProcess.together(
                        binary, dataDir, Map.of("cp-1", EtcdProcess.freeUrl()))
                .getFirst()
                .with("--enable-v2=true", "--snapshot-count=10");
        try (etcd) {
            etcd.start();
            await(etcd, () -> ask(etcd, "GET", "/v2/keys/", "") == 200);
            assertEquals(V2Content.NONE, read(etcd));
            ask(etcd, "PUT", "/v2/keys/town", "value=Bern");
            assertEquals(V2Content.IN_LOG, read(etcd));
            awaitInStore(etcd, V2Content.IN_STORE);
            ask(etcd, "DELETE", "/v2/keys/town", "");
            awaitInStore(etcd, V2Content.NONE);
        }
    }

    private static V2Content read(EtcdProcess etcd) {
        return new V2ContentReader(new DiskFiles()).read(etcd.dataDir());
    }

    /** Keys of version 3 until a snapshot holds what was done. */
    private static void awaitInStore(EtcdProcess etcd, V2Content wanted) throws Exception {
        await(etcd, () -> {
            ask(etcd, "POST", "/v3/kv/put", "{\"key\":\"aw==\",\"value\":\"dg==\"}");
            return read(etcd) == wanted;
        });
    }

    private interface Check {
        boolean holds() throws IOException, InterruptedException;
    }

    private static void await(EtcdProcess etcd, Check check) throws Exception {
        Instant end = Instant.now().plus(LIMIT);
        boolean held = false;
        while (!held) {
            try {
                held = check.holds();
            } catch (IOException e) {
                Thread.sleep(100);
            }
            if (Instant.now().isAfter(end)) {
                throw new AssertionError(Files.readString(etcd.log()));
            }
        }
    }

    private static int ask(EtcdProcess etcd, String method, String path, String body)
            throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(URI.create(etcd.clientUrl() + path))
                                    .header(
                                            "Content-Type",
                                            path.startsWith("/v2")
                                                    ? "application/x-www-form-urlencoded"
                                                    : "application/json")
                                    .method(method, BodyPublishers.ofString(body))
                                    .build(),
                            BodyHandlers.ofString())
                    .statusCode();
        }
    }
}
