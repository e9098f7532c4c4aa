package io.kjadm.core.node;

import io.kjadm.core.error.HostException;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.manifests.RbacObjects;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The administrator's client during init. The holder of {@code admin.conf} has no rights until a
 * binding gives them, which only {@code super-admin.conf} can create.
 */
public final class ClusterAdminClient {

    private static final Duration INTERVAL = Duration.ofMillis(100);

    private final KubeClients clients;
    private final Waiter waiter;
    private boolean bound;

    public ClusterAdminClient(KubeClients clients, Waiter waiter) {
        this.clients = clients;
        this.waiter = waiter;
    }

    /**
     * A client with administrator's rights. With the standard file it talks to this node's own API
     * server, and the first call makes the rights effective; any other file is used as it is.
     */
    public KubeApi connect(ControlPlaneNode node, Path kubeconfig, Reporter out) {
        Path standard = node.kubeconfig(KubeconfigSpec.ADMIN.fileName());
        if (!kubeconfig.equals(standard)) {
            return clients.of(kubeconfig);
        }
        KubeApi admin = clients.of(standard, node.localEndpoint());
        if (!bound) {
            bind(node, admin, out);
            bound = true;
        }
        return admin;
    }

    private void bind(ControlPlaneNode node, KubeApi admin, Reporter out) {
        Await await = new Await(
                "apiclient",
                "the API server to answer the administrator",
                node.timeouts().controlPlaneComponentHealthCheck(),
                INTERVAL,
                "see the log of the kube-apiserver container, then run the command again");
        // a dry run reports the wait and goes on as if the right were there
        boolean granted = waiter.until(await, () -> {
                    try {
                        admin.create(RbacObjects.clusterAdmins());
                        return Attempt.done(true);
                    } catch (KubeApiException e) {
                        return switch (e.kind()) {
                            case ALREADY_EXISTS -> Attempt.done(true);
                            case FORBIDDEN -> Attempt.done(false);
                            case NOT_FOUND,
                                    CONFLICT,
                                    INVALID,
                                    UNAVAILABLE,
                                    UNREACHABLE,
                                    UNTRUSTED,
                                    UNTIMELY,
                                    OTHER -> Attempt.notYet(e.getMessage());
                        };
                    }
                })
                .orElse(true);
        if (!granted) {
            bindAsSuperAdmin(node, out);
        }
    }

    private void bindAsSuperAdmin(ControlPlaneNode node, Reporter out) {
        Path file = node.kubeconfig(KubeconfigSpec.SUPER_ADMIN.fileName());
        KubeApi superAdmin;
        try {
            superAdmin = clients.of(file, node.localEndpoint());
        } catch (HostException e) {
            throw new HostException(
                    "the administrator has no rights in the cluster and cannot be given any",
                    "%s is needed for it: %s".formatted(file, e.what()),
                    "restore the file, or bind group %s to cluster-admin yourself"
                            .formatted(RbacObjects.CLUSTER_ADMINS_GROUP),
                    e);
        }
        // the API server's own roles may not be set up in its first moments
        new KubeCalls(waiter, node.timeouts().kubernetesApiCall())
                .repeatWhileStarting("apiclient", "grant the administrator rights", () -> {
                    try {
                        return superAdmin.create(RbacObjects.clusterAdmins());
                    } catch (KubeApiException e) {
                        if (e.kind() == Kind.ALREADY_EXISTS) {
                            return RbacObjects.clusterAdmins();
                        }
                        throw e;
                    }
                });
        out.detail("created the ClusterRoleBinding of group " + RbacObjects.CLUSTER_ADMINS_GROUP);
    }
}
