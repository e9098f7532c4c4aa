package io.kjadm.e2e.claims;

import io.fabric8.kubernetes.client.KubernetesClient;

import java.util.List;
import java.util.stream.Stream;

/**
 * The claims of {@code test/e2e_kubeadm} of Kubernetes 1.36, by the names that they have there. Its
 * {@code util.go} is {@link Objects}.
 */
public final class KubeadmClaims {
    private KubeadmClaims() {}

    /** All of them, about the cluster that {@code client} administers. */
    public static List<Claim> of(KubernetesClient client) {
        var objects = new Objects(client);
        return Stream.of(
                        new AccessClaims(objects).all(),
                        new ConfigurationClaims(objects).all(),
                        new AddonClaims(objects).all(),
                        new NodeClaims(objects).all())
                .flatMap(List::stream)
                .toList();
    }
}
