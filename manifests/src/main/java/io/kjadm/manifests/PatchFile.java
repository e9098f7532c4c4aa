package io.kjadm.manifests;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A file of the patches directory: its base name and its text. */
public record PatchFile(String name, String content) {

    private static final Pattern NAME = Pattern.compile(
            "(etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kubeletconfiguration"
                    + "|corednsdeployment|kubeproxydaemonset)"
                    + "[^.+\n]*(\\+(strategic|merge|json)?)?.*",
            Pattern.DOTALL);

    /** How a patch changes its target. */
    enum Type {
        STRATEGIC,
        MERGE,
        JSON;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Why the file is no patch at all; empty if it is one. */
    Optional<String> reasonToIgnore() {
        if (!isJson() && !name.endsWith(".yaml")) {
            return Optional.of("its name does not end with .json or .yaml");
        }
        if (!NAME.matcher(name).matches()) {
            return Optional.of("its name does not start with what may be patched: "
                    + Arrays.stream(PatchTarget.values())
                            .map(PatchTarget::fileName)
                            .collect(Collectors.joining(", ")));
        }
        return content.isBlank() ? Optional.of("it is empty") : Optional.empty();
    }

    /** What it is for, by the name. */
    PatchTarget target() {
        String fileName = parts().group(1);
        return Arrays.stream(PatchTarget.values())
                .filter(target -> target.fileName().equals(fileName))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no target " + fileName));
    }

    /**
     * The type by the name; text after a valid one is tolerated.
     *
     * @throws ManifestException if there is a {@code +} and no known type after it
     */
    Type type() {
        Matcher parts = parts();
        if (parts.group(2) != null && parts.group(3) == null) {
            throw new ManifestException(
                    "patch file %s: the type after + has to be one of strategic, merge, json"
                            .formatted(name));
        }
        return parts.group(3) == null
                ? Type.STRATEGIC
                : Type.valueOf(parts.group(3).toUpperCase(Locale.ROOT));
    }

    private Matcher parts() {
        Matcher parts = NAME.matcher(name);
        if (!parts.matches()) {
            throw new IllegalStateException("not a patch: " + name);
        }
        return parts;
    }

    boolean isJson() {
        return name.endsWith(".json");
    }
}
