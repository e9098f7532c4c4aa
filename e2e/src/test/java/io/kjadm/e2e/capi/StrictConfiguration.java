package io.kjadm.e2e.capi;

import com.fasterxml.jackson.core.type.TypeReference;

import io.fabric8.kubernetes.client.utils.Serialization;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A ClusterConfiguration as the provider's types read and write it: a field that kubeadm's v1beta4
 * does not have, or one without a value, is an error; fields are written in the order of their names.
 */
final class StrictConfiguration {
    private static final Set<String> COMPONENT = Set.of("extraArgs", "extraVolumes", "extraEnvs");
    /** By the path of the section. */
    private static final Map<String, Set<String>> FIELDS = Map.of(
            "",
            Set.of(
                    "apiVersion",
                    "kind",
                    "etcd",
                    "networking",
                    "kubernetesVersion",
                    "controlPlaneEndpoint",
                    "apiServer",
                    "controllerManager",
                    "scheduler",
                    "dns",
                    "proxy",
                    "certificatesDir",
                    "imageRepository",
                    "featureGates",
                    "clusterName",
                    "encryptionAlgorithm",
                    "certificateValidityPeriod",
                    "caCertificateValidityPeriod"),
            "/apiServer",
            Set.of("certSANs", "extraArgs", "extraVolumes", "extraEnvs"),
            "/controllerManager",
            COMPONENT,
            "/scheduler",
            COMPONENT,
            "/dns",
            Set.of("disabled", "imageRepository", "imageTag"),
            "/proxy",
            Set.of("disabled"),
            "/networking",
            Set.of("serviceSubnet", "podSubnet", "dnsDomain"),
            "/etcd",
            Set.of("local", "external"),
            "/etcd/local",
            Set.of(
                    "imageRepository",
                    "imageTag",
                    "dataDir",
                    "extraArgs",
                    "extraEnvs",
                    "serverCertSANs",
                    "peerCertSANs"));

    private static final TypeReference<Map<String, Object>> TREE = new TypeReference<>() {};

    private StrictConfiguration() {}

    /** @throws AssertionError with the path of the field that the provider would not take */
    static Map<String, Object> decode(String text) {
        var tree = Serialization.unmarshal(text, TREE);
        check("", tree);
        if (!"kubeadm.k8s.io/v1beta4".equals(tree.get("apiVersion"))) {
            throw new AssertionError("apiVersion " + tree.get("apiVersion"));
        }
        return tree;
    }

    static String encode(Map<String, Object> tree) {
        return Serialization.asYaml(sorted(tree));
    }

    private static void check(String path, Map<?, ?> section) {
        section.forEach((key, value) -> {
            var field = path + "/" + key;
            if (value == null || FIELDS.containsKey(path) && !FIELDS.get(path).contains(key)) {
                throw new AssertionError("the provider does not decode " + field + ": " + value);
            }
            if (value instanceof Map<?, ?> inner) {
                check(field, inner);
            }
        });
    }

    private static Object sorted(Object value) {
        return switch (value) {
            case Map<?, ?> section -> {
                var fields = new TreeMap<String, Object>();
                section.forEach((key, inner) -> fields.put((String) key, sorted(inner)));
                yield fields;
            }
            case List<?> items ->
                items.stream().map(StrictConfiguration::sorted).toList();
            default -> value;
        };
    }
}
