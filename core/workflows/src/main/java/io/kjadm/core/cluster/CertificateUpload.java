package io.kjadm.core.cluster;

import io.fabric8.kubernetes.api.model.Secret;
import io.kjadm.core.config.BootstrapToken;
import io.kjadm.core.host.HostFiles;
import io.kjadm.manifests.BootstrapTokenSecret;
import io.kjadm.manifests.CertificatesSecret;
import io.kjadm.manifests.RbacObjects;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.SealedFile;

import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Shares the CAs, encrypted, with control-plane nodes that join within two hours. A token that can
 * do nothing owns the Secret, so that both disappear together
 * ({@code cmd/kubeadm/app/phases/copycerts}).
 */
public final class CertificateUpload {

    private static final Duration LIFETIME = Duration.ofHours(2);

    private final Map<String, byte[]> sealed = new LinkedHashMap<>();

    /**
     * Reads and encrypts them.
     *
     * @param entries the file behind each entry of the Secret; an entry without one is empty
     */
    public CertificateUpload(
            Map<String, Optional<Path>> entries, HostFiles files, CertificateKey key) {
        entries.forEach((entry, path) -> sealed.put(
                entry,
                path.flatMap(files::readBytes)
                        .map(content -> SealedFile.seal(content, key).bytes())
                        .orElse(new byte[0])));
    }

    /** Writes the token, the Secret, and the right to read it. */
    public void write(ClusterWriter to) {
        BootstrapToken token = BootstrapToken.defaults().withToken(BootstrapToken.randomText());
        BootstrapTokenSecret owner = new BootstrapTokenSecret(
                token.id(),
                token.secret(),
                "Proxy for managing TTL for the kubeadm-certs secret",
                Optional.of(to.now().plus(LIFETIME).truncatedTo(ChronoUnit.SECONDS)),
                List.of(),
                List.of());
        Secret made = to.repeat(
                "create the token that owns the certificates",
                () -> to.api().createOrReplace(owner.toSecret()));
        to.apply(List.of(CertificatesSecret.build(
                sealed,
                new CertificatesSecret.Owner(
                        made.getMetadata().getName(), made.getMetadata().getUid()))));
        to.apply(RbacObjects.kubeadmCerts());
    }
}
