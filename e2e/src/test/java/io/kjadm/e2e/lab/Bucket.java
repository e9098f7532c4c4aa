package io.kjadm.e2e.lab;

import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;

import java.net.URI;
import java.util.List;
import java.util.stream.Stream;

/** A bucket of a server that speaks S3, on this machine, which the nodes of a lab reach. */
public final class Bucket implements AutoCloseable {
    private static final String NAME = "snapshots";
    private static final String ID = "an-id";
    private static final String SECRET = "its-secret";

    private final S3Proxy server;
    private final String host;

    private Bucket(S3Proxy server, String host) {
        this.server = server;
        this.host = host;
    }

    /** An empty one; {@code node} tells where this machine is seen from the lab. */
    public static Bucket near(Node node) {
        var host = node.shell("ip route show default | awk '{print $3}'");
        var blobs = new TransientNio2BlobStore();
        var server = S3Proxy.builder()
                .blobStore(blobs)
                .endpoint(URI.create("http://" + host + ":0"))
                .awsAuthentication(AuthenticationType.AWS_V2_OR_V4, ID, SECRET)
                .build();
        try {
            server.start();
            blobs.createContainer(NAME);
        } catch (Exception e) {
            throw new IllegalStateException("no bucket at " + host, e);
        }
        return new Bucket(server, host);
    }

    /** As {@code --store} takes it. */
    public String url() {
        return "s3://%s/lab?endpoint=http://%s:%d&insecure=true"
                .formatted(NAME, host, server.getPort());
    }

    /** The words of a command that has its credentials. */
    public String[] command(String... words) {
        return Stream.concat(
                        Stream.of(
                                "env",
                                "AWS_ACCESS_KEY_ID=" + ID,
                                "AWS_SECRET_ACCESS_KEY=" + SECRET),
                        List.of(words).stream())
                .toArray(String[]::new);
    }

    /** Its credentials as a file of lines. */
    public String credentials() {
        return "AWS_ACCESS_KEY_ID=%s\nAWS_SECRET_ACCESS_KEY=%s\n".formatted(ID, SECRET);
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("the server of buckets does not end", e);
        }
    }
}
