package io.kjadm.manifests;

import java.net.URI;
import java.util.Objects;

/** A member of an etcd cluster as {@code --initial-cluster} names it; the URL is a peer URL. */
public record NameAndUrl(String name, URI url) {

    public NameAndUrl {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(url, "url");
    }

    /** {@code NAME=URL}. */
    public String text() {
        return name + "=" + url;
    }
}
