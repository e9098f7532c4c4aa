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
                    + "|corednsdeployment)"
                    + "[^.+\n]*(\\+(strategic|merge|json)?)?.*",
            Pattern.DOTALL);

    /** How a patch changes its target. */
    enum Type {
        STRATEGIC,
        MERGE,
        JSON
    }

    /** What the name says. */
    record Meaning(PatchTarget target, Type type) {}

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

    /**
     * Target and type by the name; text after a valid type is tolerated.
     *
     * @throws ManifestException if there is a {@code +} and no known type after it
     */
    Meaning meaning() {
        Matcher matcher = NAME.matcher(name);
        if (!matcher.matches()) {
            throw new IllegalStateException("not a patch: " + name);
        }
        if (matcher.group(2) != null && matcher.group(3) == null) {
            throw new ManifestException(
                    "patch file %s: the type after + has to be one of strategic, merge, json"
                            .formatted(name));
        }
        Type type = matcher.group(3) == null
                ? Type.STRATEGIC
                : Type.valueOf(matcher.group(3).toUpperCase(Locale.ROOT));
        return new Meaning(target(matcher.group(1)), type);
    }

    boolean isJson() {
        return name.endsWith(".json");
    }

    private static PatchTarget target(String fileName) {
        for (PatchTarget target : PatchTarget.values()) {
            if (target.fileName().equals(fileName)) {
                return target;
            }
        }
        throw new IllegalStateException("no target " + fileName);
    }
}
