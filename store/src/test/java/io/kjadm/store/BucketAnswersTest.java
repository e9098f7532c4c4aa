package io.kjadm.store;

import static io.kjadm.store.StoreContract.PART;
import static io.kjadm.store.StoreContract.bytes;
import static io.kjadm.store.StoreContract.of;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.store.ScriptedServer.Asked;
import io.kjadm.store.ScriptedServer.Told;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/** What a bucket's server is sent, and what its answers mean. */
class BucketAnswersTest {

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
}
