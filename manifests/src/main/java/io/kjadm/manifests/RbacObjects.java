package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.Subject;

import java.util.List;

/**
 * All roles and bindings a cluster is set up with, grouped by the phase that writes them and in the
 * order written. Names and rights are an agreement with kubeadm: a node that it joins relies on
 * every one of them.
 */
public final class RbacObjects {

    /** The group bootstrap tokens of nodes are in. */
    public static final String NODE_TOKEN_GROUP = "system:bootstrappers:kubeadm:default-node-token";
    /** The group of the holder of {@code admin.conf}. */
    public static final String CLUSTER_ADMINS_GROUP = "kubeadm:cluster-admins";

    private static final String RBAC = "rbac.authorization.k8s.io";
    private static final Subject NODE_TOKENS = group(NODE_TOKEN_GROUP);
    private static final Subject NODES = group("system:nodes");

    private RbacObjects() {}

    /** Gives {@code admin.conf} its rights. */
    public static ClusterRoleBinding clusterAdmins() {
        return clusterBinding(
                "kubeadm:cluster-admins", "cluster-admin", group(CLUSTER_ADMINS_GROUP));
    }

    /** Lets a joining node ask whether its name is taken. */
    public static List<HasMetadata> getNodes() {
        ClusterRole role = new ClusterRoleBuilder()
                .withNewMetadata()
                .withName("kubeadm:get-nodes")
                .endMetadata()
                .withRules(rule("", List.of("nodes"), List.of("get")))
                .build();
        return List.of(role, clusterBinding("kubeadm:get-nodes", "kubeadm:get-nodes", NODE_TOKENS));
    }

    /** Lets a kubelet with a token ask for its certificate. */
    public static ClusterRoleBinding kubeletBootstrap() {
        return clusterBinding("kubeadm:kubelet-bootstrap", "system:node-bootstrapper", NODE_TOKENS);
    }

    /** Has the first certificate of a node approved. */
    public static ClusterRoleBinding autoapproveBootstrap() {
        return clusterBinding(
                "kubeadm:node-autoapprove-bootstrap",
                "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
                NODE_TOKENS);
    }

    /** Has the later certificates of a node approved. */
    public static ClusterRoleBinding autoapproveRotation() {
        return clusterBinding(
                "kubeadm:node-autoapprove-certificate-rotation",
                "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
                NODES);
    }

    /** Lets the API server reach the kubelets; its certificate is in no group. */
    public static ClusterRoleBinding apiServerKubeletClient() {
        return clusterBinding(
                "kubeadm:apiserver-kubelet-client",
                "system:kubelet-api-admin",
                user("kube-apiserver-kubelet-client"));
    }

    /** The bindings of phase bootstrap-token that concern nodes, in order. */
    public static List<HasMetadata> bootstrapTokens() {
        List<HasMetadata> nodes = getNodes();
        return List.of(
                nodes.get(0),
                nodes.get(1),
                kubeletBootstrap(),
                autoapproveBootstrap(),
                autoapproveRotation(),
                apiServerKubeletClient());
    }

    /** Lets everybody read {@code cluster-info}: who joins has no credentials yet. */
    public static List<HasMetadata> clusterInfo() {
        return reading(
                "kube-public",
                "kubeadm:bootstrap-signer-clusterinfo",
                "configmaps",
                ConfigurationMaps.CLUSTER_INFO,
                user("system:anonymous"));
    }

    /** Lets joining nodes and nodes read {@code kubeadm-config}. */
    public static List<HasMetadata> kubeadmConfig() {
        return reading(
                KubeSystem.NAMESPACE,
                "kubeadm:nodes-kubeadm-config",
                "configmaps",
                ConfigurationMaps.KUBEADM_CONFIG,
                NODE_TOKENS,
                NODES);
    }

    /** Lets nodes and joining nodes read {@code kubelet-config}. */
    public static List<HasMetadata> kubeletConfig() {
        return reading(
                KubeSystem.NAMESPACE,
                "kubeadm:kubelet-config",
                "configmaps",
                ConfigurationMaps.KUBELET_CONFIG,
                NODES,
                NODE_TOKENS);
    }

    /** Lets joining nodes fetch the uploaded certificates. */
    public static List<HasMetadata> kubeadmCerts() {
        return reading(
                KubeSystem.NAMESPACE,
                "kubeadm:kubeadm-certs",
                "secrets",
                CertificatesSecret.NAME,
                NODE_TOKENS);
    }

    /** Lets kube-proxy do its work; and joining nodes read its configuration. */
    static List<HasMetadata> kubeProxy() {
        List<HasMetadata> reading = reading(
                KubeSystem.NAMESPACE,
                "kube-proxy",
                "configmaps",
                ConfigurationMaps.KUBE_PROXY,
                NODE_TOKENS);
        return List.of(
                clusterBinding(
                        "kubeadm:node-proxier",
                        "system:node-proxier",
                        serviceAccount("kube-proxy")),
                reading.get(0),
                reading.get(1));
    }

    /** Lets CoreDNS watch what it answers for. */
    static List<HasMetadata> coreDns() {
        List<String> watching = List.of("list", "watch");
        ClusterRole role = new ClusterRoleBuilder()
                .withNewMetadata()
                .withName("system:coredns")
                .endMetadata()
                .withRules(
                        rule("", List.of("endpoints", "services", "pods", "namespaces"), watching),
                        rule("discovery.k8s.io", List.of("endpointslices"), watching))
                .build();
        return List.of(
                role,
                clusterBinding("system:coredns", "system:coredns", serviceAccount("coredns")));
    }

    /** A role that may get one object, and its binding of the same name. */
    private static List<HasMetadata> reading(
            String namespace,
            String name,
            String resource,
            String objectName,
            Subject... subjects) {
        PolicyRule get = rule("", List.of(resource), List.of("get"))
                .edit()
                .withResourceNames(objectName)
                .build();
        Role role = new RoleBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withRules(get)
                .build();
        RoleBinding binding = new RoleBindingBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withNewRoleRef(RBAC, "Role", name)
                .withSubjects(subjects)
                .build();
        return List.of(role, binding);
    }

    private static ClusterRoleBinding clusterBinding(String name, String role, Subject subject) {
        return new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewRoleRef(RBAC, "ClusterRole", role)
                .withSubjects(subject)
                .build();
    }

    private static PolicyRule rule(String group, List<String> resources, List<String> verbs) {
        return new PolicyRuleBuilder()
                .withApiGroups(group)
                .withResources(resources)
                .withVerbs(verbs)
                .build();
    }

    private static Subject group(String name) {
        return new Subject(RBAC, "Group", name, null);
    }

    private static Subject user(String name) {
        return new Subject(RBAC, "User", name, null);
    }

    private static Subject serviceAccount(String name) {
        return new Subject(null, "ServiceAccount", name, KubeSystem.NAMESPACE);
    }
}
