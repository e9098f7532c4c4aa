package io.kjadm.core.certs;

import io.kjadm.core.etcd.ca.Expirations;
import io.kjadm.core.etcd.ca.Expirations.Expiration;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.pki.CertificateFile;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.core.pki.PairFile;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
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
     * @throws io.kjadm.core.error.HostException if a certificate that is there cannot be read
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
                        end(
                                new PairFile(files, node.pair(ca)),
                                "kjadm etcd certs rotate-ca",
                                node.now()),
                        external(node, ca.name())))
                .toList();
        return new Expirations(certificates, authorities, served, node.now());
    }

    private Expiration managed(CertsNode node, ManagedCertificate certificate) {
        return new Expiration(
                certificate.name(),
                Optional.of(certificate.caName()),
                end(
                        node.file(files, certificate),
                        "kjadm certs renew " + certificate.name(),
                        node.now()),
                external(node, certificate.caName()));
    }

    /** The kubelet renews it by itself, with the API server's help. */
    private Optional<Expiration> kubelet(Path file, Instant now) {
        return end(new PairFile(files, new CertificatePair(file, file)), "", now)
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

    private Optional<Instant> end(CertificateFile file, String renewal, Instant now) {
        Optional<CertificateInfo> found = file.look(out, renewal);
        // the table shows an end that has passed
        found.filter(info -> now.isBefore(info.notBefore()))
                .flatMap(info -> info.outOfDate(now))
                .ifPresent(why -> out.warn("the certificate in %s %s".formatted(file.path(), why)));
        return found.map(CertificateInfo::notAfter);
    }
}
