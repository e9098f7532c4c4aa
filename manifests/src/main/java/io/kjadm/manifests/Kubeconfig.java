package io.kjadm.manifests;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * A kubeconfig: one made here or one read from a file. What is read keeps everything it had, also
 * entries and fields not known here, when a part of it is replaced. Immutable; it holds secrets, so
 * {@link #toString()} tells names only.
 */
public final class Kubeconfig {

    private static final String EXEC_EXTENSION = "client.authentication.k8s.io/exec";
    private static final String CURRENT = "current-context";

    private final Map<String, Object> tree;

    private Kubeconfig(Map<String, Object> tree) {
        this.tree = tree;
    }

    /** The names in a kubeconfig; the context's is made of the two. */
    public record Names(String cluster, String user) {

        /** {@code user@cluster}. */
        public String context() {
            return user + "@" + cluster;
        }
    }

    /** A kubeconfig with one cluster, one user and the context that joins them. */
    public static Kubeconfig of(Names names, KubeconfigCluster cluster, KubeconfigUser user) {
        return single(names.context(), names, Map.of(), cluster, user);
    }

    /**
     * The kubeconfig of a workload in the cluster: all names are {@code default}, as is the
     * namespace.
     */
    static Kubeconfig inCluster(KubeconfigCluster cluster, KubeconfigUser user) {
        return single(
                "default",
                new Names("default", "default"),
                Map.of("namespace", "default"),
                cluster,
                user);
    }

    /**
     * The public part of a kubeconfig, as {@code cluster-info} publishes it: a cluster without a
     * name and nothing else.
     */
    public static Kubeconfig clusterInfo(KubeconfigCluster cluster) {
        var tree = header();
        tree.put("clusters", List.of(Map.of("name", "", "cluster", cluster.toTree())));
        tree.put("contexts", null);
        tree.put(CURRENT, "");
        tree.put("users", null);
        return new Kubeconfig(tree);
    }

    /**
     * Reads a kubeconfig leniently: only what is asked for has to be there and in shape.
     *
     * @throws ManifestException if it is no YAML object at all
     */
    public static Kubeconfig parse(String yaml) {
        return new Kubeconfig(ManifestYaml.readObject(yaml));
    }

    /** The text of the file: keys sorted, nothing that is not needed. */
    public String render() {
        return ManifestYaml.write(tree);
    }

    /** The name of the current context; empty if none is set. */
    public Optional<String> currentContext() {
        return KubeconfigTree.text(tree, CURRENT);
    }

    /**
     * The cluster of the current context.
     *
     * @throws ManifestException if there is no current context, or it or its cluster is missing
     */
    public KubeconfigCluster cluster() {
        return KubeconfigCluster.fromTree(clusterTree());
    }

    /** The name of the current context's cluster; same refusals as {@link #cluster()}. */
    public String clusterName() {
        return contextField("cluster");
    }

    /** The name of the current context's user; same refusals as {@link #user()}. */
    public String userName() {
        return contextField("user");
    }

    /**
     * The cluster a joining node looks for: the one without a name, else that of the current
     * context.
     *
     * @throws ManifestException if there is neither
     */
    public KubeconfigCluster discoveryCluster() {
        return KubeconfigTree.entry(tree, "clusters", "cluster", "")
                .map(KubeconfigCluster::fromTree)
                .orElseGet(this::cluster);
    }

    /**
     * What the current context's cluster has to say to a credential plugin; empty for nothing. It
     * is a tree of maps, lists and plain values.
     */
    public Optional<Object> execConfig() {
        return KubeconfigTree.items(clusterTree(), "extensions").stream()
                .filter(item -> EXEC_EXTENSION.equals(KubeconfigTree.nameOf(item)))
                .findFirst()
                .map(item -> item.get("extension"));
    }

    /**
     * The credentials of the current context's user.
     *
     * @throws ManifestException if there is no current context, or it or its user is missing
     */
    public KubeconfigUser user() {
        return KubeconfigUser.fromTree(KubeconfigTree.entry(tree, "users", "user", userName())
                .orElseThrow(() -> missing("user", userName())));
    }

    /**
     * The same with the client certificate and key of the current context's user replaced, whether
     * they were embedded or files; other fields of the user stay.
     */
    public Kubeconfig withCredentials(KubeconfigUser credentials) {
        user();
        return replacing("users", "user", userName(), body -> {
            List.of(
                            "client-certificate-data",
                            "client-key-data",
                            "client-certificate",
                            "client-key")
                    .forEach(body::remove);
            body.putAll(credentials.toTree());
            return body;
        });
    }

    /**
     * The same with the CA of the current context's cluster replaced, whether it was embedded or a
     * file; its server and other fields stay.
     */
    public Kubeconfig withAuthority(String caPem) {
        clusterTree();
        return replacing("clusters", "cluster", clusterName(), body -> {
            body.remove("certificate-authority");
            body.put("certificate-authority-data", KubeconfigTree.encoded(caPem));
            return body;
        });
    }

    /** The same with the current context's cluster reached at another URL; all else stays. */
    public Kubeconfig withServer(String url) {
        clusterTree();
        return replacing("clusters", "cluster", clusterName(), body -> {
            body.put("server", url);
            return body;
        });
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Kubeconfig that && tree.equals(that.tree);
    }

    @Override
    public int hashCode() {
        return tree.hashCode();
    }

    @Override
    public String toString() {
        return "Kubeconfig[" + currentContext().orElse("no context") + "]";
    }

    private static Kubeconfig single(
            String contextName,
            Names names,
            Map<String, Object> contextExtras,
            KubeconfigCluster cluster,
            KubeconfigUser user) {
        var context = new TreeMap<String, Object>(contextExtras);
        context.put("cluster", names.cluster());
        context.put("user", names.user());
        var tree = header();
        tree.put("clusters", List.of(Map.of("name", names.cluster(), "cluster", cluster.toTree())));
        tree.put("contexts", List.of(Map.of("name", contextName, "context", context)));
        tree.put(CURRENT, contextName);
        tree.put("users", List.of(Map.of("name", names.user(), "user", user.toTree())));
        return new Kubeconfig(tree);
    }

    private static Map<String, Object> header() {
        var tree = new TreeMap<String, Object>();
        tree.put("apiVersion", "v1");
        tree.put("kind", "Config");
        return tree;
    }

    private Map<String, Object> clusterTree() {
        return KubeconfigTree.entry(tree, "clusters", "cluster", clusterName())
                .orElseThrow(() -> missing("cluster", clusterName()));
    }

    private String contextField(String field) {
        String name = currentContext()
                .orElseThrow(() -> new ManifestException("the kubeconfig has no current context"));
        return KubeconfigTree.entry(tree, "contexts", "context", name)
                .map(context -> KubeconfigTree.text(context, field).orElse(""))
                .orElseThrow(() -> missing("context", name));
    }

    private static ManifestException missing(String kind, String name) {
        return new ManifestException("the kubeconfig has no %s named \"%s\"".formatted(kind, name));
    }

    private Map<String, Object> copy() {
        return ManifestYaml.castToObject((Map<?, ?>) ManifestYaml.copy(tree));
    }

    private Kubeconfig replacing(
            String list, String kind, String name, UnaryOperator<Map<String, Object>> change) {
        var copy = copy();
        var changed = new ArrayList<Map<String, Object>>();
        for (Map<String, Object> item : KubeconfigTree.items(copy, list)) {
            if (KubeconfigTree.nameOf(item).equals(name)) {
                Map<String, Object> body = item.get(kind) instanceof Map<?, ?> map
                        ? ManifestYaml.castToObject(map)
                        : new TreeMap<>();
                item.put(kind, change.apply(body));
            }
            changed.add(item);
        }
        copy.put(list, changed);
        return new Kubeconfig(copy);
    }
}
