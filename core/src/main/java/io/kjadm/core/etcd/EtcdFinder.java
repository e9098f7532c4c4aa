package io.kjadm.core.etcd;

import io.fabric8.kubernetes.api.model.Pod;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.KubeSystem;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.PrivateKeyPem;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Finds the members of a stacked etcd by their pods, and this node's credentials for them.
 */
public final class EtcdFinder {

    private static final Map<String, String> LABELS =
            Map.of("component", "etcd", "tier", "control-plane");
    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final HostFiles files;
    private final Waiter waiter;

    public EtcdFinder(HostFiles files, Waiter waiter) {
        this.files = files;
        this.waiter = waiter;
    }

    /**
     * Where the members of other nodes are, asked of the API server until at least one is known. A
     * pod that does not tell its URL is passed over: the member list of those that do has it too. A
     * pod of the node itself may be a former one's, which the API server has not forgotten yet.
     *
     * @param node the name of this node
     */
    public EtcdAccess find(KubeApi api, String node, KubernetesPaths paths, Duration limit) {
        Await await = new Await(
                "etcd",
                "the etcd pods to be listed with their client URLs",
                limit,
                INTERVAL,
                "check that the pods with label component=etcd in kube-system carry annotation "
                        + EtcdPod.CLIENT_URLS_ANNOTATION);
        List<URI> endpoints = waiter.until(await, () -> {
                    try {
                        List<URI> urls = listed(
                                api, pod -> !pod.getMetadata().getName().equals("etcd-" + node));
                        return urls.isEmpty()
                                ? Attempt.notYet(
                                        "no etcd pod of another node has a client URL annotation")
                                : Attempt.done(urls);
                    } catch (KubeApiException e) {
                        if (!e.passing()) {
                            throw new ClusterException(
                                    "the etcd pods cannot be listed",
                                    e.getMessage(),
                                    "check the credentials in admin.conf",
                                    e);
                        }
                        return Attempt.notYet(e.getMessage());
                    }
                })
                .orElseThrow(await::neededAnswer);
        return at(endpoints, paths);
    }

    /**
     * The client URLs that the etcd pods tell, asked once.
     *
     * @throws KubeApiException if the API server does not answer
     */
    public List<URI> listed(KubeApi api) {
        return listed(api, pod -> true);
    }

    private static List<URI> listed(KubeApi api, Predicate<Pod> which) {
        return api.list(Pod.class, KubeSystem.NAMESPACE, LABELS).stream()
                .filter(which)
                .flatMap(EtcdFinder::clientUrls)
                .distinct()
                .toList();
    }

    /** Access to given client URLs with this node's healthcheck certificate. */
    public EtcdAccess at(List<URI> endpoints, KubernetesPaths paths) {
        CertificateSpec client = CertificateSet.named(CertificateSet.ETCD_HEALTHCHECK_CLIENT);
        CertificateSpec ca = CertificateSet.named(CertificateSet.ETCD_CA);
        Path key = paths.certificate(client.keyFile());
        try {
            return new EtcdAccess(
                    endpoints,
                    read(paths.certificate(ca.certificateFile())),
                    read(paths.certificate(client.certificateFile())),
                    PrivateKeyPem.toPkcs8(read(key)));
        } catch (PkiException e) {
            throw new HostException(
                    "the key %s cannot be used".formatted(key),
                    e.getMessage(),
                    "replace it and its certificate",
                    e);
        }
    }

    private static Stream<URI> clientUrls(Pod pod) {
        return Optional.ofNullable(pod.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(EtcdPod.CLIENT_URLS_ANNOTATION))
                .stream()
                .flatMap(urls -> Arrays.stream(urls.split(",")))
                .filter(url -> !url.isBlank())
                .map(URI::create);
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
