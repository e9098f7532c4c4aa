package io.kjadm.e2e.claims;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.rbac.Role;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/**
 * {@code admin_test.go}, {@code bootstrap_signer.go}, {@code bootstrap_token_test.go} and
 * {@code nodes_test.go}.
 */
record AccessClaims(Objects objects) {
    private static final String ADMINS = "kubeadm:cluster-admins";
    private static final String REQUESTS = "system:certificates.k8s.io:certificatesigningrequests:";

    List<Claim> all() {
        return List.of(
                new Claim(
                        "admin kubeadm:cluster-admins CRB must exist and be binding the"
                                + " cluster-admin ClusterRole to the kubeadm:cluster-admins Group",
                        () -> objects.assertBound(ADMINS, "Group", ADMINS, "cluster-admin")),
                new Claim(
                        "bootstrap signer should be active",
                        () -> objects.get(
                                Role.class, Objects.SYSTEM, "system:controller:bootstrap-signer")),
                new Claim(
                        "bootstrap token should exist and be properly configured",
                        this::tokensMayAuthenticateAndSign),
                new Claim(
                        "bootstrap token should be allowed to post CSR for kubelet certificates"
                                + " on joining nodes",
                        () -> objects.assertBound(
                                "kubeadm:kubelet-bootstrap",
                                "Group",
                                Objects.BOOTSTRAPPERS,
                                "system:node-bootstrapper")),
                new Claim(
                        "bootstrap token should be allowed to auto approve CSR for kubelet"
                                + " certificates on joining nodes",
                        () -> objects.assertBound(
                                "kubeadm:node-autoapprove-bootstrap",
                                "Group",
                                Objects.BOOTSTRAPPERS,
                                REQUESTS + "nodeclient")),
                new Claim(
                        "nodes should be allowed to rotate CSR",
                        () -> objects.assertBound(
                                "kubeadm:node-autoapprove-certificate-rotation",
                                "Group",
                                Objects.NODES,
                                REQUESTS + "selfnodeclient")));
    }

    private void tokensMayAuthenticateAndSign() {
        var tokens =
                objects.client().secrets().inNamespace(Objects.SYSTEM).list().getItems().stream()
                        .filter(secret -> secret.getType().equals("bootstrap.kubernetes.io/token")
                                && text(secret, "auth-extra-groups").equals(Objects.BOOTSTRAPPERS))
                        .toList();
        assertFalse(tokens.isEmpty(), "bootstrap tokens");
        tokens.forEach(token -> {
            assertEquals("true", text(token, "usage-bootstrap-authentication"));
            assertEquals("true", text(token, "usage-bootstrap-signing"));
        });
    }

    private static String text(Secret secret, String key) {
        var value = secret.getData().getOrDefault(key, "");
        return new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8);
    }
}
