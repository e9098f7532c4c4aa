package io.kjadm.manifests;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** The text of the files that start a node's kubelet, apart from its configuration. */
public final class KubeletFiles {

    private static final String FLAGS_VARIABLE = "KUBELET_KUBEADM_ARGS=";

    private KubeletFiles() {}

    /** A taint a worker registers itself with; value and effect may be empty. */
    public record Taint(String key, String value, String effect) {

        public Taint {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(value, "value");
            Objects.requireNonNull(effect, "effect");
        }

        /** {@code key=value:effect}, without the parts that are empty. */
        String text() {
            if (effect.isEmpty()) {
                return value.isEmpty() ? key : key + "=" + value + ":";
            }
            return value.isEmpty() ? key + ":" + effect : key + "=" + value + ":" + effect;
        }
    }

    /**
     * The kubelet's command line arguments.
     *
     * @param hostnameOverride the node's name where it is not the host's
     * @param registerWithTaints of a worker; a control-plane node is given its taints through the
     *        API
     * @param extraArgs the operator's
     */
    public record Flags(
            Optional<String> hostnameOverride,
            List<Taint> registerWithTaints,
            List<Argument> extraArgs) {

        public Flags {
            Objects.requireNonNull(hostnameOverride, "hostnameOverride");
            registerWithTaints = List.copyOf(registerWithTaints);
            extraArgs = List.copyOf(extraArgs);
        }

        /** As {@code --name=value}, merged like those of static pods. */
        public List<String> arguments() {
            var ours = new ArrayList<Argument>();
            hostnameOverride.ifPresent(name -> ours.add(new Argument("hostname-override", name)));
            if (!registerWithTaints.isEmpty()) {
                ours.add(new Argument(
                        "register-with-taints",
                        registerWithTaints.stream()
                                .map(Taint::text)
                                .collect(Collectors.joining(","))));
            }
            return Argument.merge(ours, extraArgs);
        }
    }

    /** {@code kubeadm-flags.env}: one variable, which the kubelet's unit splits at blanks again. */
    public static String flagsEnv(Flags flags) {
        return FLAGS_VARIABLE + quoted(String.join(" ", flags.arguments())) + "\n";
    }

    /**
     * The arguments in the text of {@code kubeadm-flags.env}. A value that blanks tear apart is
     * read as the kubelet's unit passes it on: as several words.
     */
    public static List<Argument> parseFlags(String flagsEnv) {
        List<Argument> arguments = new ArrayList<>();
        for (String line : flagsEnv.lines().map(String::strip).toList()) {
            if (line.startsWith(FLAGS_VARIABLE)) {
                String text = line.substring(FLAGS_VARIABLE.length()).replace("\"", "");
                for (String word : text.split("\\s+")) {
                    if (word.startsWith("-")) {
                        String[] pair = word.replaceFirst("^-+", "").split("=", 2);
                        arguments.add(new Argument(pair[0], pair.length == 2 ? pair[1] : ""));
                    } else if (!word.isEmpty() && !arguments.isEmpty()) {
                        arguments.set(
                                arguments.size() - 1,
                                new Argument(arguments.getLast().name(), word));
                    }
                }
            }
        }
        return List.copyOf(arguments);
    }

    /**
     * {@code instance-config.yaml}: what is this node's alone in the kubelet's configuration.
     *
     * @param criSocket as URL, such as {@code unix:///run/containerd/containerd.sock}
     */
    public static String instanceConfig(String criSocket) {
        return "containerRuntimeEndpoint: " + quoted(criSocket) + "\n";
    }

    /** Double quotes with backslash escapes, which systemd and YAML read alike. */
    private static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (c < 0x20 || c == 0x7f) {
                        quoted.append("\\x%02x".formatted(c));
                    } else {
                        quoted.appendCodePoint(c);
                    }
                }
            }
        });
        return quoted.append('"').toString();
    }
}
