package io.kjadm.core.etcd.commands;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdCredentials;
import io.kjadm.core.etcd.EtcdFinder;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.manifests.EtcdPod;

import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds etcd from a control-plane node by that node's files, as reset does: the manifest tells
 * where it and the members it was started with serve, the certificates directory has the
 * credentials. The API server need not run.
 */
public final class EtcdReach {

    private final HostFiles files;
    private final KubernetesPaths paths;
    private final EtcdConnector connector;
    private final ClusterLookup hints;
    private final Waiter observer;

    /**
     * @param files    real ones, even in a dry run
     * @param paths    where the manifest is; the certificates directory is that of a node without a
     *         manifest
     * @param observer the clock of looks, real even in a dry run
     */
    public EtcdReach(
            HostFiles files,
            KubernetesPaths paths,
            EtcdConnector connector,
            ClusterLookup hints,
            Waiter observer) {
        this.files = files;
        this.paths = paths;
        this.connector = connector;
        this.hints = hints;
        this.observer = observer;
    }

    /**
     * Gets ready to ask; sends nothing yet.
     *
     * @throws HostException if this node tells of no etcd, or has no credentials for it
     */
    public EtcdSession open(EtcdTarget target) {
        LocalEtcdState node = LocalEtcdState.look(
                files, paths, name -> files.read(paths.manifest(name)), Optional.empty());
        List<URI> endpoints = target.endpoints();
        if (endpoints.isEmpty()) {
            endpoints = onNode(node);
        }
        KubernetesPaths certificates = new KubernetesPaths(
                paths.kubernetesDir(),
                paths.kubeletDir(),
                target.certificatesDir().orElse(node.certificatesDir()));
        boolean named = !target.endpoints().isEmpty();
        return new EtcdSession(
                connector,
                hints,
                new EtcdSession.Origin(access(endpoints, certificates), node, named, observer));
    }

    private List<URI> onNode(LocalEtcdState node) {
        if (node.external()) {
            throw new HostException(
                    "this cluster keeps its data in an external etcd",
                    "its members are not managed by this program",
                    "name its client URLs with --endpoints and a directory that has etcd/ca.crt and "
                            + "etcd/healthcheck-client.crt and .key with --cert-dir");
        }
        if (!node.mayBeMember()) {
            throw new HostException(
                    "no etcd member is known on this node",
                    "there is no %s".formatted(paths.manifest(EtcdPod.NAME)),
                    "run this on a control-plane node, or name client URLs with --endpoints");
        }
        Set<URI> endpoints = new LinkedHashSet<>(node.ownClientUrls());
        endpoints.addAll(node.otherClientUrls());
        return new ArrayList<>(endpoints);
    }

    private EtcdAccess access(List<URI> endpoints, KubernetesPaths certificates) {
        boolean plain =
                endpoints.stream().allMatch(url -> "http".equalsIgnoreCase(url.getScheme()));
        return plain
                ? EtcdAccess.plain(endpoints)
                : new EtcdCredentials(files, new EtcdFinder(files, observer))
                        .at(endpoints, certificates, observer.now());
    }
}
