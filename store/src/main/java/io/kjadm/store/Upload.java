package io.kjadm.store;

import io.kjadm.store.ObjectStore.Creation;

import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedMultipartUpload;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * An object on its way into a bucket, of bytes whose number is not known: in one request if they
 * are few, else part by part. Until it is finished there is no object, and if it is closed before,
 * the parts are given up.
 *
 * <p>Most servers give an object the MD5 sum of its bytes as its ETag, and one in parts that of the
 * sums of its parts, with their number behind it (Amazon's "Checking object integrity"). Where all
 * are those of the bytes that were sent, the object is confirmed. Where one is not, as with keys of
 * a key management service, nothing follows from it.
 */
final class Upload extends OutputStream {

    /** At most 10,000 parts: 160 GB, twenty times what etcd recommends. */
    private static final int PART_BYTES = 16 * 1024 * 1024;

    private static final int START_BYTES = 64 * 1024;
    private static final String ANY = "*";
    private static final int NOT_FOUND = 404;

    private final S3Client client;
    private final String bucket;
    private final String key;
    private final boolean google;
    private final List<CompletedPart> parts = new ArrayList<>();
    private byte[] buffer = new byte[START_BYTES];
    private int filled;
    private long sent;
    private final MessageDigest sums = ContentSum.md5();
    private boolean confirmed = true;
    private String upload = "";
    private boolean finished;

    /** @param google whether the bucket is Google's, which has a header of its own */
    Upload(S3Client client, String bucket, String key, boolean google) {
        this.client = client;
        this.bucket = bucket;
        this.key = key;
        this.google = google;
    }

    @Override
    public void write(int one) {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        int at = offset;
        int end = offset + length;
        while (at < end) {
            if (filled == PART_BYTES) {
                sendPart();
            }
            int taken = Math.min(end - at, PART_BYTES - filled);
            reserve(filled + taken);
            System.arraycopy(bytes, at, buffer, filled, taken);
            filled += taken;
            at += taken;
        }
    }

    private void reserve(int bytes) {
        if (buffer.length < bytes) {
            buffer =
                    Arrays.copyOf(buffer, Math.min(PART_BYTES, Math.max(bytes, buffer.length * 2)));
        }
    }

    private void sendPart() {
        if (upload.isEmpty()) {
            upload = BucketStore.required(
                    client.createMultipartUpload(create -> create.bucket(bucket).key(key))
                            .uploadId());
        }
        int number = parts.size() + 1;
        byte[] sum = ContentSum.of(buffer, filled);
        String tag = BucketStore.required(client.uploadPart(
                        part -> part.bucket(bucket)
                                .key(key)
                                .uploadId(upload)
                                .partNumber(number)
                                .contentMD5(ContentSum.header(sum)),
                        BucketStore.body(buffer, filled))
                .eTag());
        parts.add(CompletedPart.builder().partNumber(number).eTag(tag).build());
        sums.update(sum);
        compare(tag, HexFormat.of().formatHex(sum));
        sent += filled;
        filled = 0;
    }

    private void compare(String tag, String sum) {
        confirmed &= tag.replace("\"", "").equals(sum);
    }

    /** Makes the object of what was written. */
    Creation finish() {
        if (upload.isEmpty()) {
            put();
        } else {
            complete();
        }
        finished = true;
        return confirmed ? Creation.CONFIRMED : Creation.CREATED;
    }

    /** Where an earlier try of the same request was carried out and its answer lost, it exists. */
    private void put() {
        byte[] sum = ContentSum.of(buffer, filled);
        PutObjectRequest.Builder put = PutObjectRequest.builder()
                .bucket(bucket)
                .key(key)
                .contentMD5(ContentSum.header(sum));
        if (google) {
            put.overrideConfiguration(BucketStore.googlesCreation());
        } else {
            put.ifNoneMatch(ANY);
        }
        try {
            String tag = BucketStore.required(
                    client.putObject(put.build(), BucketStore.body(buffer, filled))
                            .eTag());
            compare(tag, HexFormat.of().formatHex(sum));
        } catch (S3Exception e) {
            boolean other = BucketStore.exists(e) || BucketStore.isConflict(e);
            if (!other || !isThere()) {
                throw e;
            }
        }
    }

    private boolean isThere() {
        try (InputStream there = client.getObject(get -> get.bucket(bucket).key(key))) {
            return sameBytes(there, new ByteArrayInputStream(buffer, 0, filled));
        } catch (IOException e) {
            return false;
        } catch (SdkException e) {
            if (BucketStore.isAbsent(e)) {
                return false;
            }
            throw e;
        }
    }

    private static boolean sameBytes(InputStream one, InputStream other) throws IOException {
        int expected;
        do {
            expected = other.read();
            if (one.read() != expected) {
                return false;
            }
        } while (expected != -1);
        return true;
    }

    private void complete() {
        if (filled > 0) {
            sendPart();
        }
        String tag;
        try {
            tag = BucketStore.required(client.completeMultipartUpload(complete -> {
                        complete.bucket(bucket)
                                .key(key)
                                .uploadId(upload)
                                .multipartUpload(CompletedMultipartUpload.builder()
                                        .parts(parts)
                                        .build());
                        if (google) {
                            complete.overrideConfiguration(BucketStore.googlesCreation());
                        } else {
                            complete.ifNoneMatch(ANY);
                        }
                    })
                    .eTag());
        } catch (S3Exception e) {
            tag = completedBefore(e);
        }
        compare(tag, "%s-%d".formatted(HexFormat.of().formatHex(sums.digest()), parts.size()));
    }

    /**
     * The tag of what an earlier try has made whose answer was lost. The upload is gone then; a server
     * that compares first finds the object itself in the way.
     */
    private String completedBefore(S3Exception e) {
        boolean again = e.numAttempts() != null && e.numAttempts() > 1;
        if (e.statusCode() != NOT_FOUND && !(again && BucketStore.exists(e))) {
            throw e;
        }
        return there().filter(found -> Long.valueOf(sent).equals(found.contentLength()))
                .map(HeadObjectResponse::eTag)
                .orElseThrow(() -> e);
    }

    private Optional<HeadObjectResponse> there() {
        try {
            return Optional.of(client.headObject(head -> head.bucket(bucket).key(key)));
        } catch (S3Exception e) {
            // without a body, so without a code
            if (e.statusCode() == NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Whether there is an object now, of these bytes or others. */
    boolean isTaken() {
        return there().isPresent();
    }

    /** Gives up what was not finished, so that nobody pays for its parts. */
    @Override
    public void close() {
        if (finished || upload.isEmpty()) {
            return;
        }
        try {
            client.abortMultipartUpload(abort -> abort.bucket(bucket).key(key).uploadId(upload));
        } catch (SdkException e) {
            // the failure that led here says more; buckets have rules that clean such parts away
        }
    }
}
