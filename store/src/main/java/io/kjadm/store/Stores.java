package io.kjadm.store;

import javax.net.ssl.TrustManager;

/** Opens stores. */
public final class Stores {

    private Stores() {}

    /**
     * Gets ready to use one; nothing is written yet. What a bucket needs is loaded only then.
     *
     * @param trust   judges the server of a bucket
     * @param proxies through which it is reached
     * @throws StoreException if a bucket has no region, or there are no credentials for it
     */
    public static ObjectStore open(StoreUrl url, TrustManager trust, StoreProxies proxies) {
        return switch (url.kind()) {
            case FOLDER -> new FolderStore(url);
            case S3, GOOGLE -> BucketStore.open(url, trust, proxies);
        };
    }
}
