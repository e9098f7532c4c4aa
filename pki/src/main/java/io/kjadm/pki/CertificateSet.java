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
            ca(
                    CA,
                    "ca",
                    "kubernetes",
                    "the self-signed Kubernetes CA to provision identities for other Kubernetes components"),
            server(
                    API_SERVER,
                    "apiserver",
                    CA,
                    Optional.of("kube-apiserver"),
                    List.of(SERVER_AUTH),
                    NameRule.APISERVER,
                    "the certificate for serving the Kubernetes API"),
            client(
                    API_SERVER_KUBELET_CLIENT,
                    CA,
                    "kube-apiserver-kubelet-client",
                    "the certificate for the API server to connect to kubelet"),
            ca(
                    FRONT_PROXY_CA,
                    "front-proxy-ca",
                    "front-proxy-ca",
                    "the self-signed CA to provision identities for front proxy"),
            client(
                    FRONT_PROXY_CLIENT,
                    FRONT_PROXY_CA,
                    "front-proxy-client",
                    "the certificate for the front proxy client"),
            ca(
                    ETCD_CA,
                    "etcd/ca",
                    "etcd-ca",
                    "the self-signed CA to provision identities for etcd"),
            server(
                    ETCD_SERVER,
                    "etcd/server",
                    ETCD_CA,
                    Optional.empty(),
                    List.of(SERVER_AUTH, CLIENT_AUTH),
                    NameRule.ETCD_SERVER,
                    "the certificate for serving etcd"),
            server(
                    ETCD_PEER,
                    "etcd/peer",
                    ETCD_CA,
                    Optional.empty(),
                    List.of(SERVER_AUTH, CLIENT_AUTH),
                    NameRule.ETCD_PEER,
                    "the certificate for etcd nodes to communicate with each other"),
            client(
                    ETCD_HEALTHCHECK_CLIENT,
                    "etcd/healthcheck-client",
                    ETCD_CA,
                    "kube-etcd-healthcheck-client",
                    "the certificate for liveness probes to healthcheck etcd"),
            client(
                    API_SERVER_ETCD_CLIENT,
                    ETCD_CA,
                    "kube-apiserver-etcd-client",
                    "the certificate the apiserver uses to access etcd"));

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
                name, fileBase, Optional.of(caName), commonName, usages, names, description);
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
                List.of(CLIENT_AUTH),
                NameRule.NONE,
                description);
    }
}
