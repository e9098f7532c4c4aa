package io.kjadm.manifests;

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A cluster entry of a kubeconfig.
 *
 * @param server        its URL as written
 * @param caPem         PEM text of the CA
 * @param caFile        the file that holds it instead
 * @param tlsServerName the name that the server's certificate is for, if it is not the URL's
 * @param insecure      whether the server's certificate is not to be looked at
 * @param proxyUrl      the proxy to go through, whatever the environment says; it may have a
 *                      password
 */
public record KubeconfigCluster(
        String server,
        Optional<String> caPem,
        Optional<Path> caFile,
        Optional<String> tlsServerName,
        boolean insecure,
        Optional<String> proxyUrl) {

    private static final String TLS_SERVER_NAME = "tls-server-name";
    private static final String INSECURE = "insecure-skip-tls-verify";
    private static final String PROXY_URL = "proxy-url";

    public KubeconfigCluster {
        Objects.requireNonNull(server, "server");
        Objects.requireNonNull(caPem, "caPem");
        Objects.requireNonNull(caFile, "caFile");
        Objects.requireNonNull(tlsServerName, "tlsServerName");
        Objects.requireNonNull(proxyUrl, "proxyUrl");
    }

    /** A cluster that is reached by its own name and as the environment says. */
    public KubeconfigCluster(String server, Optional<String> caPem, Optional<Path> caFile) {
        this(server, caPem, caFile, Optional.empty(), false, Optional.empty());
    }

    /** A cluster with the CA embedded. */
    public KubeconfigCluster(String server, String caPem) {
        this(server, Optional.of(caPem), Optional.empty());
    }

    /** The same with that CA embedded, or none. */
    public KubeconfigCluster embedding(Optional<String> pem) {
        return new KubeconfigCluster(
                server, pem, Optional.empty(), tlsServerName, insecure, proxyUrl);
    }

    Map<String, Object> toTree() {
        var tree = new TreeMap<String, Object>();
        tlsServerName.ifPresent(name -> tree.put(TLS_SERVER_NAME, name));
        proxyUrl.ifPresent(url -> tree.put(PROXY_URL, url));
        if (insecure) {
            tree.put(INSECURE, true);
        }
        caPem.ifPresent(pem -> tree.put("certificate-authority-data", KubeconfigTree.encoded(pem)));
        caFile.ifPresent(file -> tree.put("certificate-authority", file.toString()));
        tree.put("server", server);
        return tree;
    }

    static KubeconfigCluster fromTree(Map<String, Object> tree) {
        return new KubeconfigCluster(
                KubeconfigTree.text(tree, "server").orElse(""),
                KubeconfigTree.decoded(tree, "certificate-authority-data"),
                KubeconfigTree.path(tree, "certificate-authority"),
                KubeconfigTree.text(tree, TLS_SERVER_NAME),
                KubeconfigTree.isTrue(tree, INSECURE),
                KubeconfigTree.text(tree, PROXY_URL));
    }

    @Override
    public String toString() {
        return "KubeconfigCluster[%s]".formatted(server);
    }
}
