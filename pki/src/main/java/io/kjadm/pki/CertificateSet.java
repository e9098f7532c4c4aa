package io.kjadm.pki;

import static io.kjadm.pki.ExtendedUsage.CLIENT_AUTH;
import static io.kjadm.pki.ExtendedUsage.SERVER_AUTH;

import java.util.List;
import java.util.Optional;

/**
 * The certificates of a control plane, in the order in which {@code init phase certs} makes them.
 */
public final class CertificateSet {

    public static final String CA = "ca";
    public static final String API_SERVER = "apiserver";
    public static final String API_SERVER_KUBELET_CLIENT = "apiserver-kubelet-client";
    public static final String FRONT_PROXY_CA = "front-proxy-ca";
    public static final String FRONT_PROXY_CLIENT = "front-proxy-client";
    public static final String ETCD_CA = "etcd-ca";
    public static final String ETCD_SERVER = "etcd-server";
    public static final String ETCD_PEER = "etcd-peer";
    public static final String ETCD_HEALTHCHECK_CLIENT = "etcd-healthcheck-client";
    public static final String API_SERVER_ETCD_CLIENT = "apiserver-etcd-client";

    private static final List<CertificateSpec> ALL = List.of(
            ca(CA, "ca", "kubernetes", "The CA that the components of Kubernetes trust"),
            server(
                    API_SERVER,
                    "apiserver",
                    CA,
                    Optional.of("kube-apiserver"),
                    List.of(SERVER_AUTH),
                    NameRule.APISERVER,
                    "The certificate that the API server serves with"),
            client(
                    API_SERVER_KUBELET_CLIENT,
                    CA,
                    "kube-apiserver-kubelet-client",
                    "The certificate that the API server shows to kubelets"),
            ca(
                    FRONT_PROXY_CA,
                    "front-proxy-ca",
                    "front-proxy-ca",
                    "The CA that vouches for the front proxy"),
            client(
                    FRONT_PROXY_CLIENT,
                    FRONT_PROXY_CA,
                    "front-proxy-client",
                    "The certificate that the front proxy shows to extension API servers"),
            ca(ETCD_CA, "etcd/ca", "etcd-ca", "The CA that etcd members and their clients trust"),
            server(
                    ETCD_SERVER,
                    "etcd/server",
                    ETCD_CA,
                    Optional.empty(),
                    List.of(SERVER_AUTH, CLIENT_AUTH),
                    NameRule.ETCD_SERVER,
                    "The certificate that etcd serves its clients with"),
            server(
                    ETCD_PEER,
                    "etcd/peer",
                    ETCD_CA,
                    Optional.empty(),
                    List.of(SERVER_AUTH, CLIENT_AUTH),
                    NameRule.ETCD_PEER,
                    "The certificate that etcd members show to each other"),
            client(
                    ETCD_HEALTHCHECK_CLIENT,
                    "etcd/healthcheck-client",
                    ETCD_CA,
                    "kube-etcd-healthcheck-client",
                    "The certificate for asking etcd for its health"),
            client(
                    API_SERVER_ETCD_CLIENT,
                    ETCD_CA,
                    "kube-apiserver-etcd-client",
                    "The certificate that the API server shows to etcd"));

    private CertificateSet() {}

    public static List<CertificateSpec> all() {
        return ALL;
    }

    public static List<CertificateSpec> cas() {
        return ALL.stream().filter(CertificateSpec::isCa).toList();
    }

    /** The certificates that this CA signs. */
    public static List<CertificateSpec> signedBy(String caName) {
        return ALL.stream()
                .filter(spec -> spec.caName().filter(caName::equals).isPresent())
                .toList();
    }

    /**
     * The certificate with this name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static CertificateSpec named(String name) {
        return ALL.stream()
                .filter(spec -> spec.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no certificate named " + name));
    }

    private static CertificateSpec ca(
            String name, String fileBase, String commonName, String description) {
        return new CertificateSpec(
                name,
                fileBase,
                Optional.empty(),
                Optional.of(commonName),
                List.of(),
                List.of(),
                NameRule.CA_NAME,
                description);
    }

    private static CertificateSpec server(
            String name,
            String fileBase,
            String caName,
            Optional<String> commonName,
            List<ExtendedUsage> usages,
            NameRule names,
            String description) {
        return new CertificateSpec(
                name,
                fileBase,
                Optional.of(caName),
                commonName,
                List.of(),
                usages,
                names,
                description);
    }

    /** A client whose files are called as itself. */
    private static CertificateSpec client(
            String name, String caName, String commonName, String description) {
        return client(name, name, caName, commonName, description);
    }

    private static CertificateSpec client(
            String name, String fileBase, String caName, String commonName, String description) {
        return new CertificateSpec(
                name,
                fileBase,
                Optional.of(caName),
                Optional.of(commonName),
                List.of(),
                List.of(CLIENT_AUTH),
                NameRule.NONE,
                description);
    }
}
