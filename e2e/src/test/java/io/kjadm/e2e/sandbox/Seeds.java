package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What a fresh API server holds before anybody wrote to it. */
final class Seeds {
    /** The node's, or that of the image that this program was started from. */
    static final String VERSION = System.getenv().getOrDefault("KUBE_VERSION", "v1.36.2");

    private Seeds() {}

    /** @param services the ranges of the services' addresses, separated by commas */
    static List<ObjectNode> objects(Optional<String> services) {
        return Stream.concat(
                        fixed(),
                        services
                                .map(ranges -> AddressRange.parse(ranges.split(",")[0]))
                                .map(range -> """
                                        apiVersion: v1
                                        kind: Service
                                        metadata: {name: kubernetes, namespace: default}
                                        spec: {type: ClusterIP, clusterIP: "%s"}
                                        """.formatted(range.address(1)))
                                .stream())
                .map(Json::parseYaml)
                .toList();
    }

    private static Stream<String> fixed() {
        return Stream.of("""
                apiVersion: v1
                kind: Namespace
                metadata: {name: default}
                """, """
                apiVersion: v1
                kind: Namespace
                metadata: {name: kube-system}
                """, """
                apiVersion: v1
                kind: Namespace
                metadata: {name: kube-public}
                """, """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRole
                metadata: {name: cluster-admin}
                rules:
                - {apiGroups: ["*"], resources: ["*"], verbs: ["*"]}
                """, """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRole
                metadata: {name: "system:node-bootstrapper"}
                rules:
                - {apiGroups: [certificates.k8s.io], resources: [certificatesigningrequests], verbs: [create, get, list]}
                """, """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRole
                metadata: {name: "system:certificates.k8s.io:certificatesigningrequests:nodeclient"}
                rules:
                - {apiGroups: [certificates.k8s.io], resources: [certificatesigningrequests/nodeclient], verbs: [create]}
                """, """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: Role
                metadata: {name: "system:controller:bootstrap-signer", namespace: kube-system}
                rules:
                - {apiGroups: [""], resources: [secrets], verbs: [get, list, watch]}
                """);
    }

    /** The plural under which an object of this kind is addressed. */
    static String resource(ObjectNode object) {
        return object.path("kind").asText().toLowerCase(Locale.ROOT) + "s";
    }
}
