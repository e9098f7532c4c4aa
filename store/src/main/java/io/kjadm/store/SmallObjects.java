package io.kjadm.store;

import io.kjadm.store.ObjectStore.Put;
import io.kjadm.store.ObjectStore.Stored;
import io.kjadm.store.StoreUrl.Kind;

import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Objects of a bucket that fit in one request, which is sent once and answered within seconds. */
final class SmallObjects {

    static final Duration CONNECT_LIMIT = Duration.ofSeconds(3);
    /** Of silence. */
    static final Duration SOCKET_LIMIT = Duration.ofSeconds(5);

    private static final Duration CALL_LIMIT = Duration.ofSeconds(10);
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int REQUEST_TIMEOUT = 408;
    private static final int SERVER_ERROR = 500;
    private static final int CLIENT_ERROR = 400;

    private final StoreUrl url;
    private final S3Client client;

    /** @param client set up by {@link #once} */
    SmallObjects(StoreUrl url, S3Client client) {
        this.url = url;
        this.client = client;
    }

    /** A request that is sent again could be carried out after its caller was told of the first. */
    static ClientOverrideConfiguration.Builder once(
            ClientOverrideConfiguration.Builder configuration) {
        return configuration
                .retryStrategy(retries -> retries.maxAttempts(1))
                .apiCallAttemptTimeout(CALL_LIMIT)
                .apiCallTimeout(CALL_LIMIT);
    }

    /** Each object has a tag: an answer without one may be an error with status 200. */
    Put put(String key, byte[] content) {
        PutObjectRequest.Builder put = request(key, content);
        if (url.kind() == Kind.GOOGLE) {
            put.overrideConfiguration(BucketStore.googlesCreation());
        } else {
            put.ifNoneMatch("*");
        }
        try {
            String tag = client.putObject(put.build(), BucketStore.body(content, content.length))
                    .eTag();
            return tag == null ? Put.UNKNOWN : Put.CREATED;
        } catch (S3Exception e) {
            return answered(key, e);
        } catch (SdkException e) {
            return Put.UNKNOWN;
        }
    }

    private PutObjectRequest.Builder request(String key, byte[] content) {
        return PutObjectRequest.builder()
                .bucket(url.bucket())
                .key(url.prefix() + Keys.checked(key))
                .contentMD5(ContentSum.header(ContentSum.of(content, content.length)));
    }

    private Put answered(String key, S3Exception e) {
        int status = e.statusCode();
        if (BucketStore.exists(e)) {
            return Put.EXISTS;
        }
        if (BucketStore.isConflict(e) || status == TOO_MANY_REQUESTS) {
            return Put.CONFLICT;
        }
        boolean refused =
                status >= CLIENT_ERROR && status < SERVER_ERROR && status != REQUEST_TIMEOUT;
        if (refused) {
            throw BucketStore.failure("cannot write %s to %s".formatted(key, url), e);
        }
        return Put.UNKNOWN;
    }

    void replace(String key, byte[] content) {
        try {
            BucketStore.required(client.putObject(
                            request(key, content).build(),
                            BucketStore.body(content, content.length))
                    .eTag());
        } catch (SdkException e) {
            throw BucketStore.failure("cannot write %s to %s".formatted(key, url), e);
        }
    }

    Optional<Stored> read(String key, int limit) {
        String name = url.prefix() + Keys.checked(key);
        try (ResponseInputStream<GetObjectResponse> in =
                client.getObject(get -> get.bucket(url.bucket()).key(name))) {
            byte[] content = BucketStore.withTag(in).readNBytes(limit + 1);
            if (content.length > limit) {
                in.abort();
                throw new StoreException(
                        "cannot read %s of %s".formatted(key, url),
                        "it has more than %d bytes".formatted(limit));
            }
            return Optional.of(new Stored(content, written(in.response())));
        } catch (SdkException e) {
            if (BucketStore.isAbsent(e)) {
                return Optional.empty();
            }
            throw BucketStore.failure("cannot read %s of %s".formatted(key, url), e);
        } catch (IOException e) {
            throw BucketStore.failure("cannot read %s of %s".formatted(key, url), e);
        }
    }

    /** It is the store's clock for who reads it. */
    private static Instant written(GetObjectResponse answer) {
        if (answer.lastModified() == null) {
            throw SdkClientException.create(BucketStore.NO_BUCKET);
        }
        return answer.lastModified();
    }

    void close() {
        client.close();
    }
}
