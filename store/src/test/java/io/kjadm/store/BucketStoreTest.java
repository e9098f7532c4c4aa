package io.kjadm.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.store.ObjectStore.Creation;
import io.kjadm.store.ObjectStore.Put;
import io.kjadm.store.ObjectStore.Unfinished;

import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.blobstore.BlobStore;
import org.gaul.s3proxy.blobstore.ForwardingBlobStore;
import org.gaul.s3proxy.blobstore.domain.MultipartUpload;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Against S3Proxy, a server that checks signatures and keeps its objects in memory. */
class BucketStoreTest extends StoreContract {

    private static final String ID = "an-id";
    private static final String SECRET = "its-secret";

    private static final BlobStore BLOBS = new TransientNio2BlobStore();
    /** Whether the server writes something else than it has received. */
    private static volatile boolean damages;

    private static S3Proxy server;
    private static int buckets;

    private FaultyLink link;
    private StoreUrl url;

    @BeforeAll
    static void start() throws Exception {
        System.setProperty("aws.accessKeyId", ID);
        System.setProperty("aws.secretAccessKey", SECRET);
        server = S3Proxy.builder()
                .blobStore(new Damaging())
                .endpoint(URI.create("http://127.0.0.1:0"))
                .awsAuthentication(AuthenticationType.AWS_V2_OR_V4, ID, SECRET)
                .build();
        server.start();
    }

    private static final class Damaging extends ForwardingBlobStore {

        Damaging() {
            super(BLOBS);
        }

        private static InputStream written(InputStream received) {
            return !damages
                    ? received
                    : new FilterInputStream(received) {
                        @Override
                        public int read(byte[] bytes, int offset, int length) throws IOException {
                            int read = super.read(bytes, offset, length);
                            if (read > 0) {
                                bytes[offset] ^= 1;
                            }
                            return read;
                        }
                    };
        }

        @Override
        public PutObjectResponse putBlob(PutObjectRequest request, InputStream received) {
            // what damages them does so behind the place where they are compared
            PutObjectRequest blind =
                    damages ? request.toBuilder().contentMD5(null).build() : request;
            return super.putBlob(blind, written(received));
        }

        @Override
        public UploadPartResponse uploadMultipartPart(
                MultipartUpload upload, UploadPartRequest request, InputStream received) {
            UploadPartRequest blind =
                    damages ? request.toBuilder().contentMD5(null).build() : request;
            return super.uploadMultipartPart(upload, blind, written(received));
        }
    }

    @AfterAll
    static void stop() throws Exception {
        server.stop();
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    @BeforeEach
    void bucket() throws IOException {
        link = new FaultyLink(server.getPort());
        url = StoreUrl.parse("s3://bucket-%d/clusters/one?endpoint=http://127.0.0.1:%d"
                .formatted(++buckets, link.port()));
        BLOBS.createContainer(url.bucket());
    }

    @AfterEach
    void cut() {
        damages = false;
        link.close();
    }

    @Override
    Creation created() {
        return Creation.CONFIRMED;
    }

    /** It is to be read again then. */
    @ParameterizedTest
    @ValueSource(ints = {10, PART + 10})
    void whatIsNotWrittenAsItWasSentIsNotConfirmed(int size) {
        damages = true;
        assertEquals(Creation.CREATED, store().create("a", of(bytes(size))));
    }

    @Override
    ObjectStore store() {
        return Stores.open(url, NoTrust.MANAGER, StoreProxies.NONE);
    }

    @Test
    void aServerThatIsBusyForAMomentIsAskedAgain() throws IOException {
        link.refusals.set(2);

        assertEquals(Creation.CONFIRMED, store().create("a", of(bytes(10))));

        link.refusals.set(2);
        assertArrayEquals(bytes(10), read(store(), "a").orElseThrow());
    }

    /** The first try is carried out, and the second finds what the first has made. */
    @ParameterizedTest
    @ValueSource(ints = {10, PART + 10})
    void aLostAnswerIsNoSecondWriter(int size) throws IOException {
        ObjectStore store = store();
        store.list("");
        link.lostAnswers.set(1);

        assertEquals(Creation.CONFIRMED, store.create("a", of(bytes(size))));

        assertArrayEquals(bytes(size), read(store, "a").orElseThrow());
    }

    /** Sent once: the caller finds out by a read what became of it. */
    @Test
    void aPutWithoutAnAnswerIsUnknown() {
        ObjectStore store = store();
        link.lostAnswers.set(1);

        assertEquals(Put.UNKNOWN, store.put("a", bytes(10)));

        assertArrayEquals(bytes(10), store.read("a", 10).orElseThrow().content());
        assertEquals(Put.EXISTS, store.put("a", bytes(10)));
    }

    @Test
    void aPutToABusyServerIsUnknownAndNotSentAgain() {
        ObjectStore store = store();
        link.refusals.set(1);

        assertEquals(Put.UNKNOWN, store.put("a", bytes(10)));

        assertEquals(Optional.empty(), store.read("a", 10));
        assertEquals(Put.CREATED, store.put("a", bytes(10)));
    }

    @ParameterizedTest
    @CsvSource({
        "412, PreconditionFailed, EXISTS",
        "400, PreconditionFailed, EXISTS",
        "200, PreconditionFailed, UNKNOWN",
        "409, ConditionalRequestConflict, CONFLICT",
        "429, TooManyRequests, CONFLICT",
        "408, RequestTimeout, UNKNOWN",
        "500, InternalError, UNKNOWN",
        "503, SlowDown, UNKNOWN"
    })
    void anAnswerSaysWhatBecameOfAPut(int status, String code, Put expected) {
        link.answer(status, code);

        assertEquals(expected, store().put("a", bytes(10)));
    }

    @Test
    void aPutThatIsDeniedHasWrittenNothing() {
        link.answer(403, "AccessDenied");

        assertThrows(StoreException.class, () -> store().put("a", bytes(10)));
    }

    @Test
    void anAnswerThatIsCutIsNoWholeObject() {
        store().create("a", of(bytes(200_000)));
        link.cutAfter = 100_000;

        assertThrows(IOException.class, () -> read(store(), "a"));
    }

    /** Only the bill shows the parts of one whose program was killed. */
    @Test
    void anUploadThatWasKilledIsFoundAndRemoved() throws IOException {
        ObjectStore store = store();
        store.create("b", of(bytes(1)));
        List<Unfinished> found = new ArrayList<>();
        store.create("a/c", to -> {
            of(bytes(2 * PART)).writeTo(to);
            found.addAll(store.unfinished("a/"));
            assertEquals(List.of(), store.unfinished("b/"));
        });
        assertEquals(List.of("a/c"), found.stream().map(Unfinished::key).toList());
        assertEquals(List.of(), store.unfinished(""));

        assertThrows(
                StoreException.class,
                () -> store.create("a/d", to -> {
                    of(bytes(2 * PART)).writeTo(to);
                    store.unfinished("").forEach(store::abandon);
                    store.unfinished("").forEach(store::abandon);
                    of(bytes(2 * PART)).writeTo(to);
                }));
        assertEquals(List.of(), store.unfinished(""));
        assertEquals(Optional.empty(), read(store, "a/d"));
    }

    @Test
    void aServerThatIsNotThereIsToldOf() {
        ObjectStore store = store();
        link.close();

        StoreException failure = assertThrows(StoreException.class, () -> store.list(""));

        assertTrue(
                failure.getMessage()
                        .startsWith("cannot list s3://%s/clusters/one/: ".formatted(url.bucket())),
                failure.getMessage());
        assertFalse(failure.getMessage().contains(SECRET));
    }

    @Test
    void aBucketThatDoesNotExistIsNoEmptyOne() {
        ObjectStore store = Stores.open(
                StoreUrl.parse("s3://nowhere/p?endpoint=http://127.0.0.1:" + link.port()),
                NoTrust.MANAGER,
                StoreProxies.NONE);

        for (StoreException failure : List.of(
                assertThrows(StoreException.class, () -> store.list("")),
                assertThrows(StoreException.class, () -> store.open("a")),
                assertThrows(StoreException.class, () -> store.create("a", of(bytes(1)))))) {
            assertEquals(
                    "the store answered 404 NoSuchBucket: The specified bucket does not exist",
                    failure.why());
        }
    }

    @Test
    void whoIsNotKnownIsRefused() {
        System.setProperty("aws.secretAccessKey", "another");
        try {
            StoreException failure =
                    assertThrows(StoreException.class, () -> store().create("a", of(bytes(1))));
            assertEquals(
                    "the store answered 403 SignatureDoesNotMatch: The request signature we calculated does not match the signature you provided. Check your key and signing method.",
                    failure.why());
        } finally {
            System.setProperty("aws.secretAccessKey", SECRET);
        }
        assertEquals(List.of(), store().list(""));
    }

    @Test
    void withoutCredentialsNothingIsAsked() {
        StoreUrl unknown = StoreUrl.parse(
                "s3://bucket?endpoint=http://127.0.0.1:%d&profile=nobody".formatted(link.port()));
        System.clearProperty("aws.accessKeyId");
        System.setProperty("aws.disableEc2Metadata", "true");
        try {
            StoreException failure = assertThrows(
                    StoreException.class,
                    () -> Stores.open(unknown, NoTrust.MANAGER, StoreProxies.NONE));
            assertEquals("there are no credentials for s3://bucket/", failure.what());
        } finally {
            System.setProperty("aws.accessKeyId", ID);
            System.clearProperty("aws.disableEc2Metadata");
        }
    }

    @Test
    void aPrefixIsAPlaceOfItsOwn() throws IOException {
        store().create("a", of(bytes(1)));
        ObjectStore other = Stores.open(
                StoreUrl.parse("s3://%s/clusters/two?endpoint=http://127.0.0.1:%d"
                        .formatted(url.bucket(), link.port())),
                NoTrust.MANAGER,
                StoreProxies.NONE);

        assertEquals(List.of(), other.list(""));
        assertEquals(Optional.empty(), read(other, "a"));
    }

    /** A server that the environment names; nothing listens there. */
    @Test
    void noRequestGoesUnencryptedToAnotherMachine() {
        System.setProperty("aws.endpointUrl", "http://192.0.2.1:9");
        System.setProperty("aws.region", "us-east-1");
        try (ObjectStore store =
                Stores.open(StoreUrl.parse("s3://bucket"), NoTrust.MANAGER, StoreProxies.NONE)) {
            StoreException refusal = assertThrows(StoreException.class, () -> store.open("a"));
            assertEquals(
                    "the connection to 192.0.2.1 is not encrypted, so others on the network can read credentials and snapshots, and replace them; use https, or add insecure=true to the URL of the store",
                    refusal.why());
        } finally {
            System.clearProperty("aws.endpointUrl");
            System.clearProperty("aws.region");
        }
    }
}
