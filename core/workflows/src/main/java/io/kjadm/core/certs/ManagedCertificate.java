package io.kjadm.core.certs;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.node.KubeconfigSpec;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.SchedulerPod;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A certificate that can be renewed, under kubeadm's name for it
 * ({@code cmd/kubeadm/app/phases/certs/renewal/manager.go}): a pair of files in the certificates
 * directory, or the client certificate in a kubeconfig.
 *
 * @param name        such as {@code etcd-server} or {@code admin.conf}
 * @param caName      of the CA that signs it
 * @param pair        its files; empty for a kubeconfig, whose file has the name
 * @param component   the static pod that has to start again to use it; empty if none reads it
 * @param description completes "… renewed"
 */
public record ManagedCertificate(
        String name,
        String caName,
        Optional<CertificateSpec> pair,
        Optional<String> component,
        String description) {

    private static final List<ManagedCertificate> ALL = Stream.of(
                    pair(
                            CertificateSet.API_SERVER,
                            ApiServerPod.NAME,
                            "certificate for serving the Kubernetes API"),
                    pair(
                            CertificateSet.API_SERVER_KUBELET_CLIENT,
                            ApiServerPod.NAME,
                            "certificate for the API server to connect to kubelet"),
                    pair(
                            CertificateSet.FRONT_PROXY_CLIENT,
                            ApiServerPod.NAME,
                            "certificate for the front proxy client"),
                    pair(
                            CertificateSet.API_SERVER_ETCD_CLIENT,
                            ApiServerPod.NAME,
                            "certificate the apiserver uses to access etcd"),
                    pair(CertificateSet.ETCD_SERVER, EtcdPod.NAME, "certificate for serving etcd"),
                    pair(
                            CertificateSet.ETCD_PEER,
                            EtcdPod.NAME,
                            "certificate for etcd nodes to communicate with each other"),
                    pair(
                            CertificateSet.ETCD_HEALTHCHECK_CLIENT,
                            "",
                            "certificate for liveness probes to healthcheck etcd"),
                    kubeconfig(KubeconfigSpec.ADMIN, "", "the admin to use and for kubeadm itself"),
                    kubeconfig(KubeconfigSpec.SUPER_ADMIN, "", "the super-admin"),
                    kubeconfig(
                            KubeconfigSpec.CONTROLLER_MANAGER,
                            ControllerManagerPod.NAME,
                            "the controller manager to use"),
                    kubeconfig(
                            KubeconfigSpec.SCHEDULER,
                            SchedulerPod.NAME,
                            "the scheduler manager to use"))
            .sorted(Comparator.comparing(ManagedCertificate::name))
            .toList();

    /** All of them, in the order in which they are renewed and shown. */
    public static List<ManagedCertificate> all() {
        return ALL;
    }

    /** Those of a node whose etcd is a static pod of its own, or somebody else's. */
    public static List<ManagedCertificate> of(boolean stackedEtcd) {
        return ALL.stream()
                .filter(certificate -> stackedEtcd || !certificate.needsStackedEtcd())
                .toList();
    }

    /** Those that etcd's CA signs, for etcd and for who asks it. */
    public static List<ManagedCertificate> ofEtcd() {
        return ALL.stream().filter(ManagedCertificate::needsStackedEtcd).toList();
    }

    /**
     * The one of that name.
     *
     * @throws UsageException if this node's cluster has none of that name
     */
    public static ManagedCertificate named(String name, boolean stackedEtcd) {
        List<ManagedCertificate> known = of(stackedEtcd);
        return known.stream()
                .filter(certificate -> certificate.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new UsageException(
                        "\"%s\" is not a certificate that can be renewed".formatted(name),
                        ALL.stream().anyMatch(certificate -> certificate.name.equals(name))
                                ? "this cluster uses an external etcd"
                                : "",
                        "use one of all, "
                                + known.stream()
                                        .map(ManagedCertificate::name)
                                        .collect(Collectors.joining(", "))));
    }

    private boolean needsStackedEtcd() {
        return caName.equals(CertificateSet.ETCD_CA);
    }

    private static ManagedCertificate pair(String name, String component, String description) {
        CertificateSpec spec = CertificateSet.named(name);
        return new ManagedCertificate(
                name,
                spec.caName().orElseThrow(),
                Optional.of(spec),
                Optional.of(component).filter(pod -> !pod.isEmpty()),
                description);
    }

    private static ManagedCertificate kubeconfig(
            KubeconfigSpec spec, String component, String whose) {
        return new ManagedCertificate(
                spec.fileName(),
                CertificateSet.CA,
                Optional.empty(),
                Optional.of(component).filter(pod -> !pod.isEmpty()),
                "certificate embedded in the kubeconfig file for " + whose);
    }
}
