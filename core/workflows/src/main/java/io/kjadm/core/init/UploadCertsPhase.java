package io.kjadm.core.init;

import io.kjadm.core.cluster.CertificateUpload;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.node.SharedCertificates;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.CertificatesSecret;
import io.kjadm.pki.CertificateKey;

/** {@code upload-certs}: shares the CAs, encrypted, with control-plane nodes that join. */
record UploadCertsPhase(HostFiles files, AdminWriters writes) implements Phase<InitRun> {

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
        new CertificateUpload(
                        SharedCertificates.files(
                                run.node().cluster(), run.node().paths()),
                        files,
                        key)
                .write(writes.of(run, "upload-certs", out));
        out.step(
                "upload-certs",
                "Storing the certificates in Secret \"%s\" in the \"kube-system\" Namespace"
                        .formatted(CertificatesSecret.NAME));
        if (!run.options().skipCertificateKeyPrint()) {
            out.credentials("[upload-certs] Using certificate key:\n" + key.hex());
        }
        return run.withCertificateKey(key.hex());
    }
}
