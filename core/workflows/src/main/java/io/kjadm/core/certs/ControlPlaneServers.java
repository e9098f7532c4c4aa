package io.kjadm.core.certs;

import io.fabric8.kubernetes.api.model.Pod;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.EtcdPods;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.ca.CertificateProbe;
import io.kjadm.core.etcd.ca.Expirations.Served;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.KubeSystem;

import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * The certificates that API servers and etcd members show, on every control-plane node that is
 * known: by the cluster's pods, and by this node's etcd manifest where no API server answers.
 */
public final class ControlPlaneServers {

    private static final int API_SERVER_PORT = 6443;

    private final CertificateProbe probe;
    private final Reporter out;

    public ControlPlaneServers(CertificateProbe probe, Reporter out) {
        this.probe = probe;
        this.out = out;
    }

    /**
     * Asks all of them at once; one that does not answer costs some seconds.
     *
     * @param api a client of the cluster; a {@link KjadmException} if there can be none
     */
    public List<Served> look(Supplier<KubeApi> api, LocalEtcdState local) {
        Map<URI, String> servers = new LinkedHashMap<>();
        Collection<URI> members = members(api, local);
        apiServers(api, members).forEach(url -> servers.put(url, ApiServerPod.NAME));
        members.forEach(url -> servers.put(url, EtcdPod.NAME));
        return ask(servers);
    }

    private List<Served> ask(Map<URI, String> servers) {
        List<Future<Served>> calls = new ArrayList<>();
        // closing waits for all of them
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            servers.forEach((url, component) -> calls.add(callers.submit(
                    () -> new Served(component, url.getAuthority(), probe.look(url)))));
        }
        return calls.stream().map(Future::resultNow).toList();
    }

    private Collection<URI> members(Supplier<KubeApi> api, LocalEtcdState local) {
        TreeSet<URI> peers = new TreeSet<>(local.peerUrls());
        List<URI> clients = new ArrayList<>(local.urls().otherClient());
        clients.addAll(asked("the etcd pods", () -> EtcdPods.clientUrls(api.get())));
        clients.stream()
                .map(url -> EtcdUrls.of("https", EtcdUrls.host(url), EtcdPorts.PEER))
                .forEach(peers::add);
        return local.external() ? List.of() : peers;
    }

    private Collection<URI> apiServers(Supplier<KubeApi> api, Collection<URI> members) {
        List<URI> told = asked(
                "the API server pods",
                () -> api
                        .get()
                        .list(
                                Pod.class,
                                KubeSystem.NAMESPACE,
                                Map.of("component", ApiServerPod.NAME))
                        .stream()
                        .flatMap(pod -> Optional.ofNullable(pod.getMetadata().getAnnotations())
                                .map(notes -> notes.get(ApiServerPod.ENDPOINT_ANNOTATION))
                                .map(endpoint -> URI.create("https://" + endpoint))
                                .stream())
                        .toList());
        TreeSet<URI> servers = new TreeSet<>(told);
        if (told.isEmpty()) {
            // each stacked member has an API server beside it, on the port that most have
            members.forEach(
                    url -> servers.add(EtcdUrls.of("https", EtcdUrls.host(url), API_SERVER_PORT)));
        }
        return servers;
    }

    private List<URI> asked(String what, Supplier<List<URI>> question) {
        try {
            return question.get();
        } catch (KubeApiException | KjadmException | IllegalArgumentException e) {
            out.detail("check-expiration: %s cannot be listed: %s".formatted(what, e.getMessage()));
            return List.of();
        }
    }
}
