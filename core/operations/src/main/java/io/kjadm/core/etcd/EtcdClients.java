package io.kjadm.core.etcd;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.PrivateKeyPem;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The one way to a client of etcd: finds the members, by this node's files or by their pods, and
 * what proves this node to them. That is its healthcheck certificate, or one made for the occasion
 * if that is lost or out of date and the CA's key is here.
 */
public final class EtcdClients {

    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final Duration VALIDITY = Duration.ofHours(1);
    private static final CertificateSpec CLIENT =
            CertificateSet.named(CertificateSet.ETCD_HEALTHCHECK_CLIENT);

    private final HostFiles files;
    private final KubeClients kube;
    private final EtcdConnector connector;
    private final Waiter observer;

    /**
     * @param files    with what this run has made; in a dry run too
     * @param observer waits for what can only be read, real even in a dry run
     */
    public EtcdClients(
            HostFiles files, KubeClients kube, EtcdConnector connector, Waiter observer) {
        this.files = files;
        this.kube = kube;
        this.connector = connector;
        this.observer = observer;
    }

    /**
     * Access to the members of other nodes, asked of the API server until at least one is known.
     *
     * @param node  the name of this one
     * @param paths of its admin.conf and its certificates for etcd
     * @param limit of the wait
     * @throws ClusterException if none is known in time, or the API server refuses
     * @throws HostException    if there is nothing to prove this node with
     */
    public EtcdAccess toOthers(String node, KubernetesPaths paths, Duration limit) {
        KubeApi api = kube.of(paths.adminConf());
        Await await = new Await(
                "etcd",
                "the etcd pods to be listed with their client URLs",
                limit,
                INTERVAL,
                "check that the pods with label component=etcd in kube-system carry annotation "
                        + EtcdPod.CLIENT_URLS_ANNOTATION);
        return to(
                observer.until(await, () -> pods(api, node)).orElseThrow(await::neededAnswer),
                paths.certificatesDir());
    }

    private static Attempt<List<URI>> pods(KubeApi api, String node) {
        try {
            List<URI> urls = EtcdPods.clientUrlsOfOthers(api, node);
            return urls.isEmpty()
                    ? Attempt.notYet("no etcd pod of another node has a client URL annotation")
                    : Attempt.done(urls);
        } catch (KubeApiException e) {
            if (!e.passing()) {
                throw new ClusterException(
                        "the etcd pods cannot be listed",
                        e.getMessage(),
                        e.kind() == KubeApiException.Kind.FORBIDDEN
                                ? KubeApiException.CHECK_RIGHTS
                                : "check the credentials in admin.conf",
                        e);
            }
            return Attempt.notYet(e.getMessage());
        }
    }

    /**
     * A client for what this node's files tell of and, if a kubeconfig is named, for what its API
     * server tells besides; that one need not answer.
     *
     * @throws HostException if there is nothing to prove this node with, or it cannot be used
     */
    public EtcdCluster connect(LocalEtcdState node, Optional<Path> kubeconfig, Reporter out) {
        return connect(access(node, kubeconfig, out));
    }

    /**
     * Access to what that client asks.
     *
     * @throws HostException if there is nothing to prove this node with
     */
    public EtcdAccess access(LocalEtcdState node, Optional<Path> kubeconfig, Reporter out) {
        Set<URI> endpoints = new LinkedHashSet<>(node.clientUrls());
        kubeconfig.ifPresent(path -> endpoints.addAll(podUrls(path, out)));
        return to(endpoints, node.certificatesDir());
    }

    /**
     * The client URLs of the etcd pods that the API server of a kubeconfig lists; none if it does
     * not respond.
     */
    public List<URI> podUrls(Path kubeconfig, Reporter out) {
        try {
            return EtcdPods.clientUrls(kube.of(kubeconfig));
        } catch (KubeApiException | KjadmException e) {
            out.detail("etcd: the etcd pods cannot be listed: " + e.getMessage());
            return List.of();
        }
    }

    /**
     * Gets ready to ask; sends nothing yet.
     *
     * @throws HostException if the certificates or the key cannot be used
     */
    public EtcdCluster connect(EtcdAccess access) {
        try {
            return connector.connect(access);
        } catch (EtcdCallException e) {
            throw new HostException(
                    "the credentials for etcd cannot be used",
                    e.getMessage(),
                    "check etcd/ca.crt and etcd/healthcheck-client.crt and .key in the certificates directory",
                    e);
        }
    }

    /**
     * Access to these client URLs; those without TLS need nothing.
     *
     * @throws HostException if there is nothing to prove this node with
     */
    public EtcdAccess to(Collection<URI> endpoints, Path certificatesDir) {
        List<URI> urls = List.copyOf(endpoints);
        if (urls.stream().allMatch(url -> "http".equalsIgnoreCase(url.getScheme()))) {
            return EtcdAccess.plain(urls);
        }
        EtcdCertificateFiles own = EtcdCertificateFiles.in(files, certificatesDir);
        Optional<String> caKey = files.read(own.ca().key());
        Optional<String> caPem = files.read(own.ca().certificate());
        return usable(own.client()) || caPem.isEmpty() || caKey.isEmpty()
                ? withOwn(urls, own)
                : withMade(urls, own, caPem.get(), caKey);
    }

    /** A key whose certificate is still to come is none: a renewal was interrupted. */
    private boolean usable(CertificatePair client) {
        try {
            Optional<String> key = files.read(client.key());
            return key.isPresent()
                    && files.read(client.certificate())
                            .map(CertificateInfo::parse)
                            .filter(info -> info.isValidAt(observer.now()))
                            .filter(info -> info.matchesKey(key.get()))
                            .isPresent();
        } catch (PkiException e) {
            return false;
        }
    }

    private EtcdAccess withOwn(List<URI> endpoints, EtcdCertificateFiles own) {
        Path key = own.client().key();
        try {
            return new EtcdAccess(
                    endpoints,
                    read(own.ca().certificate()),
                    read(own.client().certificate()),
                    PrivateKeyPem.toPkcs8(read(key)));
        } catch (PkiException e) {
            throw new HostException(
                    "the key %s cannot be used".formatted(key),
                    e.getMessage(),
                    "replace it and its certificate",
                    e);
        }
    }

    private EtcdAccess withMade(
            List<URI> endpoints, EtcdCertificateFiles own, String caPem, Optional<String> caKey) {
        try {
            CertificateAuthority ca = CertificateAuthority.load(caPem, caKey);
            IssuedCertificate client = ca.issue(
                    CLIENT.requestFor("", SubjectNames.none()),
                    // for minutes, in memory: made a hundred times as fast as one of RSA
                    KeyAlgorithm.ECDSA_P256,
                    Validity.startingAt(observer.now(), VALIDITY));
            return new EtcdAccess(
                    endpoints,
                    caPem,
                    client.certificatePem(),
                    PrivateKeyPem.toPkcs8(client.keyPem()));
        } catch (PkiException e) {
            throw new HostException(
                    "no client certificate for etcd can be made",
                    e.getMessage(),
                    "restore %s and its key".formatted(own.client().certificate()),
                    e);
        }
    }

    /** The clock that looks at etcd go by. */
    public Waiter observer() {
        return observer;
    }

    private String read(Path path) {
        return files.read(path)
                .orElseThrow(
                        () -> new HostException(
                                "the file %s is missing".formatted(path),
                                "etcd cannot be reached without it",
                                "restore it, or make it with 'kjadm init phase certs etcd-healthcheck-client'"));
    }
}
