package io.kjadm.store;

import io.kjadm.store.ObjectStore.StoredObject;

import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Object;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The objects of a bucket, page by page. A page that is none, as the login page of a proxy, or a list
 * that does not go on where it should, must not pass for a bucket with few objects.
 */
final class BucketList {

    /** More than an hourly snapshot leaves in ten years. */
    private static final int MOST = 500_000;

    private final S3Client client;
    private final StoreUrl url;

    BucketList(S3Client client, StoreUrl url) {
        this.client = client;
        this.url = url;
    }

    /** Those whose key begins so, without the prefix of the store, sorted by key. */
    List<StoredObject> of(String prefix) {
        String all = url.prefix() + prefix;
        List<StoredObject> found = new ArrayList<>();
        String from = null;
        do {
            String token = from;
            ListObjectsV2Response page = client.listObjectsV2(
                    list -> list.bucket(url.bucket()).prefix(all).continuationToken(token));
            page.contents().forEach(object -> found.add(object(all, object)));
            from = next(page, token, found.size());
        } while (from != null);
        found.sort(Comparator.comparing(StoredObject::key));
        return List.copyOf(found);
    }

    private static String next(ListObjectsV2Response page, String token, int found) {
        if (page.isTruncated() == null) {
            throw SdkClientException.create(BucketStore.NO_BUCKET);
        }
        if (!page.isTruncated()) {
            return null;
        }
        String next = page.nextContinuationToken();
        if (next == null || next.equals(token)) {
            throw SdkClientException.create(
                    "the list ends early: a page does not name the next one");
        }
        if (found > MOST) {
            throw SdkClientException.create("there are more than %d objects".formatted(MOST));
        }
        return next;
    }

    private StoredObject object(String all, S3Object object) {
        if (object.key() == null
                || !object.key().startsWith(all)
                || object.size() == null
                || object.lastModified() == null) {
            throw SdkClientException.create(
                    "the list has an object that was not asked for, or without size and time: %s"
                            .formatted(object.key()));
        }
        return new StoredObject(
                object.key().substring(url.prefix().length()),
                object.size(),
                object.lastModified());
    }
}
