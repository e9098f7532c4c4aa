package io.kjadm.core.snapshot.pki;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.CertificateSet;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Gathers what a cluster's snapshot is of no use without when all machines are lost: the CAs, the
 * keys of service accounts, the configuration by which Secrets are encrypted in etcd, and the
 * cluster's own configuration. Certificates that a CA signs are made anew.
 */
public final class PkiFiles {

    private static final String ENCRYPTION = "encryption-provider-config";
    private static final String CLUSTER = "ClusterConfiguration";

    private final HostFiles files;
    private final KubernetesPaths paths;

    public PkiFiles(HostFiles files, KubernetesPaths paths) {
        this.files = files;
        this.paths = paths;
    }

    /**
     * Reads them.
     *
     * @param api is asked for the cluster's configuration, which is left out where it does not tell
     * @throws HostException if this node lacks the cluster's CA or the service accounts' key
     */
    public List<PkiFile> gather(Supplier<KubeApi> api, Reporter out) {
        List<PkiFile> found = new ArrayList<>();
        PkiPlaces.certificates().forEach((name, mode) -> add(found, name, mode));
        require(found, CertificateSet.named(CertificateSet.CA).certificateFile());
        require(found, CertificateFiles.SERVICE_ACCOUNT_PRIVATE_KEY);
        encryption().ifPresent(path -> found.add(encryption(path)));
        configuration(api, out)
                .ifPresent(text -> found.add(new PkiFile(
                        PkiPlaces.CONFIGURATION,
                        FileMode.OWNER_ONLY,
                        text.getBytes(StandardCharsets.UTF_8))));
        return found;
    }

    private static Optional<String> configuration(Supplier<KubeApi> api, Reporter out) {
        try {
            return api.get()
                    .get(ConfigMap.class, "kube-system", "kubeadm-config")
                    .map(ConfigMap::getData)
                    .map(data -> data.get(CLUSTER));
        } catch (KubeApiException | KjadmException e) {
            out.warn("the cluster's configuration is not kept with the keys: " + e.getMessage());
            return Optional.empty();
        }
    }

    private void add(List<PkiFile> found, String name, FileMode mode) {
        Path path = paths.certificate(name);
        files.readBytes(path)
                .ifPresent(bytes -> found.add(new PkiFile(rootless(path), mode, bytes)));
    }

    private void require(List<PkiFile> found, String name) {
        Path path = paths.certificate(name);
        if (found.stream().noneMatch(file -> file.path().equals(rootless(path)))) {
            throw new HostException(
                    "the keys of the cluster are not on this node",
                    "there is no " + path,
                    "run this on a control-plane node, or without --with-pki");
        }
    }

    /** Where the API server reads it; the manifest mounts that path as it is on the host. */
    private Optional<Path> encryption() {
        return StaticPodText.of(files, paths, ApiServerPod.NAME)
                .flatMap(pod -> pod.flag(ENCRYPTION))
                .map(Path::of);
    }

    private PkiFile encryption(Path path) {
        return files.readBytes(path)
                .map(bytes -> new PkiFile(rootless(path), FileMode.OWNER_ONLY, bytes))
                .orElseThrow(() -> new HostException(
                        "the API server's encryption configuration is not there",
                        "its manifest names %s: without it the Secrets in the snapshot cannot be read"
                                .formatted(path),
                        "restore it at the path in the manifest, or run this without --with-pki"));
    }

    private static Path rootless(Path path) {
        return PkiPlaces.rootless(path.toAbsolutePath());
    }
}
