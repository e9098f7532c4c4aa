package io.kjadm.core.certs;

import io.kjadm.core.etcd.ca.ServedCertificate;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.machine.HealthProbe;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.core.pki.PairFile;
import io.kjadm.core.staticpod.ComponentEndpoint;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.SchedulerPod;
import io.kjadm.pki.CertificateSet;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Where a component of this node serves, and with which certificate it should, as its manifest
 * says: patches may have moved both.
 */
record ServingPod(HostFiles files, CertsNode node, String component, StaticPodText pod) {

    /** What is not yet as it should be; empty if nothing. */
    Optional<String> fault(ComponentRestart.Probes probes) {
        return servers().stream()
                .flatMap(server -> server.difference(probes.certificates()).stream())
                .findFirst()
                .or(() -> health().map(probes.health()::ask).filter(fault -> !fault.isEmpty()));
    }

    /** What was seen when there was no fault. */
    String serves() {
        List<ServedCertificate> servers = servers();
        return servers.isEmpty()
                ? "%s runs with its new certificate and is healthy at %s"
                        .formatted(component, health().map(URI::toString).orElse("its port"))
                : servers.stream()
                        .map(server -> component + " " + server.serves())
                        .collect(Collectors.joining("; "));
    }

    private List<ServedCertificate> servers() {
        return switch (component) {
            case ApiServerPod.NAME ->
                List.of(served(
                        ComponentEndpoint.apiServer(pod, ""),
                        "tls-cert-file",
                        CertificateSet.API_SERVER));
            case EtcdPod.NAME -> {
                List<ServedCertificate> servers = new ArrayList<>();
                secured("listen-client-urls")
                        .ifPresent(url ->
                                servers.add(served(url, "cert-file", CertificateSet.ETCD_SERVER)));
                secured("listen-peer-urls")
                        .ifPresent(url -> servers.add(
                                served(url, "peer-cert-file", CertificateSet.ETCD_PEER)));
                yield servers;
            }
            default -> List.of();
        };
    }

    /** The health of etcd is asked of the member itself, which says whether it knows a leader. */
    private Optional<URI> health() {
        return switch (component) {
            case ApiServerPod.NAME ->
                // one that wants to know who asks tells us nothing; its certificate must do
                Optional.of(ComponentEndpoint.apiServer(pod, "/livez"))
                        .filter(url -> !pod.flag("anonymous-auth").equals(Optional.of("false")));
            case ControllerManagerPod.NAME, SchedulerPod.NAME ->
                Optional.of(ComponentEndpoint.health(component, Optional.of(pod)));
            default -> Optional.empty();
        };
    }

    /** The first URL with TLS of a flag that lists where etcd listens. */
    private Optional<URI> secured(String flag) {
        return pod.urls(flag).stream()
                .filter(url -> "https".equalsIgnoreCase(url.getScheme()))
                .findFirst()
                .map(url -> HealthProbe.url("https", EtcdUrls.host(url), url.getPort(), ""));
    }

    private ServedCertificate served(URI url, String flag, String usual) {
        Path file = pod.flag(flag).map(Path::of).orElseGet(() -> node.certificate(usual));
        return new ServedCertificate(url, new PairFile(files, new CertificatePair(file, file)));
    }
}
