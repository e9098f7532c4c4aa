package io.kjadm.core.join;

import io.fabric8.kubernetes.api.model.Secret;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.node.SharedCertificates;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.CommonReason;
import io.kjadm.manifests.CertificatesSecret;
import io.kjadm.manifests.KubeSystem;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.PemContent;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.SealedFile;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code control-plane-prepare/download-certs}: fetches what control-plane nodes share. Everything
 * is decrypted and recognized before the first file is written.
 */
record DownloadCertsPhase(KubeClients clients, HostFiles files, Waiter waiter)
        implements Phase<JoinRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "download-certs",
                "Download certificates shared among control-plane nodes from the kubeadm-certs Secret",
                JoinPhaseFlags.DOWNLOAD_CERTS);
    }

    @Override
    public boolean applies(JoinRun run) {
        return run.config()
                .controlPlane()
                .flatMap(part -> part.certificateKey())
                .isPresent();
    }

    @Override
    public JoinRun run(JoinRun run, Reporter out) {
        if (run.resumed() && complete(run)) {
            out.step("download-certs", "The shared certificates were downloaded before");
            followEtcdCa(run, out);
            return run;
        }
        CertificateKey key = key(run);
        out.step(
                "download-certs",
                "Downloading the certificates in Secret \"%s\" in the \"kube-system\" Namespace"
                        .formatted(CertificatesSecret.NAME));
        Map<String, byte[]> sealed = CertificatesSecret.encryptedValues(secret(run));
        Map<Path, Content> opened = new LinkedHashMap<>();
        SharedCertificates.files(run.cluster().cluster(), run.paths()).forEach((entry, path) -> {
            byte[] value = Optional.ofNullable(sealed.get(entry))
                    .orElseThrow(() -> new ClusterException(
                            "the uploaded certificates lack " + entry,
                            "they were uploaded for another kind of cluster",
                            upload()));
            if (value.length > 0 && path.isPresent()) {
                opened.put(path.get(), open(entry, value, key));
            }
        });
        requireNothingLost(opened);
        run.begin();
        opened.forEach((path, content) -> {
            out.step("download-certs", "Saving the certificate or key " + path);
            files.write(path, content.bytes(), content.mode());
        });
        return run;
    }

    /**
     * The uploaded copy may have expired since an interrupted run. What lies there may be of another
     * cluster, where that run has not come to the first file.
     */
    private boolean complete(JoinRun run) {
        return SharedCertificates.files(run.cluster().cluster(), run.paths()).values().stream()
                        .flatMap(Optional::stream)
                        .allMatch(files::exists)
                && isOfCluster(run);
    }

    private boolean isOfCluster(JoinRun run) {
        String file = CertificateSet.named(CertificateSet.CA).certificateFile();
        try {
            List<CertificateInfo> trusted =
                    CertificateInfo.parseAll(run.cluster().caPem());
            return files.read(run.paths().certificate(file))
                    .map(CertificateInfo::parseAll)
                    .filter(here -> !Collections.disjoint(here, trusted))
                    .isPresent();
        } catch (PkiException e) {
            return false;
        }
    }

    /** What else was uploaded is never replaced in a cluster; there may be no upload any more. */
    private void followEtcdCa(JoinRun run, Reporter out) {
        if (!(run.cluster().cluster().etcd() instanceof LocalEtcd)) {
            return;
        }
        ReplacedEtcdCa ca = new ReplacedEtcdCa(files, run.paths());
        ca.finish();
        try {
            clients.as(run.cluster().access())
                    .get(Secret.class, KubeSystem.NAMESPACE, CertificatesSecret.NAME)
                    .map(CertificatesSecret::encryptedValues)
                    .flatMap(values -> etcdCa(values, key(run)))
                    .ifPresent(uploaded -> ca.follow(uploaded, out));
        } catch (KubeApiException | ClusterException e) {
            out.detail("download-certs: etcd's CA is not compared: " + e.getMessage());
        }
    }

    private static Optional<IssuedCertificate> etcdCa(
            Map<String, byte[]> values, CertificateKey key) {
        return Optional.ofNullable(values.get("etcd-ca.crt"))
                .flatMap(certificate -> Optional.ofNullable(values.get("etcd-ca.key"))
                        .filter(value -> value.length > 0)
                        .map(value -> new IssuedCertificate(
                                open("etcd-ca.crt", certificate, key).text(),
                                open("etcd-ca.key", value, key).text())));
    }

    private static CertificateKey key(JoinRun run) {
        return CertificateKey.parse(
                run.config().controlPlane().orElseThrow().certificateKey().orElseThrow());
    }

    /** A key cannot be had again, and may be the last copy of another cluster's. */
    private void requireNothingLost(Map<Path, Content> opened) {
        List<String> others = opened.entrySet().stream()
                .filter(entry -> entry.getValue().mode() == FileMode.OWNER_ONLY)
                .filter(entry -> files.readBytes(entry.getKey())
                        .filter(here -> !Arrays.equals(here, entry.getValue().bytes()))
                        .isPresent())
                .map(entry -> entry.getKey().toString())
                .toList();
        if (!others.isEmpty()) {
            throw new HostException(
                    CommonReason.EXISTS,
                    "another key than the cluster's is in " + String.join(", ", others),
                    "it may be the last copy of another cluster's key, and nothing was changed",
                    "move the files away, then run the same command again");
        }
    }

    private Secret secret(JoinRun run) {
        KubeApi api = clients.as(run.cluster().access());
        return new KubeCalls(waiter, run.config().timeouts().kubernetesApiCall())
                .repeatUntilAllowed(
                        "download-certs",
                        "read Secret " + CertificatesSecret.NAME,
                        () -> api.get(Secret.class, KubeSystem.NAMESPACE, CertificatesSecret.NAME))
                .orElseThrow(() -> new ClusterException(
                        "the cluster has no uploaded certificates",
                        "they are deleted two hours after the upload",
                        upload()));
    }

    private static String upload() {
        return "upload them again with 'kjadm init phase upload-certs --upload-certs' on a control-plane node, "
                + "and join with the --certificate-key that it prints";
    }

    private record Content(byte[] bytes, FileMode mode) {

        private String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    private static Content open(String entry, byte[] sealed, CertificateKey key) {
        byte[] bytes;
        try {
            bytes = SealedFile.of(sealed).open(key);
        } catch (PkiException e) {
            throw new ClusterException(
                    "the uploaded certificates cannot be decrypted",
                    "%s: %s".formatted(entry, e.getMessage()),
                    "check --certificate-key: a new upload comes with a new key",
                    e);
        }
        return switch (PemContent.of(new String(bytes, StandardCharsets.UTF_8))) {
            case PRIVATE_KEY -> new Content(bytes, FileMode.OWNER_ONLY);
            case PUBLIC_KEY, CERTIFICATE -> new Content(bytes, FileMode.WORLD_READABLE);
            case OTHER ->
                throw new ClusterException(
                        "an uploaded file is neither a key nor a certificate", entry, upload());
        };
    }
}
