package io.kjadm.manifests;

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The credentials of a kubeconfig's user. Certificate, key and token may each be embedded or be
 * named as a file.
 *
 * @param rare what few kubeconfigs have
 */
public record KubeconfigUser(
        Optional<String> certificatePem,
        Optional<String> keyPem,
        Optional<Path> certificateFile,
        Optional<Path> keyFile,
        Optional<String> token,
        Optional<Path> tokenFile,
        Rare rare) {

    /**
     * Other credentials.
     *
     * @param authProvider name of a provider that was built into client-go
     */
    public record Rare(
            Optional<Password> password, Optional<ExecPlugin> exec, Optional<String> authProvider) {

        static final Rare NONE = new Rare(Optional.empty(), Optional.empty(), Optional.empty());

        private boolean any() {
            return password.isPresent() || exec.isPresent() || authProvider.isPresent();
        }
    }

    /** A name and a password; one of the two may be empty. */
    public record Password(String username, String password) {
        @Override
        public String toString() {
            return "Password[withheld]";
        }
    }

    public KubeconfigUser {
        Objects.requireNonNull(certificatePem, "certificatePem");
        Objects.requireNonNull(keyPem, "keyPem");
        Objects.requireNonNull(certificateFile, "certificateFile");
        Objects.requireNonNull(keyFile, "keyFile");
        Objects.requireNonNull(token, "token");
        Objects.requireNonNull(tokenFile, "tokenFile");
        Objects.requireNonNull(rare, "rare");
    }

    /** A client certificate (with its chain, if any) and its key, embedded. */
    public static KubeconfigUser certificate(String certificatePem, String keyPem) {
        return new KubeconfigUser(
                Optional.of(certificatePem),
                Optional.of(keyPem),
                none(),
                none(),
                none(),
                none(),
                Rare.NONE);
    }

    /** The key of a certificate that is yet to be signed, embedded. */
    public static KubeconfigUser key(String keyPem) {
        return new KubeconfigUser(
                none(), Optional.of(keyPem), none(), none(), none(), none(), Rare.NONE);
    }

    /** Files that hold the client certificate and its key; they may be the same. */
    public static KubeconfigUser certificateFiles(Path certificate, Path key) {
        return new KubeconfigUser(
                none(),
                none(),
                Optional.of(certificate),
                Optional.of(key),
                none(),
                none(),
                Rare.NONE);
    }

    /** A bearer token. */
    public static KubeconfigUser token(String token) {
        return new KubeconfigUser(
                none(), none(), none(), none(), Optional.of(token), none(), Rare.NONE);
    }

    /** A file that holds a bearer token. */
    public static KubeconfigUser tokenFile(Path file) {
        return new KubeconfigUser(
                none(), none(), none(), none(), none(), Optional.of(file), Rare.NONE);
    }

    /** A name and a password. */
    public static KubeconfigUser password(Password password) {
        return rare(new Rare(Optional.of(password), none(), none()));
    }

    /** A program to get credentials from. */
    public static KubeconfigUser exec(ExecPlugin plugin) {
        return rare(new Rare(none(), Optional.of(plugin), none()));
    }

    private static KubeconfigUser rare(Rare rare) {
        return new KubeconfigUser(none(), none(), none(), none(), none(), none(), rare);
    }

    private static <T> Optional<T> none() {
        return Optional.empty();
    }

    /** Whether there is anything to authenticate with. */
    public boolean hasCredentials() {
        return certificatePem.isPresent()
                || certificateFile.isPresent()
                || token.isPresent()
                || tokenFile.isPresent()
                || rare.any();
    }

    Map<String, Object> toTree() {
        var tree = new TreeMap<String, Object>();
        certificatePem.ifPresent(
                pem -> tree.put("client-certificate-data", KubeconfigTree.encoded(pem)));
        keyPem.ifPresent(pem -> tree.put("client-key-data", KubeconfigTree.encoded(pem)));
        certificateFile.ifPresent(file -> tree.put("client-certificate", file.toString()));
        keyFile.ifPresent(file -> tree.put("client-key", file.toString()));
        token.ifPresent(text -> tree.put("token", text));
        tokenFile.ifPresent(file -> tree.put("tokenFile", file.toString()));
        rare.password().ifPresent(both -> {
            tree.put("username", both.username());
            tree.put("password", both.password());
        });
        rare.exec().ifPresent(plugin -> tree.put("exec", plugin.toTree()));
        return tree;
    }

    static KubeconfigUser fromTree(Map<String, Object> tree) {
        return new KubeconfigUser(
                KubeconfigTree.decoded(tree, "client-certificate-data"),
                KubeconfigTree.decoded(tree, "client-key-data"),
                KubeconfigTree.path(tree, "client-certificate"),
                KubeconfigTree.path(tree, "client-key"),
                KubeconfigTree.text(tree, "token"),
                KubeconfigTree.path(tree, "tokenFile"),
                new Rare(
                        password(tree),
                        KubeconfigTree.object(tree, "exec").map(ExecPlugin::fromTree),
                        KubeconfigTree.object(tree, "auth-provider")
                                .map(provider ->
                                        KubeconfigTree.text(provider, "name").orElse(""))));
    }

    private static Optional<Password> password(Map<String, Object> tree) {
        Optional<String> username = KubeconfigTree.text(tree, "username");
        Optional<String> password = KubeconfigTree.text(tree, "password");
        return username.isEmpty() && password.isEmpty()
                ? Optional.empty()
                : Optional.of(new Password(username.orElse(""), password.orElse("")));
    }

    @Override
    public String toString() {
        return "KubeconfigUser[certificate="
                + (certificatePem.isPresent() || certificateFile.isPresent())
                + ", token=" + (token.isPresent() || tokenFile.isPresent()) + ", rare="
                + rare.any() + "]";
    }
}
