package io.kjadm.e2e.claims;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * {@code cluster_info_test.go}, {@code kubeadm_certs_test.go}, {@code kubeadm_config_test.go} and
 * {@code kubelet_config_test.go}.
 */
record ConfigurationClaims(Objects objects) {
    static final String KUBEADM_CONFIG = "kubeadm-config";

    private static final String CLUSTER_INFO = "cluster-info";
    private static final String KUBELET_CONFIG = "kubelet-config";
    private static final String CERTS = "kubeadm-certs";
    private static final String TOKEN = "bootstrap.kubernetes.io/token";

    List<Claim> all() {
        return Stream.of(clusterInfo(), certs(), kubeadmConfig(), kubeletConfig())
                .flatMap(List::stream)
                .toList();
    }

    private List<Claim> clusterInfo() {
        var role = "kubeadm:bootstrap-signer-clusterinfo";
        return List.of(
                new Claim("cluster-info ConfigMap should exist and be properly configured", () -> {
                    var keys = keys(Objects.PUBLIC, CLUSTER_INFO);
                    assertTrue(
                            keys.stream().anyMatch(key -> key.startsWith("jws-kubeconfig-")),
                            keys::toString);
                    assertTrue(keys.contains("kubeconfig"), keys::toString);
                }),
                new Claim(
                        "cluster-info ConfigMap should have related Role and RoleBinding",
                        () -> objects.assertRoleWithBinding(Objects.PUBLIC, role)),
                new Claim(
                        "cluster-info ConfigMap should be accessible for anonymous",
                        () -> objects.assertUserMay(
                                "system:anonymous",
                                Objects.reading(Objects.PUBLIC, "configmaps", CLUSTER_INFO))));
    }

    private List<Claim> certs() {
        return List.of(
                new Claim(
                        "kubeadm-certs [copy-certs] should exist and be properly configured",
                        this::certsAreOwnedByATokenThatExpires),
                new Claim(
                        "kubeadm-certs [copy-certs] should have related Role and RoleBinding",
                        () -> objects.assertRoleWithBinding(Objects.SYSTEM, "kubeadm:" + CERTS)),
                new Claim(
                        "kubeadm-certs [copy-certs] should be accessible for bootstrap tokens",
                        () -> objects.assertGroupMay(
                                Objects.BOOTSTRAPPERS,
                                Objects.reading(Objects.SYSTEM, "secrets", CERTS))));
    }

    private void certsAreOwnedByATokenThatExpires() {
        var certs = objects.get(Secret.class, Objects.SYSTEM, CERTS);
        assertEquals(1, certs.getMetadata().getOwnerReferences().size());
        var owner = certs.getMetadata().getOwnerReferences().getFirst();
        assertEquals("Secret", owner.getKind());
        assertTrue(owner.getBlockOwnerDeletion());
        var token = objects.get(Secret.class, Objects.SYSTEM, owner.getName());
        assertEquals(TOKEN, token.getType());
        assertTrue(token.getData().containsKey("expiration"));
        var wanted = Stream.concat(
                        Stream.of(
                                "ca.crt",
                                "ca.key",
                                "front-proxy-ca.crt",
                                "front-proxy-ca.key",
                                "sa.pub",
                                "sa.key"),
                        objects.section("etcd").containsKey("external")
                                ? Stream.of(
                                        "external-etcd-ca.crt",
                                        "external-etcd.crt",
                                        "external-etcd.key")
                                : Stream.of("etcd-ca.crt", "etcd-ca.key"))
                .toList();
        assertTrue(
                certs.getData().keySet().containsAll(wanted),
                () -> certs.getData().keySet().toString());
    }

    private List<Claim> kubeadmConfig() {
        var subject = "kubeadm-config ConfigMap";
        return List.of(
                new Claim(
                        subject + " should exist and be properly configured",
                        () -> assertTrue(keys(Objects.SYSTEM, KUBEADM_CONFIG)
                                .contains("ClusterConfiguration"))),
                new Claim(
                        subject + " should have related Role and RoleBinding",
                        () -> objects.assertRoleWithBinding(
                                Objects.SYSTEM, "kubeadm:nodes-" + KUBEADM_CONFIG)),
                readable(subject, "bootstrap tokens", Objects.BOOTSTRAPPERS, KUBEADM_CONFIG),
                readable(subject, "nodes", Objects.NODES, KUBEADM_CONFIG));
    }

    /** kubeadm's test asks for access to kubeadm-config twice; here it is kubelet-config. */
    private List<Claim> kubeletConfig() {
        var subject = "kubelet-config ConfigMap";
        return List.of(
                new Claim(
                        subject + " should exist and be properly configured",
                        () -> assertTrue(keys(Objects.SYSTEM, KUBELET_CONFIG).contains("kubelet"))),
                new Claim(
                        subject + " should have related Role and RoleBinding",
                        () -> objects.assertRoleWithBinding(
                                Objects.SYSTEM, "kubeadm:" + KUBELET_CONFIG)),
                readable(subject, "bootstrap tokens", Objects.BOOTSTRAPPERS, KUBELET_CONFIG),
                readable(subject, "nodes", Objects.NODES, KUBELET_CONFIG));
    }

    private Claim readable(String subject, String readers, String group, String map) {
        return new Claim(
                "%s should be accessible for %s".formatted(subject, readers),
                () -> objects.assertGroupMay(
                        group, Objects.reading(Objects.SYSTEM, "configmaps", map)));
    }

    private Set<String> keys(String namespace, String map) {
        return objects.get(ConfigMap.class, namespace, map).getData().keySet();
    }
}
