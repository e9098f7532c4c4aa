package io.kjadm.e2e.claims;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributes;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributesBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewSpec;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewSpecBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;

import java.util.Map;

/** The objects of a cluster, each of which has to be there when it is asked for. */
record Objects(KubernetesClient client) {
    static final String SYSTEM = "kube-system";
    static final String PUBLIC = "kube-public";
    static final String BOOTSTRAPPERS = "system:bootstrappers:kubeadm:default-node-token";
    static final String NODES = "system:nodes";

    <T extends HasMetadata> T get(Class<T> kind, String namespace, String name) {
        var found = client.resources(kind).inNamespace(namespace).withName(name).get();
        assertNotNull(found, "%s %s in %s".formatted(kind.getSimpleName(), name, namespace));
        return found;
    }

    /** One that belongs to no namespace. */
    <T extends HasMetadata> T get(Class<T> kind, String name) {
        var found = client.resources(kind).withName(name).get();
        assertNotNull(found, "%s %s".formatted(kind.getSimpleName(), name));
        return found;
    }

    /** A Role and a RoleBinding of one name. */
    void assertRoleWithBinding(String namespace, String name) {
        get(Role.class, namespace, name);
        get(RoleBinding.class, namespace, name);
    }

    /** A ClusterRole and a ClusterRoleBinding of one name. */
    void assertClusterRoleWithBinding(String name) {
        get(ClusterRole.class, name);
        get(ClusterRoleBinding.class, name);
    }

    /** A ClusterRoleBinding that gives a subject a role. */
    void assertBound(String binding, String subjectKind, String subject, String role) {
        var found = get(ClusterRoleBinding.class, binding);
        assertTrue(
                found.getSubjects().stream()
                        .anyMatch(one -> one.getKind().equals(subjectKind)
                                && one.getName().equals(subject)),
                found::toString);
        assertEquals(role, found.getRoleRef().getName());
    }

    void assertGroupMay(String group, ResourceAttributes resource) {
        assertAllowed(new SubjectAccessReviewSpecBuilder()
                .withGroups(group)
                .withResourceAttributes(resource)
                .build());
    }

    void assertUserMay(String user, ResourceAttributes resource) {
        assertAllowed(new SubjectAccessReviewSpecBuilder()
                .withUser(user)
                .withResourceAttributes(resource)
                .build());
    }

    private void assertAllowed(SubjectAccessReviewSpec spec) {
        var answer = client.authorization()
                .v1()
                .subjectAccessReview()
                .create(new SubjectAccessReviewBuilder().withSpec(spec).build());
        assertTrue(answer.getStatus().getAllowed(), answer::toString);
    }

    /** To read one object. */
    static ResourceAttributes reading(String namespace, String resource, String name) {
        return new ResourceAttributesBuilder()
                .withNamespace(namespace)
                .withResource(resource)
                .withName(name)
                .withVerb("get")
                .build();
    }

    /** The stored ClusterConfiguration as a tree. */
    Map<?, ?> clusterConfiguration() {
        var map = get(
                io.fabric8.kubernetes.api.model.ConfigMap.class,
                SYSTEM,
                ConfigurationClaims.KUBEADM_CONFIG);
        return Serialization.unmarshal(map.getData().get("ClusterConfiguration"), Map.class);
    }

    /** A section of it, empty if it has none. */
    Map<?, ?> section(String name) {
        return clusterConfiguration().get(name) instanceof Map<?, ?> section ? section : Map.of();
    }
}
