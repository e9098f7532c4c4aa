package io.kjadm.core.certs;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.ca.Expirations;
import io.kjadm.core.etcd.ca.Expirations.Expiration;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.pki.PairExchange;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.ManifestException;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.PkiException;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Reads when a node's certificates end. Changes nothing, and needs nothing that runs. */
public final class ExpirationCheck {

    private final HostFiles files;
    private final Reporter out;

    public ExpirationCheck(HostFiles files, Reporter out) {
        this.files = files;
        this.out = out;
    }

    /**
     * All certificates of the node.
     *
     * @param served what servers were seen to show
     * @throws HostException if a certificate that is there cannot be read
     */
    public Expirations look(CertsNode node, List<Expirations.Served> served) {
        List<Expiration> certificates = new ArrayList<>();
        for (ManagedCertificate certificate : ManagedCertificate.of(node.stackedEtcd())) {
            certificates.add(managed(node, certificate));
        }
        Stream.of(node.paths().kubeletClientCurrent(), node.paths().kubeletServerCurrent())
                .flatMap(file -> kubelet(file, node.now()).stream())
                .forEach(certificates::add);
        List<Expiration> authorities = CertificateSet.cas().stream()
                .filter(ca -> node.stackedEtcd() || !ca.needsStackedEtcd())
                .sorted(Comparator.comparing(CertificateSpec::name))
                .map(ca -> new Expiration(
                        ca.name(),
                        Optional.empty(),
                        end(node.certificate(ca), UnaryOperator.identity(), node.now()),
                        external(node, ca.name())))
                .toList();
        return new Expirations(certificates, authorities, served, node.now());
    }

    private Expiration managed(CertsNode node, ManagedCertificate certificate) {
        Path file = node.file(certificate);
        warnIfInterrupted(node, certificate);
        return new Expiration(
                certificate.name(),
                Optional.of(certificate.caName()),
                certificate.pair().isPresent()
                        ? end(file, UnaryOperator.identity(), node.now())
                        : end(
                                file,
                                text -> CertificateRenewal.embeddedCertificate(
                                        Kubeconfig.parse(text)),
                                node.now()),
                external(node, certificate.caName()));
    }

    private void warnIfInterrupted(CertsNode node, ManagedCertificate certificate) {
        certificate
                .pair()
                .filter(spec -> new PairExchange(files).unfinished(node.pair(spec)))
                .ifPresent(spec -> out.warn(
                        "a renewal of %s was interrupted and its key does not fit it: finish it with 'kjadm certs renew %s'"
                                .formatted(node.certificate(spec), spec.name())));
    }

    /** The kubelet renews it by itself, with the API server's help. */
    private Optional<Expiration> kubelet(Path file, Instant now) {
        return end(file, UnaryOperator.identity(), now)
                .map(end -> new Expiration(
                        file.getFileName().toString(),
                        Optional.of(CertificateSet.CA),
                        Optional.of(end),
                        true));
    }

    private boolean external(CertsNode node, String caName) {
        CertificateSpec ca = CertificateSet.named(caName);
        return files.exists(node.certificate(ca)) && !files.exists(node.pair(ca).key());
    }

    private Optional<Instant> end(Path file, UnaryOperator<String> pem, Instant now) {
        try {
            Optional<CertificateInfo> found = files.read(file).map(pem).map(CertificateInfo::parse);
            // the table shows an end that has passed
            found.filter(info -> now.isBefore(info.notBefore()))
                    .flatMap(info -> info.outOfDate(now))
                    .ifPresent(why -> out.warn("the certificate in %s %s".formatted(file, why)));
            return found.map(CertificateInfo::notAfter);
        } catch (PkiException | ManifestException e) {
            throw new HostException(
                    "the certificate in %s cannot be read".formatted(file),
                    e.getMessage(),
                    "replace the file, or remove it to have it shown as missing",
                    e);
        }
    }
}
