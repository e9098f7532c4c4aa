package io.kjadm.core.config;

import io.kjadm.core.value.ImagePullPolicy;
import io.kjadm.core.value.Timeouts;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.EnvVariable;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Reads what several configuration kinds have in common. */
final class CommonReader {

    private CommonReader() {}

    static Timeouts timeouts(TreeView view) {
        Timeouts usual = Timeouts.DEFAULTS;
        return new Timeouts(
                view.duration("controlPlaneComponentHealthCheck")
                        .orElse(usual.controlPlaneComponentHealthCheck()),
                view.duration("kubeletHealthCheck").orElse(usual.kubeletHealthCheck()),
                view.duration("kubernetesAPICall").orElse(usual.kubernetesApiCall()),
                view.duration("etcdAPICall").orElse(usual.etcdApiCall()),
                view.duration("tlsBootstrap").orElse(usual.tlsBootstrap()),
                view.duration("discovery").orElse(usual.discovery()),
                view.duration("upgradeManifests").orElse(usual.upgradeManifests()));
    }

    static NodeRegistration nodeRegistration(TreeView view, Consumer<String> warnings) {
        return new NodeRegistration(
                view.textOr("name", "").strip().toLowerCase(Locale.ROOT),
                criSocket(view, warnings).orElse(""),
                view.has("taints") ? Optional.of(taints(view)) : Optional.empty(),
                args(view, "kubeletExtraArgs"),
                view.texts("ignorePreflightErrors"),
                imagePullPolicy(view),
                view.flag("imagePullSerial", true));
    }

    /** What must hold for a node once its name is known. */
    static void checkName(NodeRegistration node, FieldErrors errors) {
        if (!Names.isSubdomain(node.name())) {
            errors.invalid(
                    "nodeRegistration.name",
                    node.name(),
                    "must be a DNS subdomain: "
                            + "letters, digits, dots and dashes, and at most 253 of them");
        }
    }

    /** The socket as a URL; a bare path is still understood. */
    static Optional<String> criSocket(TreeView view, Consumer<String> warnings) {
        Optional<String> given = view.text("criSocket");
        if (given.isEmpty()) {
            return given;
        }
        String socket = given.get();
        if (socket.startsWith("/")) {
            warnings.accept(
                    "a CRI socket without a URL scheme is deprecated; using unix://" + socket);
            socket = "unix://" + socket;
        }
        if (!Names.isSocket(socket)) {
            view.invalid(
                    "criSocket", socket, "only the scheme unix and an absolute path are supported");
        }
        return Optional.of(socket);
    }

    static ApiEndpoint endpoint(TreeView view) {
        int given = view.number("bindPort").orElse(0);
        int port = given == 0 ? ApiEndpoint.DEFAULT_PORT : given;
        if (port < 1 || port > 65535) {
            view.invalid("bindPort", port, "a port is between 1 and 65535");
        }
        return new ApiEndpoint(view.textOr("advertiseAddress", ""), port);
    }

    static Optional<String> certificateKey(TreeView view) {
        Optional<String> key = view.text("certificateKey");
        key.ifPresent(text -> checkKey(view, text));
        return key;
    }

    static List<String> skipPhases(TreeView view) {
        return view.texts("skipPhases");
    }

    static Optional<Path> patches(TreeView view) {
        return view.object("patches").text("directory").map(Path::of);
    }

    static List<Argument> args(TreeView view, String name) {
        List<Argument> args = new ArrayList<>();
        for (TreeView arg : view.objects(name)) {
            if (arg.text("name").isEmpty()) {
                view.invalid(name, "index " + args.size(), "an argument needs a name");
            }
            args.add(new Argument(arg.textOr("name", ""), arg.textOr("value", "")));
        }
        return args;
    }

    static List<EnvVariable> envs(TreeView view) {
        return view.objects("extraEnvs").stream()
                .map(env -> new EnvVariable(
                        env.textOr("name", ""),
                        env.textOr("value", ""),
                        env.object("valueFrom").tree()))
                .toList();
    }

    private static List<Taint> taints(TreeView view) {
        return view.objects("taints").stream()
                .map(taint -> new Taint(
                        taint.textOr("key", ""),
                        taint.textOr("value", ""),
                        taint.textOr("effect", ""),
                        taint.text("timeAdded")))
                .toList();
    }

    static ImagePullPolicy imagePullPolicy(TreeView view) {
        String text = view.textOr("imagePullPolicy", ImagePullPolicy.IF_NOT_PRESENT.text());
        Optional<ImagePullPolicy> policy = ImagePullPolicy.of(text);
        if (policy.isEmpty()) {
            view.invalid(
                    "imagePullPolicy",
                    text,
                    "must be one of "
                            + Arrays.stream(ImagePullPolicy.values())
                                    .map(ImagePullPolicy::text)
                                    .collect(Collectors.joining(", ")));
        }
        return policy.orElse(ImagePullPolicy.IF_NOT_PRESENT);
    }

    private static void checkKey(TreeView view, String key) {
        try {
            int size = HexFormat.of().parseHex(key).length;
            if (size != 32) {
                view.invalidSecret(
                        "certificateKey", "the key has %d bytes, 32 are needed".formatted(size));
            }
        } catch (IllegalArgumentException e) {
            view.invalidSecret("certificateKey", "the key is not hexadecimal");
        }
    }
}
