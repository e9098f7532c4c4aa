package io.kjadm.core.join;

import io.kjadm.core.config.BootstrapToken;
import io.kjadm.core.config.TokenDiscovery;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.kube.KubeAccess;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.net.ServerTrust;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.manifests.DetachedJws;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;
import io.kjadm.manifests.ManifestException;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.PublicKeyPin;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Finds the cluster and the CA to trust by a bootstrap token. The
 * first read cannot verify the server, so what it brings is believed only after its signature with
 * the token was checked, the CA against the pins, and the same text came again from a server that
 * this CA vouches for.
 */
record TokenDiscoverer(KubeClients clients, Waiter waiter, Duration limit, Reporter out) {

    private static final Duration INTERVAL = Duration.ofMillis(250);

    /**
     * The cluster by its server and its CA, which is always there; whatever else cluster-info says
     * does not count.
     */
    KubeconfigCluster discover(TokenDiscovery way) {
        List<PublicKeyPin> pins = pins(way);
        if (!BootstrapToken.isToken(way.token())) {
            throw new UsageException(
                    "the discovery token is not a bootstrap token",
                    "it has the form [a-z0-9]{6}.[a-z0-9]{16}",
                    "copy the whole token, or make one with 'kjadm token create'");
        }
        URI server = way.apiServerEndpoint().httpsUri();
        out.detail("discovery: asking %s for cluster-info".formatted(server));
        ClusterInfo unverified = await(
                way,
                clients.as(access(server, new ServerTrust.FirstLook())),
                "cluster-info from " + server);
        verifySignature(way, unverified);
        KubeconfigCluster cluster = cluster(unverified);
        String ca = cluster.caPem()
                .orElseThrow(
                        () -> refused("it names no CA", "set up the cluster-info ConfigMap again"));
        if (way.unsafeSkipCaVerification() && pins.isEmpty()) {
            out.detail("discovery: trusting the CA through the token alone");
            return new KubeconfigCluster(cluster.server(), ca);
        }
        verifyPins(pins, ca);
        ClusterInfo verified = await(
                way,
                clients.as(access(server, new ServerTrust.Pinned(ca))),
                "cluster-info over verified TLS from " + server);
        if (!verified.kubeconfig().equals(unverified.kubeconfig())) {
            throw refused(
                    "the answer over verified TLS is a different one",
                    "the connection may be intercepted: check the endpoint before you try again");
        }
        return new KubeconfigCluster(cluster.server(), ca);
    }

    private static KubeAccess access(URI server, ServerTrust trust) {
        return new KubeAccess(server, trust, new KubeAccess.Credential.Anonymous());
    }

    private ClusterInfo await(TokenDiscovery way, KubeApi api, String what) {
        Await await = new Await(
                "discovery",
                what,
                limit,
                INTERVAL,
                "check the endpoint, and with 'kjadm token list' on a control-plane node that the token has not expired");
        Instant began = waiter.now();
        return waiter.until(await, () -> {
                    try {
                        Optional<ClusterInfo> info = ClusterInfo.read(api);
                        if (info.isEmpty()) {
                            return Attempt.notYet("there is no cluster-info yet");
                        }
                        return info.get()
                                        .signature(DetachedJws.dataKey(way.tokenId()))
                                        .isPresent()
                                ? Attempt.done(info.get())
                                : Attempt.notYet(
                                        "cluster-info is not signed with token \"%s\" (yet): it may have expired"
                                                .formatted(way.tokenId()));
                    } catch (KubeApiException e) {
                        if (e.passing(Duration.between(began, waiter.now()))) {
                            return Attempt.notYet(e.getMessage());
                        }
                        return switch (e.kind()) {
                            case UNTRUSTED ->
                                throw refused(
                                        e.getMessage(),
                                        "check the endpoint: its certificate is not of this cluster's CA");
                            case UNTIMELY ->
                                throw refused(e.getMessage(), KubeApiException.COMPARE_CLOCKS);
                            case NOT_FOUND,
                                    ALREADY_EXISTS,
                                    CONFLICT,
                                    FORBIDDEN,
                                    INVALID,
                                    UNAVAILABLE,
                                    UNREACHABLE,
                                    OTHER -> Attempt.notYet(e.getMessage());
                        };
                    }
                })
                .orElseThrow(await::neededAnswer);
    }

    private static void verifySignature(TokenDiscovery way, ClusterInfo info) {
        String id = way.tokenId();
        String signature = info.signature(DetachedJws.dataKey(id)).orElseThrow();
        if (!DetachedJws.verify(signature, id, way.tokenSecret(), info.kubeconfig())) {
            throw refused(
                    "its signature does not match the token",
                    "check that the token was copied completely");
        }
    }

    private static KubeconfigCluster cluster(ClusterInfo info) {
        try {
            return Kubeconfig.parse(info.kubeconfig()).discoveryCluster();
        } catch (ManifestException e) {
            throw refused(e.getMessage(), "set up the cluster-info ConfigMap again");
        }
    }

    private static List<PublicKeyPin> pins(TokenDiscovery way) {
        try {
            return way.caCertHashes().stream().map(PublicKeyPin::parse).toList();
        } catch (PkiException e) {
            throw new UsageException(
                    "a CA certificate hash cannot be used",
                    e.getMessage(),
                    "give it as sha256:<64 hexadecimal digits>",
                    e);
        }
    }

    private static void verifyPins(List<PublicKeyPin> pins, String caPem) {
        try {
            if (!PublicKeyPin.anyMatches(pins, CertificateInfo.parseAll(caPem))) {
                throw refused(
                        "no certificate of its CA has a public key that was pinned",
                        "check --discovery-token-ca-cert-hash, and that the endpoint is the cluster you mean");
            }
        } catch (PkiException e) {
            throw refused(
                    "its CA cannot be read: " + e.getMessage(),
                    "set up the cluster-info ConfigMap again");
        }
    }

    private static ClusterException refused(String why, String next) {
        return new ClusterException("the cluster-info of this endpoint is not trusted", why, next);
    }
}
