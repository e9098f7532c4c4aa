package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;

import java.util.List;

/**
 * The user and groups of a static pod that does not run as root (gate {@code
 * RootlessControlPlane}). The supplemental groups let API server and controller manager share the
 * service-account key.
 */
public record RunAsIds(long user, long group, List<Long> supplementalGroups) {

    public RunAsIds {
        if (user <= 0 || group <= 0) {
            throw new IllegalArgumentException(
                    "ids of a rootless pod have to be positive: " + user + ":" + group);
        }
        supplementalGroups = List.copyOf(supplementalGroups);
    }

    void applyTo(PodSecurityContextBuilder context) {
        context.withRunAsUser(user).withRunAsGroup(group);
        if (!supplementalGroups.isEmpty()) {
            context.withSupplementalGroups(supplementalGroups);
        }
    }
}
