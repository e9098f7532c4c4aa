package io.kjadm.core.init;

import io.fabric8.kubernetes.api.model.Secret;
import io.kjadm.core.config.BootstrapToken;
import io.kjadm.core.config.TokenText;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeApi;
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
 * hours. A token that can do nothing owns the Secret, so that both disappear together.
 */
final class UploadCertsPhase implements Phase<InitRun> {

    private static final Duration LIFETIME = Duration.ofHours(2);

    private final HostFiles files;
    private final AdminObjectWriter writes;

    UploadCertsPhase(HostFiles files, AdminObjectWriter writes) {
        this.files = files;
        this.writes = writes;
    }

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
        Map<String, byte[]> sealed = new LinkedHashMap<>();
        SharedCertificates.files(run.node().cluster(), run.node().paths())
                .forEach((entry, path) -> sealed.put(
                        entry,
                        path.flatMap(files::readBytes)
                                .map(content -> SealedFile.seal(content, key).bytes())
                                .orElse(new byte[0])));
        upload(run, sealed, out);
        out.step(
                "upload-certs",
                "Storing the certificates in Secret \"%s\" in the \"kube-system\" Namespace"
                        .formatted(CertificatesSecret.NAME));
        if (!run.options().skipCertificateKeyPrint()) {
            out.step("upload-certs", "Using certificate key:\n" + key.hex());
        }
        return run.withCertificateKey(key.hex());
    }

    private void upload(InitRun run, Map<String, byte[]> sealed, Reporter out) {
        KubeApi api = writes.api(run, out);
        BootstrapToken token = BootstrapToken.defaults().withToken(TokenText.random());
        BootstrapTokenSecret owner = new BootstrapTokenSecret(
                token.id(),
                token.secret(),
                "Proxy for managing TTL for the kubeadm-certs secret",
                Optional.of(writes.now().plus(LIFETIME).truncatedTo(ChronoUnit.SECONDS)),
                List.of(),
                List.of());
        Secret made = writes.repeat(
                run,
                "upload-certs",
                "create the token that owns the certificates",
                () -> api.createOrReplace(owner.toSecret()));
        writes.apply(
                run,
                "upload-certs",
                List.of(CertificatesSecret.build(
                        sealed,
                        new CertificatesSecret.Owner(
                                made.getMetadata().getName(), made.getMetadata().getUid()))),
                out);
        writes.apply(run, "upload-certs", RbacObjects.kubeadmCerts(), out);
    }
}
