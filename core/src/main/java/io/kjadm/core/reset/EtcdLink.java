package io.kjadm.core.reset;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.EtcdCredentials;
import io.kjadm.core.etcd.EtcdFinder;
import io.kjadm.core.etcd.check.DataDirReader;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.join.JoinEntry;

import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * How a node that is reset reaches etcd: with or without the API server.
 */
final class EtcdLink {

    private final HostFiles files;
    private final KubeClients clients;
    private final EtcdFinder finder;
    private final EtcdConnector connector;
    private final Waiter waiter;

    EtcdLink(HostFiles files, KubeClients clients, EtcdConnector connector, Waiter waiter) {
        this.files = files;
        this.clients = clients;
        this.finder = new EtcdFinder(files, waiter);
        this.connector = connector;
        this.waiter = waiter;
    }

    /**
     * Gets ready to talk to the cluster that this node's files tell of.
     *
     * @throws HostException     if there is nothing to prove this node with
     * @throws EtcdCallException if it cannot be used
     */
    EtcdCluster open(ResetRun run, Reporter out) {
        return connector.connect(new EtcdCredentials(files, finder)
                .at(endpoints(run, out), certificates(run), waiter.now()));
    }

    /** What is in etcd's data directory. */
    DataDirectory data(ResetRun run) {
        return new DataDirReader(files).read(run.etcd().dataDir());
    }

    /** This node's own etcd, those it was started with, and those the API server knows. */
    private List<URI> endpoints(ResetRun run, Reporter out) {
        Set<URI> endpoints = new LinkedHashSet<>(run.etcd().ownClientUrls());
        endpoints.addAll(run.etcd().otherClientUrls());
        // who died while it was added has no manifest yet, but has noted whom it asked
        run.etcd().join().map(JoinEntry::before).stream()
                .flatMap(List::stream)
                .map(Member::clientUrls)
                .forEach(endpoints::addAll);
        if (run.cluster().isPresent()) {
            try {
                endpoints.addAll(finder.listed(clients.of(run.kubeconfig())));
            } catch (KubeApiException | KjadmException e) {
                out.detail("reset: the etcd pods cannot be listed: " + e.getMessage());
            }
        }
        return new ArrayList<>(endpoints);
    }

    private static KubernetesPaths certificates(ResetRun run) {
        return new KubernetesPaths(
                run.paths().kubernetesDir(),
                run.paths().kubeletDir(),
                run.etcd().certificatesDir());
    }
}
