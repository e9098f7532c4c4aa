package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;

import java.util.List;
import java.util.Set;

/**
 * Which flags may stand beside {@code --config}: those that say how to run, not what to make.
 * The check looks at flags that were explicitly set.
 */
public final class FlagMixing {

    private static final Set<String> ALLOWED = Set.of(
            "config",
            "ignore-preflight-errors",
            "allow-degraded",
            "allow-mixed",
            "dry-run",
            "force-last-member",
            "kubeconfig",
            "kubeconfig-dir",
            "node-name",
            "upload-certs",
            "print-manifest",
            "print-join-command",
            "allow-missing-template-keys",
            "output",
            "show-managed-fields",
            "rootfs",
            "v",
            "yes",
            "join-stall-timeout",
            "join-timeout",
            "join-wait",
            "keep-learner",
            "replace-lost-voter",
            "takeover",
            "timings",
            "wipe-etcd-data");

    private FlagMixing() {}

    /**
     * Refuses flags that contradict a configuration file.
     *
     * @throws UsageException naming them, sorted
     */
    public static void check(Set<String> setFlags) {
        List<String> refused = setFlags.stream()
                .filter(flag -> !ALLOWED.contains(flag) && !flag.startsWith("skip-"))
                .sorted()
                .toList();
        if (!refused.isEmpty()) {
            throw new UsageException(
                    "flags cannot be mixed with --config: --" + String.join(", --", refused),
                    "what they set belongs in the configuration file",
                    "set it there, or leave --config out");
        }
    }
}
