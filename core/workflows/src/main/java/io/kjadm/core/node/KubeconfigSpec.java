package io.kjadm.core.node;

import java.util.List;

/**
 * One of the kubeconfigs of a control-plane node.
 *
 * @param phase         name of the init phase that makes it
 * @param fileName      below {@code /etc/kubernetes}
 * @param organizations the groups its user is in
 * @param local         whether it points at this node's API server rather than the control-plane
 *         endpoint
 * @param whose         completes "kubeconfig file for …"
 */
public record KubeconfigSpec(
        String phase,
        String fileName,
        String user,
        List<String> organizations,
        boolean local,
        String whose) {

    /** For administrators. */
    public static final KubeconfigSpec ADMIN = new KubeconfigSpec(
            "admin",
            "admin.conf",
            "kubernetes-admin",
            List.of("kubeadm:cluster-admins"),
            false,
            "the admin to use");
    /** For the one who must act when authorization is broken; on the first node only. */
    public static final KubeconfigSpec SUPER_ADMIN = new KubeconfigSpec(
            "super-admin",
            "super-admin.conf",
            "kubernetes-super-admin",
            List.of("system:masters"),
            false,
            "the super-admin");
    /** For the kubelet of the first node; the others get theirs from the cluster. */
    public static final KubeconfigSpec KUBELET = new KubeconfigSpec(
            "kubelet",
            "kubelet.conf",
            "system:node:",
            List.of("system:nodes"),
            true,
            "the kubelet to use *only* for cluster bootstrapping purposes");
    /** For the controller manager. */
    public static final KubeconfigSpec CONTROLLER_MANAGER = new KubeconfigSpec(
            "controller-manager",
            "controller-manager.conf",
            "system:kube-controller-manager",
            List.of(),
            true,
            "the controller manager to use");
    /** For the scheduler. */
    public static final KubeconfigSpec SCHEDULER = new KubeconfigSpec(
            "scheduler",
            "scheduler.conf",
            "system:kube-scheduler",
            List.of(),
            true,
            "the scheduler to use");

    /** All of the first node, in the order of init. */
    public static final List<KubeconfigSpec> FIRST_NODE =
            List.of(ADMIN, SUPER_ADMIN, KUBELET, CONTROLLER_MANAGER, SCHEDULER);
    /** Those of a joining control-plane node. */
    public static final List<KubeconfigSpec> JOINING_NODE =
            List.of(ADMIN, CONTROLLER_MANAGER, SCHEDULER);

    public KubeconfigSpec {
        organizations = List.copyOf(organizations);
    }

    /** The user on that node, which is also the certificate's common name. */
    public String userOn(String nodeName) {
        return user.endsWith(":") ? user + nodeName : user;
    }
}
