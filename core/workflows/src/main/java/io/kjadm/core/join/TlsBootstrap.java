package io.kjadm.core.join;

import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequest;
import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequestBuilder;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;
import io.kjadm.manifests.KubeconfigUser;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.SigningRequest;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Gets the kubelet's first certificate for it. The kubelet of a control-plane node would ask its
 * own API server, which cannot serve before this node's etcd member votes, and each failed try
 * makes it wait longer; the control-plane endpoint answers at once. What is written is what the
 * kubelet itself would have written.
 */
record TlsBootstrap(KubeClients clients, HostFiles files, Waiter waiter) {

    private static final String SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";
    private static final Duration LIMIT = Duration.ofSeconds(15);
    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyy-MM-dd-HH-mm-ss").withZone(ZoneOffset.UTC);

    /**
     * Asks for the certificate and configures the kubelet with it.
     *
     * @return whether that worked; if nobody signs within some seconds the kubelet goes on asking
     *         by itself
     */
    boolean run(JoinRun run, Reporter out) {
        String name = "system:node:" + run.config().nodeRegistration().kubeletName();
        SigningRequest request =
                SigningRequest.client(name, List.of("system:nodes"), KeyAlgorithm.ECDSA_P256);
        Optional<String> certificate;
        try {
            certificate = signed(clients.as(run.cluster().access()), request);
        } catch (KubeApiException e) {
            out.detail("kubelet-start: the certificate was not requested (%s); the kubelet does it"
                    .formatted(e.getMessage()));
            return false;
        }
        certificate.ifPresentOrElse(
                pem -> {
                    write(run, pem, request.keyPem());
                    out.step("kubelet-start", "The cluster has signed the kubelet's certificate");
                },
                () -> out.detail(
                        "kubelet-start: the kubelet's certificate is not signed yet; the kubelet requests it again"));
        return certificate.isPresent();
    }

    private Optional<String> signed(KubeApi api, SigningRequest request) {
        CertificateSigningRequest created = api.create(new CertificateSigningRequestBuilder()
                .withNewMetadata()
                .withGenerateName("csr-")
                .endMetadata()
                .withNewSpec()
                .withRequest(base64(request.requestPem()))
                .withSignerName(SIGNER)
                .withUsages("digital signature", "client auth")
                .endSpec()
                .build());
        Instant end = waiter.now().plus(LIMIT);
        Await await = new Await(
                "kubelet-start",
                "the cluster to sign the kubelet's certificate",
                LIMIT.multipliedBy(2),
                INTERVAL,
                "");
        Optional<Optional<String>> certificate = waiter.until(await, () -> {
            Optional<String> issued = issued(api, created.getMetadata().getName());
            return issued.isPresent() || waiter.now().isAfter(end)
                    ? Attempt.done(issued)
                    : Attempt.notYet("it was not signed yet");
        });
        return certificate.flatMap(found -> found);
    }

    private static Optional<String> issued(KubeApi api, String name) {
        return api.get(CertificateSigningRequest.class, "", name)
                .flatMap(found -> Optional.ofNullable(found.getStatus()))
                .flatMap(status -> Optional.ofNullable(status.getCertificate()))
                .filter(encoded -> !encoded.isEmpty())
                .map(encoded ->
                        new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8));
    }

    private void write(JoinRun run, String certificatePem, String keyPem) {
        Path current = run.paths().kubeletClientCurrent();
        Path dated = current.resolveSibling(
                "kubelet-client-%s.pem".formatted(STAMP.format(waiter.now())));
        files.write(dated, certificatePem + keyPem, FileMode.OWNER_ONLY);
        files.link(current, dated);
        Kubeconfig kubeconfig = Kubeconfig.of(
                new Kubeconfig.Names("default-cluster", "default-auth"),
                new KubeconfigCluster(
                        run.node().localEndpoint().toString(), run.cluster().caPem()),
                KubeconfigUser.certificateFiles(current, current));
        files.write(run.paths().kubeletConf(), kubeconfig.render(), FileMode.OWNER_ONLY);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
