package io.kjadm.core.init;

import io.fabric8.kubernetes.api.model.Secret;
import io.kjadm.core.cluster.ClusterWriter;
import io.kjadm.core.config.BootstrapToken;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.node.SharedCertificates;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.BootstrapTokenSecret;
import io.kjadm.manifests.CertificatesSecret;
import io.kjadm.manifests.RbacObjects;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.SealedFile;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code upload-certs}: shares the CAs, encrypted, with control-plane nodes that join within two
 * hours. A token that can do nothing owns the Secret, so that both disappear together
 * ({@code cmd/kubeadm/app/phases/copycerts}).
 */
record UploadCertsPhase(HostFiles files, AdminWriters writes) implements Phase<InitRun> {

    private static final Duration LIFETIME = Duration.ofHours(2);

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "upload-certs",
                "Upload certificates to kubeadm-certs",
                InitPhaseFlags.UPLOAD_CERTS);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        if (!run.options().uploadCerts()) {
            out.step("upload-certs", "Skipping phase. Please see --upload-certs");
            return run;
        }
        CertificateKey key =
                run.certificateKey().map(CertificateKey::parse).orElseGet(CertificateKey::generate);
        Map<String, byte[]> sealed = sealed(run, key);
        upload(sealed, writes.of(run, "upload-certs", out));
        out.step(
                "upload-certs",
                "Storing the certificates in Secret \"%s\" in the \"kube-system\" Namespace"
                        .formatted(CertificatesSecret.NAME));
        if (!run.options().skipCertificateKeyPrint()) {
            out.credentials("[upload-certs] Using certificate key:\n" + key.hex());
        }
        return run.withCertificateKey(key.hex());
    }

    /** The entries of the Secret; one without a file is empty. */
    private Map<String, byte[]> sealed(InitRun run, CertificateKey key) {
        Map<String, byte[]> sealed = new LinkedHashMap<>();
        SharedCertificates.files(run.node().cluster(), run.node().paths())
                .forEach((entry, path) -> sealed.put(
                        entry,
                        path.flatMap(files::readBytes)
                                .map(content -> SealedFile.seal(content, key).bytes())
                                .orElse(new byte[0])));
        return sealed;
    }

    /** Writes the token, the Secret, and the right to read it. */
    private static void upload(Map<String, byte[]> sealed, ClusterWriter to) {
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
