package io.kjadm.e2e.claims;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** {@code dns_addon_test.go} and {@code proxy_addon_test.go}. */
record AddonClaims(Objects objects) {
    private static final String DNS = "coredns";
    private static final String PROXY = "kube-proxy";

    List<Claim> all() {
        return Stream.concat(dns().stream(), proxy().stream()).toList();
    }

    private List<Claim> dns() {
        return List.of(
                new Claim(
                        "DNS addon CoreDNS CoreDNS ServiceAccount should exist",
                        () -> objects.get(ServiceAccount.class, Objects.SYSTEM, DNS)),
                new Claim(
                        "DNS addon CoreDNS CoreDNS ServiceAccount should have related ClusterRole"
                                + " and ClusterRoleBinding",
                        () -> objects.assertClusterRoleWithBinding("system:coredns")),
                new Claim(
                        "DNS addon CoreDNS CoreDNS ConfigMap should exist and be properly"
                                + " configured",
                        () -> assertHasKeys(DNS, "Corefile")),
                new Claim(
                        "DNS addon CoreDNS CoreDNS Deployment should exist and be properly"
                                + " configured",
                        () -> assertEquals(
                                DNS,
                                objects.get(Deployment.class, Objects.SYSTEM, DNS)
                                        .getSpec()
                                        .getTemplate()
                                        .getSpec()
                                        .getServiceAccountName())),
                new Claim(
                        "DNS addon DNS Service should exist",
                        () -> objects.get(Service.class, Objects.SYSTEM, "kube-dns")));
    }

    private List<Claim> proxy() {
        return List.of(
                new Claim(
                        "proxy addon kube-proxy ServiceAccount should exist",
                        () -> objects.get(ServiceAccount.class, Objects.SYSTEM, PROXY)),
                new Claim(
                        "proxy addon kube-proxy ServiceAccount should be bound to the"
                                + " system:node-proxier cluster role",
                        () -> objects.assertBound(
                                "kubeadm:node-proxier",
                                "ServiceAccount",
                                PROXY,
                                "system:node-proxier")),
                new Claim(
                        "proxy addon kube-proxy ConfigMap should exist and be properly configured",
                        () -> assertHasKeys(PROXY, "config.conf", "kubeconfig.conf")),
                new Claim(
                        "proxy addon kube-proxy ConfigMap should have related Role and RoleBinding",
                        () -> objects.assertRoleWithBinding(Objects.SYSTEM, PROXY)),
                new Claim(
                        "proxy addon kube-proxy ConfigMap should be accessible by bootstrap tokens",
                        () -> objects.assertGroupMay(
                                Objects.BOOTSTRAPPERS,
                                Objects.reading(Objects.SYSTEM, "configmaps", PROXY))),
                new Claim(
                        "proxy addon kube-proxy DaemonSet should exist and be properly configured",
                        () -> assertEquals(
                                PROXY,
                                objects.get(DaemonSet.class, Objects.SYSTEM, PROXY)
                                        .getSpec()
                                        .getTemplate()
                                        .getSpec()
                                        .getServiceAccountName())));
    }

    private void assertHasKeys(String map, String... keys) {
        var found = objects.get(ConfigMap.class, Objects.SYSTEM, map).getData();
        assertTrue(
                found.keySet().containsAll(Set.of(keys)), () -> found.keySet().toString());
    }
}
