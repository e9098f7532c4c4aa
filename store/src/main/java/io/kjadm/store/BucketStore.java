package io.kjadm.store;

import io.kjadm.store.StoreUrl.Kind;

import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

import javax.net.ssl.TrustManager;

/**
 * Objects in a bucket of Amazon's, of a server that speaks the same protocol, or of Google's by its
 * interoperable interface. Credentials are found as AWS's own tools find them: environment,
 * profile, container and machine.
 */
final class BucketStore implements ObjectStore {

    private static final URI GOOGLE = URI.create("https://storage.googleapis.com");
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
    /** Of silence. */
    private static final Duration SOCKET_LIMIT = Duration.ofSeconds(60);

    /** What the client adds to its own messages. */
    private static final Pattern ATTEMPTS = Pattern.compile(" \\(SDK Attempt Count: \\d+\\)$");

    private static final int PRECONDITION_FAILED = 412;
    private static final int CONFLICT = 409;
    private static final int NOT_FOUND = 404;
    /** With which a server answers who signs for another region. */
    private static final Set<Integer> ELSEWHERE = Set.of(301, 307, 400);

    /** Why what a server or a proxy answered counts for nothing. */
    static final String NO_BUCKET =
            "the answer is not that of a server of buckets, but perhaps of a proxy, or of another port of the server";

    private final StoreUrl url;
    private final S3Client client;
    private final SmallObjects small;

    private BucketStore(StoreUrl url, S3Client client, SmallObjects small) {
        this.url = url;
        this.client = client;
        this.small = small;
    }

    static BucketStore open(StoreUrl url, TrustManager trust, StoreProxies proxies) {
        var credentials = DefaultCredentialsProvider.builder();
        url.setting(StoreUrl.PROFILE).ifPresent(credentials::profileName);
        AwsCredentialsProvider provider = credentials.build();
        requireCredentials(url, provider);
        try {
            S3Client client = builder(url, provider)
                    .httpClient(UrlConnectionHttpClient.create(
                            BucketConnections.of(trust, proxies, CONNECT_LIMIT, SOCKET_LIMIT)))
                    .overrideConfiguration(checked(url)
                            .retryStrategy(
                                    retries -> retries.retryOnException(BucketStore::isConflict))
                            .build())
                    .build();
            S3Client once = builder(url, provider)
                    .httpClient(UrlConnectionHttpClient.create(BucketConnections.of(
                            trust, proxies, SmallObjects.CONNECT_LIMIT, SmallObjects.SOCKET_LIMIT)))
                    .overrideConfiguration(SmallObjects.once(checked(url)).build())
                    .build();
            return new BucketStore(url, client, new SmallObjects(url, once));
        } catch (SdkException e) {
            throw new StoreException("cannot use " + url, e.getMessage(), e);
        }
    }

    private static S3ClientBuilder builder(StoreUrl url, AwsCredentialsProvider credentials) {
        Optional<URI> endpoint = url.setting(StoreUrl.ENDPOINT)
                .map(URI::create)
                .or(() -> Optional.of(GOOGLE).filter(_ -> url.kind() == Kind.GOOGLE));
        // what others than Amazon do not all know is asked for only where it is needed
        S3ClientBuilder builder = S3Client.builder()
                .credentialsProvider(credentials)
                .serviceConfiguration(S3Configuration.builder()
                        .pathStyleAccessEnabled(url.setting(StoreUrl.PATH_STYLE)
                                .map(Boolean::parseBoolean)
                                .orElse(endpoint.isPresent()))
                        .chunkedEncodingEnabled(false)
                        .expectContinueEnabled(false)
                        .build())
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED);
        endpoint.ifPresent(builder::endpointOverride);
        url.setting(StoreUrl.REGION)
                .or(() -> Optional.of("us-east-1").filter(_ -> endpoint.isPresent()))
                .map(Region::of)
                .ifPresent(builder::region);
        return builder;
    }

    private static ClientOverrideConfiguration.Builder checked(StoreUrl url) {
        return ClientOverrideConfiguration.builder()
                .addExecutionInterceptor(new EncryptionCheck(url))
                .addExecutionInterceptor(new AnswerLimit());
    }

    /** The client may know a server from the environment or a profile, which are not parsed here. */
    private record EncryptionCheck(StoreUrl url) implements ExecutionInterceptor {

        @Override
        public void beforeTransmission(
                Context.BeforeTransmission context, ExecutionAttributes attributes) {
            URI server = context.httpRequest().getUri();
            if (!url.trusts(server)) {
                throw SdkClientException.create(StoreUrl.UNENCRYPTED.formatted(server.getHost()));
            }
        }
    }

    /** The client would tell of every place where it has looked, over many lines. */
    private static void requireCredentials(StoreUrl url, AwsCredentialsProvider provider) {
        try {
            provider.resolveCredentials();
        } catch (SdkException e) {
            throw new StoreException(
                    "there are no credentials for " + url,
                    "neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor a profile, nor a role of the container or the machine",
                    e);
        }
    }

    @Override
    public StoreUrl location() {
        return url;
    }

    @Override
    public Creation create(String key, Content content) {
        String name = url.prefix() + Keys.checked(key);
        try (Upload upload = new Upload(client, url.bucket(), name, url.kind() == Kind.GOOGLE)) {
            content.writeTo(upload);
            return created(upload);
        } catch (SdkException | IOException | UncheckedIOException e) {
            throw failure("cannot write %s to %s".formatted(key, url), e);
        }
    }

    private static Creation created(Upload upload) {
        try {
            return upload.finish();
        } catch (S3Exception e) {
            if (exists(e) || isConflict(e) && upload.isTaken()) {
                return Creation.EXISTS;
            }
            throw e;
        }
    }

    @Override
    public Put put(String key, byte[] content) {
        return small.put(key, content);
    }

    @Override
    public void replace(String key, byte[] content) {
        small.replace(key, content);
    }

    @Override
    public Optional<Stored> read(String key, int limit) {
        return small.read(key, limit);
    }

    @Override
    public Optional<InputStream> open(String key) {
        String name = url.prefix() + Keys.checked(key);
        try {
            ResponseInputStream<GetObjectResponse> in =
                    client.getObject(get -> get.bucket(url.bucket()).key(name));
            return Optional.of(withTag(in));
        } catch (SdkException e) {
            if (isAbsent(e)) {
                return Optional.empty();
            }
            throw failure("cannot read %s of %s".formatted(key, url), e);
        }
    }

    /** Each object has a tag: what is answered without one is none. */
    static ResponseInputStream<GetObjectResponse> withTag(
            ResponseInputStream<GetObjectResponse> in) {
        if (in.response().eTag() == null) {
            in.abort();
            throw SdkClientException.create(NO_BUCKET);
        }
        return in;
    }

    /** The same of what was written. */
    static String required(String tag) {
        if (tag == null) {
            throw SdkClientException.create(NO_BUCKET);
        }
        return tag;
    }

    /**
     * Whether the store says that there is no such object, though there is the bucket. Another server,
     * or a proxy, says nothing of objects by its 404.
     */
    static boolean isAbsent(SdkException e) {
        return e instanceof S3Exception told
                && told.statusCode() == NOT_FOUND
                && told.awsErrorDetails() != null
                && told.awsErrorDetails().errorCode() != null
                && !told.awsErrorDetails().errorCode().equals("NoSuchBucket");
    }

    @Override
    public List<StoredObject> list(String prefix) {
        try {
            return new BucketList(client, url).of(prefix);
        } catch (SdkException e) {
            throw failure("cannot list %s".formatted(url), e);
        }
    }

    @Override
    public void delete(String key) {
        String name = url.prefix() + Keys.checked(key);
        try {
            client.deleteObject(delete -> delete.bucket(url.bucket()).key(name));
        } catch (SdkException e) {
            throw failure("cannot remove %s from %s".formatted(key, url), e);
        }
    }

    @Override
    public List<Unfinished> unfinished(String prefix) {
        String all = url.prefix() + prefix;
        try {
            return client
                    .listMultipartUploadsPaginator(
                            list -> list.bucket(url.bucket()).prefix(all))
                    .uploads()
                    .stream()
                    .filter(upload -> upload.key().startsWith(all)
                            && Keys.isKey(upload.key().substring(url.prefix().length())))
                    .map(upload -> new Unfinished(
                            upload.key().substring(url.prefix().length()),
                            upload.uploadId(),
                            upload.initiated()))
                    .toList();
        } catch (SdkException e) {
            throw failure("cannot list the unfinished uploads of %s".formatted(url), e);
        }
    }

    @Override
    public void abandon(Unfinished write) {
        String name = url.prefix() + Keys.checked(write.key());
        try {
            client.abortMultipartUpload(
                    abort -> abort.bucket(url.bucket()).key(name).uploadId(write.id()));
        } catch (SdkException e) {
            if (!(e instanceof S3Exception told) || told.statusCode() != NOT_FOUND) {
                throw failure("cannot remove the upload of %s".formatted(write.key()), e);
            }
        }
    }

    @Override
    public void close() {
        client.close();
        small.close();
    }

    /** The error comes with other statuses too, so its code counts as well. */
    static boolean exists(S3Exception e) {
        return e.statusCode() == PRECONDITION_FAILED
                || e.awsErrorDetails() != null
                        && "PreconditionFailed".equals(e.awsErrorDetails().errorCode());
    }

    /** Somebody else creates it in this moment; whether anything comes of it is not known. */
    static boolean isConflict(Throwable e) {
        return e instanceof S3Exception told && told.statusCode() == CONFLICT;
    }

    /** Google's own way to create and never replace. */
    static AwsRequestOverrideConfiguration googlesCreation() {
        return AwsRequestOverrideConfiguration.builder()
                .putHeader("x-goog-if-generation-match", "0")
                .build();
    }

    static RequestBody body(byte[] bytes, int length) {
        return RequestBody.fromInputStream(new ByteArrayInputStream(bytes, 0, length), length);
    }

    static StoreException failure(String what, Exception e) {
        return switch (e) {
            case S3Exception told
            when told.awsErrorDetails() != null -> new StoreException(what, answer(told), e);
            case UncheckedIOException wrapped -> failure(what, wrapped.getCause());
            default ->
                new StoreException(
                        what,
                        e.getMessage() == null
                                ? e.toString()
                                : ATTEMPTS.matcher(e.getMessage()).replaceAll(""),
                        e);
        };
    }

    private static String answer(S3Exception told) {
        AwsErrorDetails details = told.awsErrorDetails();
        if (details.errorCode() == null) {
            return "%s; it answered %d".formatted(NO_BUCKET, told.statusCode());
        }
        String region = Optional.ofNullable(details.sdkHttpResponse())
                .filter(_ -> ELSEWHERE.contains(told.statusCode()))
                .flatMap(response -> response.firstMatchingHeader("x-amz-bucket-region"))
                .map("; the bucket is in region %s"::formatted)
                .orElse("");
        return "the store answered %d %s: %s%s"
                .formatted(told.statusCode(), details.errorCode(), details.errorMessage(), region);
    }
}
