package io.kjadm.core.config;

import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.value.ImagePullPolicy;
import io.kjadm.manifests.Argument;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How this node presents itself to the cluster.
 *
 * @param name lower case, a DNS subdomain
 * @param criSocket {@code unix://} and an absolute path
 * @param taints absent means "not chosen", an empty list means "none"
 * @param ignorePreflightErrors lower case, sorted
 */
public record NodeRegistration(
        String name,
        String criSocket,
        Optional<List<Taint>> taints,
        List<Argument> kubeletExtraArgs,
        List<String> ignorePreflightErrors,
        ImagePullPolicy imagePullPolicy,
        boolean imagePullSerial) {

    public NodeRegistration {
        taints = taints.map(List::copyOf);
        kubeletExtraArgs = List.copyOf(kubeletExtraArgs);
        ignorePreflightErrors = List.copyOf(ignorePreflightErrors);
    }

    /** Nothing was chosen and nothing detected: name and socket are empty. */
    public static NodeRegistration defaults() {
        return new NodeRegistration(
                "",
                "",
                Optional.empty(),
                List.of(),
                List.of(),
                ImagePullPolicy.IF_NOT_PRESENT,
                true);
    }

    /** What the kubelet calls itself: an override among its arguments wins. */
    public String kubeletName() {
        return Argument.lastValue(kubeletExtraArgs, "hostname-override")
                .map(value -> value.strip().toLowerCase(Locale.ROOT))
                .orElse(name);
    }

    public NodeRegistration withName(String node) {
        return with(node, criSocket, taints, ignorePreflightErrors);
    }

    public NodeRegistration withCriSocket(String socket) {
        return with(name, socket, taints, ignorePreflightErrors);
    }

    public NodeRegistration withTaints(List<Taint> chosen) {
        return with(name, criSocket, Optional.of(chosen), ignorePreflightErrors);
    }

    public NodeRegistration withIgnorePreflightErrors(List<String> checks) {
        return with(name, criSocket, taints, checks);
    }

    private NodeRegistration with(
            String node, String socket, Optional<List<Taint>> chosen, List<String> checks) {
        return new NodeRegistration(
                node, socket, chosen, kubeletExtraArgs, checks, imagePullPolicy, imagePullSerial);
    }

    /** What the flags say that may stand beside a configuration file counts more than the file. */
    NodeRegistration overriddenBy(CommandFlags flags) {
        return withName(flags.text(Flag.NODE_NAME)
                        .filter(given -> !given.isBlank())
                        .map(given -> given.strip().toLowerCase(Locale.ROOT))
                        .orElse(name))
                .withIgnorePreflightErrors(flags.ignoredChecks(ignorePreflightErrors));
    }
}
