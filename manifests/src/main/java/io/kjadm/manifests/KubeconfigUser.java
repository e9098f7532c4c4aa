package io.kjadm.manifests;

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The credentials of a kubeconfig's user. Certificate, key and token may each be embedded or be
 * named as a file.
 *
 * @param otherMeans whether the entry holds credentials of a kind not listed here: a password, a
 *        plugin
 */
public record KubeconfigUser(
        Optional<String> certificatePem,
        Optional<String> keyPem,
        Optional<Path> certificateFile,
        Optional<Path> keyFile,
        Optional<String> token,
        Optional<Path> tokenFile,
        boolean otherMeans) {

    private static final Set<String> OTHER_MEANS =
            Set.of("username", "password", "exec", "auth-provider");

    public KubeconfigUser {
        Objects.requireNonNull(certificatePem, "certificatePem");
        Objects.requireNonNull(keyPem, "keyPem");
        Objects.requireNonNull(certificateFile, "certificateFile");
        Objects.requireNonNull(keyFile, "keyFile");
        Objects.requireNonNull(token, "token");
        Objects.requireNonNull(tokenFile, "tokenFile");
    }

    /** A client certificate (with its chain, if any) and its key, embedded. */
    public static KubeconfigUser certificate(String certificatePem, String keyPem) {
        return new KubeconfigUser(Optional.of(certificatePem), Optional.of(keyPem),
                Optional.empty(),
                Optional.empty(), Optional.empty(), Optional.empty(), false);
    }

    /** A key whose certificate is still to come, as a signing request is accompanied by. */
    public static KubeconfigUser keyOnly(String keyPem) {
        return new KubeconfigUser(Optional.empty(), Optional.of(keyPem), Optional.empty(),
                Optional.empty(), Optional.empty(), Optional.empty(), false);
    }

    /** Files that hold the client certificate and its key; they may be the same. */
    public static KubeconfigUser certificateFiles(Path certificate, Path key) {
        return new KubeconfigUser(Optional.empty(), Optional.empty(), Optional.of(certificate),
                Optional.of(key), Optional.empty(), Optional.empty(), false);
    }

    /** A bearer token. */
    public static KubeconfigUser token(String token) {
        return new KubeconfigUser(Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.of(token), Optional.empty(), false);
    }

    /** A file that holds a bearer token. */
    public static KubeconfigUser tokenFile(Path file) {
        return new KubeconfigUser(Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty(), Optional.of(file), false);
    }

    /** Whether there is anything to authenticate with. */
    public boolean hasCredentials() {
        return certificatePem.isPresent() || certificateFile.isPresent() || token.isPresent()
                || tokenFile.isPresent() || otherMeans;
    }

    Map<String, Object> toTree() {
        var tree = new TreeMap<String, Object>();
        certificatePem.ifPresent(pem ->
                tree.put("client-certificate-data", KubeconfigCluster.Pem.encoded(pem)));
        keyPem.ifPresent(pem -> tree.put("client-key-data", KubeconfigCluster.Pem.encoded(pem)));
        certificateFile.ifPresent(file -> tree.put("client-certificate", file.toString()));
        keyFile.ifPresent(file -> tree.put("client-key", file.toString()));
        token.ifPresent(text -> tree.put("token", text));
        tokenFile.ifPresent(file -> tree.put("tokenFile", file.toString()));
        return tree;
    }

    static KubeconfigUser fromTree(Map<String, Object> tree) {
        return new KubeconfigUser(
                KubeconfigTree.text(tree, "client-certificate-data")
                        .map(data ->
                                KubeconfigCluster.Pem.decoded(data, "client-certificate-data")),
                KubeconfigTree.text(tree, "client-key-data")
                        .map(data -> KubeconfigCluster.Pem.decoded(data, "client-key-data")),
                KubeconfigTree.text(tree, "client-certificate").map(Path::of),
                KubeconfigTree.text(tree, "client-key").map(Path::of),
                KubeconfigTree.text(tree, "token"),
                KubeconfigTree.text(tree, "tokenFile").map(Path::of),
                OTHER_MEANS.stream().anyMatch(key -> tree.get(key) != null));
    }

    @Override
    public String toString() {
        return "KubeconfigUser[certificate="
                + (certificatePem.isPresent() || certificateFile.isPresent())
                + ", token=" + (token.isPresent() || tokenFile.isPresent()) + ", otherMeans="
                + otherMeans + "]";
    }
}
