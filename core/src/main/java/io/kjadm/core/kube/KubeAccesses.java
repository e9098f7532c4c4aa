package io.kjadm.core.kube;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeAccess.Credential;
import io.kjadm.core.net.ServerTrust;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;
import io.kjadm.manifests.KubeconfigUser;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** Reads server and identity out of kubeconfigs; files they refer to are read beside them. */
public final class KubeAccesses {

    private KubeAccesses() {}

    /**
     * What the current context names.
     *
     * @param origin where the kubeconfig was read; relative references start there
     * @throws HostException if a file it refers to is missing
     */
    public static KubeAccess of(Kubeconfig kubeconfig, Path origin, HostFiles files) {
        return of(kubeconfig.cluster(), credential(kubeconfig.user(), origin, files), origin,
                files);
    }

    /** A cluster entry and who asks there. */
    public static KubeAccess of(KubeconfigCluster cluster, Credential credential, Path origin,
            HostFiles files) {
        return new KubeAccess(URI.create(cluster.server()), trust(cluster, origin, files),
                credential, cluster.tlsServerName(), cluster.proxyUrl());
    }

    /** The CA of a cluster entry as PEM text, wherever it is kept. */
    public static Optional<String> embeddedCa(KubeconfigCluster cluster, Path origin,
            HostFiles files) {
        return cluster.caPem().or(() -> cluster.caFile().map(file -> read(file, origin, files)));
    }

    /** A CA that is named is the only one; without one, those of the machine verify. */
    private static ServerTrust trust(KubeconfigCluster cluster, Path origin, HostFiles files) {
        Optional<String> ca = embeddedCa(cluster, origin, files);
        if (cluster.insecure() && ca.isPresent()) {
            throw new HostException("the cluster in %s cannot be used".formatted(origin),
                    "it names a CA, and insecure-skip-tls-verify says not to use any",
                    "remove one of the two; it should not be the CA");
        }
        if (cluster.insecure()) {
            return new ServerTrust.Skipped();
        }
        return ca.<ServerTrust>map(ServerTrust.Pinned::new).orElseGet(ServerTrust.Machine::new);
    }

    private static Credential credential(KubeconfigUser user, Path origin, HostFiles files) {
        Optional<String> certificate = user.certificatePem()
                .or(() -> user.certificateFile().map(file -> read(file, origin, files)));
        Optional<String> key = user.keyPem()
                .or(() -> user.keyFile().map(file -> read(file, origin, files)));
        if (certificate.isPresent() && key.isPresent()) {
            return new Credential.ClientCertificate(certificate.get(), key.get());
        }
        Optional<String> token = user.token()
                .or(() -> user.tokenFile().map(file -> read(file, origin, files).strip()));
        if (token.isPresent()) {
            return new Credential.Token(token.get());
        }
        if (user.otherMeans()) {
            throw new HostException("the credentials in %s cannot be used".formatted(origin),
                    "they are neither a client certificate nor a token",
                    "use a kubeconfig with a client certificate, as admin.conf is");
        }
        return new Credential.Anonymous();
    }

    private static String read(Path file, Path origin, HostFiles files) {
        Path parent = origin.getParent();
        Path resolved = parent == null ? file : parent.resolve(file);
        return files.read(resolved).orElseThrow(() -> new HostException(
                "the file %s is missing".formatted(resolved),
                "kubeconfig %s refers to it".formatted(origin),
                "restore the file, or use another kubeconfig"));
    }
}
