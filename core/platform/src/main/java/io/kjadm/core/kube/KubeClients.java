package io.kjadm.core.kube;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.ManifestException;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The API clients of one run: each is made when first needed, once, and closed at the end. */
public final class KubeClients implements AutoCloseable {

    private final HostFiles files;
    private final KubeConnector connector;
    private final Map<KubeAccess, KubeApi> made = new HashMap<>();

    public KubeClients(HostFiles files, KubeConnector connector) {
        this.files = files;
        this.connector = connector;
    }

    /** A client with the identity and the server of a kubeconfig. */
    public KubeApi of(Path kubeconfig) {
        return as(access(kubeconfig));
    }

    /** A client with the identity of a kubeconfig at another server. */
    public KubeApi of(Path kubeconfig, URI server) {
        return as(access(kubeconfig).at(server));
    }

    /** A client with the given identity. */
    public KubeApi as(KubeAccess access) {
        return made.computeIfAbsent(access, connector::connect);
    }

    /**
     * Server and identity that a kubeconfig's current context names.
     *
     * @throws HostException if the file is missing or unusable
     */
    public KubeAccess access(Path kubeconfig) {
        String text = files.read(kubeconfig)
                .orElseThrow(
                        () -> new HostException(
                                "there is no kubeconfig " + kubeconfig,
                                "it is needed to talk to the API server",
                                "run this on a control-plane node, or name another file with --kubeconfig"));
        try {
            return KubeAccesses.of(Kubeconfig.parse(text), kubeconfig, files);
        } catch (ManifestException e) {
            throw new HostException(
                    "kubeconfig %s cannot be used".formatted(kubeconfig),
                    e.getMessage(),
                    "correct or replace the file",
                    e);
        }
    }

    @Override
    public void close() {
        List<KubeApi> open = new ArrayList<>(made.values());
        made.clear();
        open.forEach(KubeApi::close);
    }
}
