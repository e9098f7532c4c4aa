package io.kjadm.core.certs;

import io.kjadm.core.etcd.ca.CertificateProbe;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.machine.HealthProbe;
import io.kjadm.core.staticpod.ComponentEndpoint;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.SchedulerPod;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.PkiException;

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

    /** A server that must show the certificate in a file. */
    private record Server(URI url, Path certificate) {}

    /** What is not yet as it should be; empty if nothing. */
    Optional<String> fault(ComponentRestart.Probes probes) {
        return servers().stream()
                .flatMap(server -> difference(server, probes.certificates()).stream())
                .findFirst()
                .or(() -> health().map(probes.health()::ask).filter(fault -> !fault.isEmpty()));
    }

    /** What was seen when there was no fault. */
    String serves() {
        List<Server> servers = servers();
        return servers.isEmpty()
                ? "%s runs with its new certificate and is healthy at %s"
                        .formatted(component, health().map(URI::toString).orElse("its port"))
                : servers.stream()
                        .map(server -> "%s serves the certificate with serial number %s at %s"
                                .formatted(
                                        component,
                                        expected(server).map(ServingPod::serial).orElse("?"),
                                        server.url().getAuthority()))
                        .collect(Collectors.joining("; "));
    }

    private Optional<String> difference(Server server, CertificateProbe probe) {
        return switch (probe.look(server.url())) {
            case CertificateProbe.Answer.Unseen(String why) ->
                Optional.of("%s: %s".formatted(server.url().getAuthority(), why));
            case CertificateProbe.Answer.Shown(CertificateInfo shown) ->
                expected(server)
                        .filter(wanted -> !wanted.serialNumber().equals(shown.serialNumber()))
                        .map(wanted -> "%s shows serial number %s, not %s"
                                .formatted(
                                        server.url().getAuthority(),
                                        serial(shown),
                                        serial(wanted)));
        };
    }

    private Optional<CertificateInfo> expected(Server server) {
        try {
            return files.read(server.certificate()).map(CertificateInfo::parse);
        } catch (PkiException e) {
            return Optional.empty();
        }
    }

    private static String serial(CertificateInfo certificate) {
        return certificate.serialNumber().toString(16);
    }

    private List<Server> servers() {
        return switch (component) {
            case ApiServerPod.NAME ->
                List.of(new Server(
                        ComponentEndpoint.apiServer(pod, ""),
                        file("tls-cert-file", CertificateSet.API_SERVER)));
            case EtcdPod.NAME -> {
                List<Server> servers = new ArrayList<>();
                secured("listen-client-urls")
                        .ifPresent(url -> servers.add(
                                new Server(url, file("cert-file", CertificateSet.ETCD_SERVER))));
                secured("listen-peer-urls")
                        .ifPresent(url -> servers.add(
                                new Server(url, file("peer-cert-file", CertificateSet.ETCD_PEER))));
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

    private Path file(String flag, String usual) {
        return pod.flag(flag).map(Path::of).orElseGet(() -> node.certificate(usual));
    }
}
