package io.kjadm.store;

import static io.kjadm.store.StoreContract.PART;
import static io.kjadm.store.StoreContract.bytes;
import static io.kjadm.store.StoreContract.of;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.store.ObjectStore.Creation;
import io.kjadm.store.ObjectStore.Put;
import io.kjadm.store.ObjectStore.StoredObject;
import io.kjadm.store.ScriptedServer.Asked;
import io.kjadm.store.ScriptedServer.Told;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What a bucket's server is sent, and what its answers mean. */
class BucketAnswersTest {

    private static final String LAST = "<IsTruncated>false</IsTruncated>";

    private ScriptedServer server;

    @BeforeEach
    void start() throws IOException {
        System.setProperty("aws.accessKeyId", "an-id");
        System.setProperty("aws.secretAccessKey", "its-secret");
        server = new ScriptedServer();
        server.answering(BucketAnswersTest::good);
    }

    @AfterEach
    void stop() {
        server.close();
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    private static Told good(Asked request) {
        return switch (request.words()) {
            case "PUT", "PUT partNumber" -> ScriptedServer.written(request);
            case "POST uploads" -> ScriptedServer.begun();
            case "POST uploadId" ->
                ScriptedServer.told(
                        200,
                        "<?xml version=\"1.0\"?><CompleteMultipartUploadResult><ETag>\"sum-2\"</ETag></CompleteMultipartUploadResult>");
            case "DELETE uploadId" -> ScriptedServer.told(204, "");
            default -> ScriptedServer.error(404, "NoSuchKey");
        };
    }

    /** Amazon's refuses others where objects are locked by default. */
    @Test
    void allThatIsWrittenIsSentWithItsSum() {
        ObjectStore store = server.store();
        store.put("a", bytes(10));
        store.replace("b", bytes(20));
        store.create("c", of(bytes(30)));
        store.create("d", of(bytes(PART + 40)));

        List<Asked> writes = server.asked().stream()
                .filter(request -> request.words().startsWith("PUT"))
                .toList();
        assertEquals(
                List.of(10, 20, 30, PART, 40),
                writes.stream().map(request -> request.body().length).toList());
        assertEquals(
                writes.stream()
                        .map(request -> ScriptedServer.md5(request.body()))
                        .toList(),
                writes.stream()
                        .map(request -> request.headers().getFirst("Content-MD5"))
                        .map(sum -> HexFormat.of()
                                .formatHex(Base64.getDecoder().decode(sum == null ? "" : sum)))
                        .toList());
    }

    /** As a proxy that wants a login, or the console of the server at its other port. */
    @ParameterizedTest
    @ValueSource(ints = {200, 404})
    void aPageForPeopleIsNoAnswerOfABucket(int status) {
        server.answering(_ -> ScriptedServer.told(status, "<html><body>Log in</body></html>"));
        ObjectStore store = server.store();

        List<Executable> calls = List.of(
                () -> store.list(""),
                () -> store.read("a", 100),
                () -> store.open("a"),
                () -> store.replace("a", bytes(10)),
                () -> store.create("a", of(bytes(10))),
                () -> store.create("a", of(bytes(PART + 1))));

        for (Executable call : calls) {
            StoreException failure = assertThrows(StoreException.class, call);
            assertEquals(
                    "the answer is not that of a server of buckets, but perhaps of a proxy, or of another port of the server"
                            + (status == 200 ? "" : "; it answered 404"),
                    failure.why());
        }
    }

    /** Who decides by the time of the store has none then. */
    @Test
    void anObjectWithoutItsTimeIsNone() {
        server.answering(_ -> new Told(200, Map.of("ETag", "\"one\""), "abc"));

        assertThrows(StoreException.class, () -> server.store().read("a", 10));
    }

    @Test
    void aPageForPeopleSaysNothingOfWhatWasPut() {
        server.answering(_ -> ScriptedServer.told(200, "<html/>"));

        assertEquals(Put.UNKNOWN, server.store().put("a", bytes(10)));
    }

    private static String page(String more, String... keys) {
        return "<?xml version=\"1.0\"?><ListBucketResult>"
                + Arrays.stream(keys)
                        .map(
                                "<Contents><Key>%s</Key><Size>1</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
                                        ::formatted)
                        .collect(Collectors.joining())
                + more
                + "</ListBucketResult>";
    }

    private static String next(String token) {
        return "<IsTruncated>true</IsTruncated><NextContinuationToken>%s</NextContinuationToken>"
                .formatted(token);
    }

    @Test
    void aListHasAllItsPages() {
        server.answering(request -> ScriptedServer.told(
                200,
                switch (request.tries()) {
                    case 1 -> page(next("one"), "p/c", "p/d");
                    case 2 -> page(next("two"));
                    default -> page(LAST, "p/a", "p/b");
                }));

        assertEquals(
                List.of("a", "b", "c", "d"),
                server.store().list("").stream().map(StoredObject::key).toList());
    }

    /** What is not listed would be taken for what is not there. */
    @ParameterizedTest
    @ValueSource(strings = {"<IsTruncated>true</IsTruncated>", "again"})
    void aListWithoutItsNextPageIsNone(String more) {
        server.answering(request ->
                ScriptedServer.told(200, page(more.equals("again") ? next("same") : more, "p/a")));

        StoreException failure =
                assertThrows(StoreException.class, () -> server.store().list(""));

        assertEquals("the list ends early: a page does not name the next one", failure.why());
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "", "other/a", "P/a"})
    void whatWasNotAskedForIsNotListed(String key) {
        server.answering(_ -> ScriptedServer.told(200, page(LAST, key)));

        StoreException failure =
                assertThrows(StoreException.class, () -> server.store().list(""));

        assertTrue(failure.why().startsWith("the list has an object that was not asked for"));
    }

    @Test
    void aListHasSizeAndTimeOfEachObject() {
        server.answering(_ -> ScriptedServer.told(
                200,
                "<?xml version=\"1.0\"?><ListBucketResult><Contents><Key>p/a</Key></Contents>%s</ListBucketResult>"
                        .formatted(LAST)));

        assertThrows(StoreException.class, () -> server.store().list(""));
    }

    @Test
    void aBucketOfAnotherRegionIsToldWithItsRegion() {
        server.answering(_ -> new Told(
                301,
                Map.of("x-amz-bucket-region", "eu-central-1"),
                ScriptedServer.error(301, "PermanentRedirect").body()));

        assertEquals(
                "the store answered 301 PermanentRedirect: no; the bucket is in region eu-central-1",
                assertThrows(StoreException.class, () -> server.store().list(""))
                        .why());
    }

    private static Told head(int length, String tag) {
        return new Told(
                200, Map.of("ETag", '"' + tag + '"', "Content-Length", String.valueOf(length)), "");
    }

    /** A server may compare before it looks for the upload, which is gone by then. */
    @ParameterizedTest
    @CsvSource({"412, PreconditionFailed", "404, NoSuchUpload"})
    void aCompletionWhoseAnswerWasLostIsNoSecondWriter(int status, String code) {
        server.answering(request -> switch (request.words()) {
            case "POST uploadId" ->
                request.tries() == 1
                        ? ScriptedServer.error(500, "InternalError")
                        : ScriptedServer.error(status, code);
            case "HEAD" -> head(PART + 1, "encrypted");
            default -> good(request);
        });

        assertEquals(Creation.CREATED, server.store().create("a", of(bytes(PART + 1))));
        assertFalse(server.words().contains("DELETE uploadId"), server.words().toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 412})
    void aCompletionThatIsRefusedAtOnceHasFoundAnother(int status) {
        server.answering(request -> request.words().equals("POST uploadId")
                ? ScriptedServer.error(status, "PreconditionFailed")
                : good(request));

        assertEquals(Creation.EXISTS, server.store().create("a", of(bytes(PART + 1))));
    }

    @Test
    void aCompletionThatFailedOnceMayHaveFoundAnotherToo() {
        server.answering(request -> switch (request.words()) {
            case "POST uploadId" ->
                request.tries() == 1
                        ? ScriptedServer.error(500, "InternalError")
                        : ScriptedServer.error(412, "PreconditionFailed");
            case "HEAD" -> head(PART, "another");
            default -> good(request);
        });

        assertEquals(Creation.EXISTS, server.store().create("a", of(bytes(PART + 1))));
    }

    /** Amazon's answers so to two requests for one key at the same time. */
    @ParameterizedTest
    @ValueSource(ints = {10, PART + 1})
    void aConflictIsTriedAgain(int size) {
        server.answering(request -> switch (request.words()) {
            case "PUT", "POST uploadId" ->
                request.tries() == 1
                        ? ScriptedServer.error(409, "ConditionalRequestConflict")
                        : good(request);
            default -> good(request);
        });

        assertNotEquals(Creation.EXISTS, server.store().create("a", of(bytes(size))));
    }

    @ParameterizedTest
    @ValueSource(ints = {10, PART + 1})
    void aConflictThatStaysIsNoObject(int size) {
        server.answering(request -> switch (request.words()) {
            case "PUT", "POST uploadId" -> ScriptedServer.error(409, "ConditionalRequestConflict");
            default -> good(request);
        });

        StoreException failure = assertThrows(
                StoreException.class, () -> server.store().create("a", of(bytes(size))));
        assertEquals("the store answered 409 ConditionalRequestConflict: no", failure.why());

        server.answering(request -> switch (request.words()) {
            case "PUT", "POST uploadId" -> ScriptedServer.error(409, "ConditionalRequestConflict");
            case "HEAD" -> head(3, "another");
            case "GET" -> new Told(200, Map.of("ETag", "\"another\""), "abc");
            default -> good(request);
        });
        assertEquals(Creation.EXISTS, server.store().create("a", of(bytes(size))));
    }

    /** A server that wants to may send a page without an end, and all of it would be kept. */
    @Test
    void noAnswerIsLongerThanAPage() {
        server.answering(_ ->
                ScriptedServer.told(200, page(" ".repeat(AnswerLimit.LONGEST) + LAST, "p/a")));

        StoreException failure =
                assertThrows(StoreException.class, () -> server.store().list(""));

        assertEquals("Could not parse XML response.", failure.why());
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        assertEquals("the answer is longer than 8 MiB", root.getMessage());
    }
}
