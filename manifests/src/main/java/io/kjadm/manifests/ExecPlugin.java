package io.kjadm.manifests;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A program that a kubeconfig names to get credentials from (client-go's credential plugins, API
 * group {@code client.authentication.k8s.io}).
 *
 * @param apiVersion      the version of the API that it speaks
 * @param command         as written: a name to search for, or a path
 * @param args            its arguments
 * @param env             variables besides those of the environment
 * @param installHint     what to tell if it is missing; empty text for nothing
 * @param provideClusterInfo whether it is told about the cluster
 * @param interactiveMode whether it asks on the terminal
 */
public record ExecPlugin(
        String apiVersion,
        String command,
        List<String> args,
        Map<String, String> env,
        String installHint,
        boolean provideClusterInfo,
        InteractiveMode interactiveMode) {

    private static final String V1 = "client.authentication.k8s.io/v1";
    private static final String V1BETA1 = "client.authentication.k8s.io/v1beta1";
    private static final Set<String> VERSIONS = Set.of(V1, V1BETA1);

    /** Whether a plugin asks on the terminal. */
    public enum InteractiveMode {
        NEVER("Never"),
        IF_AVAILABLE("IfAvailable"),
        ALWAYS("Always");

        private final String text;

        InteractiveMode(String text) {
            this.text = text;
        }

        private static InteractiveMode of(String text) {
            for (InteractiveMode mode : values()) {
                if (mode.text.equals(text)) {
                    return mode;
                }
            }
            throw new ManifestException("exec.interactiveMode is not Never, IfAvailable or Always");
        }
    }

    public ExecPlugin {
        args = List.copyOf(args);
    }

    /** The same program at another path. */
    public ExecPlugin at(String path) {
        return new ExecPlugin(
                apiVersion, path, args, env, installHint, provideClusterInfo, interactiveMode);
    }

    static ExecPlugin fromTree(Map<String, Object> tree) {
        String apiVersion = required(tree, "apiVersion");
        if (!VERSIONS.contains(apiVersion)) {
            throw new ManifestException("exec.apiVersion \"%s\" is neither %s nor %s"
                    .formatted(apiVersion, V1, V1BETA1));
        }
        return new ExecPlugin(
                apiVersion,
                required(tree, "command"),
                args(tree.get("args")),
                env(tree),
                KubeconfigTree.text(tree, "installHint").orElse(""),
                KubeconfigTree.isTrue(tree, "provideClusterInfo"),
                interactiveMode(tree, apiVersion));
    }

    private static String required(Map<String, Object> tree, String field) {
        return KubeconfigTree.text(tree, field)
                .orElseThrow(
                        () -> new ManifestException("the user's exec has no %s".formatted(field)));
    }

    private static List<String> args(Object values) {
        return values instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of();
    }

    private static Map<String, String> env(Map<String, Object> tree) {
        Map<String, String> env = new LinkedHashMap<>();
        for (Map<String, Object> item : KubeconfigTree.items(tree, "env")) {
            env.put(
                    KubeconfigTree.text(item, "name")
                            .orElseThrow(() ->
                                    new ManifestException("a variable in exec.env has no name")),
                    KubeconfigTree.text(item, "value").orElse(""));
        }
        return env;
    }

    /** v1 has no default. */
    private static InteractiveMode interactiveMode(Map<String, Object> tree, String apiVersion) {
        Optional<String> mode = KubeconfigTree.text(tree, "interactiveMode");
        return mode.isEmpty() && apiVersion.equals(V1BETA1)
                ? InteractiveMode.IF_AVAILABLE
                : InteractiveMode.of(mode.orElse(""));
    }

    Map<String, Object> toTree() {
        var tree = new TreeMap<String, Object>();
        tree.put("apiVersion", apiVersion);
        tree.put("command", command);
        if (!args.isEmpty()) {
            tree.put("args", args);
        }
        if (!env.isEmpty()) {
            tree.put(
                    "env",
                    env.entrySet().stream()
                            .map(variable -> new TreeMap<>(Map.of(
                                    "name", variable.getKey(), "value", variable.getValue())))
                            .toList());
        }
        if (!installHint.isEmpty()) {
            tree.put("installHint", installHint);
        }
        tree.put("interactiveMode", interactiveMode.text);
        tree.put("provideClusterInfo", provideClusterInfo);
        return tree;
    }

    /** Without arguments and variables, which may be secrets. */
    @Override
    public String toString() {
        return "ExecPlugin[%s]".formatted(command);
    }
}
