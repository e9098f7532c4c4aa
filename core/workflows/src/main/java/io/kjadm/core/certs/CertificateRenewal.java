package io.kjadm.core.certs;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Owner;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.pki.PairExchange;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigUser;
import io.kjadm.manifests.ManifestException;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.ExtendedUsage;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.Validity;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Makes certificates anew with new keys, by what stands in the old ones: who they are for and what
 * for. How long ago these expired does not matter, and nothing has to run. Everything is read and
 * checked, and signed, before the first file is changed; a run that was interrupted is finished by
 * the next.
 */
public final class CertificateRenewal {

    private static final String AREA = "renew";

    private final HostFiles files;
    private final KeyPairPool keys;
    private final PairExchange pairs;
    private final Reporter out;

    public CertificateRenewal(HostFiles files, KeyPairPool keys, Reporter out) {
        this.files = files;
        this.keys = keys;
        this.pairs = new PairExchange(files);
        this.out = out;
    }

    /** A certificate that is signed and not yet in its place. */
    private record Signed(ManagedCertificate certificate, Runnable writing) {}

    /**
     * Renews those certificates; what is missing or signed elsewhere is told and left out.
     *
     * @return those that are new
     * @throws HostException if a CA or one of the certificates cannot be used; nothing was renewed
     */
    public List<ManagedCertificate> renew(CertsNode node, List<ManagedCertificate> wanted) {
        finishInterrupted(node);
        Authorities authorities = new Authorities(files, node);
        Set<String> judged = new LinkedHashSet<>();
        List<Signed> signed = new ArrayList<>();
        for (ManagedCertificate certificate : wanted) {
            Path file = node.file(certificate);
            Optional<String> text = files.read(file);
            if (text.isEmpty()) {
                out.step(AREA, "MISSING! " + certificate.description());
                tellHowToMake(certificate);
                continue;
            }
            CertificateAuthority ca = authorities.named(certificate.caName());
            if (!ca.canSign()) {
                out.step(
                        AREA,
                        "Detected external %s, %s can't be renewed"
                                .formatted(certificate.caName(), certificate.description()));
                continue;
            }
            if (judged.add(certificate.caName())) {
                warnIfCaEnds(node, certificate.caName(), ca);
            }
            signed.add(sign(node, certificate, file, text.get(), ca));
        }
        signed.forEach(next -> {
            next.writing().run();
            out.step(AREA, next.certificate().description() + " renewed");
        });
        return signed.stream().map(Signed::certificate).toList();
    }

    /** A key without its certificate stops whatever starts next, so all pairs are looked at. */
    private void finishInterrupted(CertsNode node) {
        for (ManagedCertificate certificate : ManagedCertificate.all()) {
            certificate.pair().ifPresent(spec -> {
                if (pairs.finish(node.pair(spec))) {
                    out.step(AREA, "Finished an interrupted renewal of " + node.certificate(spec));
                }
            });
        }
    }

    private void tellHowToMake(ManagedCertificate certificate) {
        out.detail("renew: a renewal needs the old certificate; make one with 'kjadm init phase %s'"
                .formatted(certificate
                        .pair()
                        .map(spec -> "certs " + spec.name())
                        .orElse("kubeconfig " + certificate.name().replace(".conf", ""))));
    }

    private void warnIfCaEnds(CertsNode node, String name, CertificateAuthority ca) {
        Optional<String> outOfDate = ca.info().outOfDate(node.now());
        if (outOfDate.isPresent()) {
            out.warn(
                    "CA %s %s: no component accepts what it signs, and this command does not renew it"
                            .formatted(name, outOfDate.get()));
        } else if (ca.info().notAfter().isBefore(node.now().plus(node.validityPeriod()))) {
            out.warn("CA %s ends on %s, before the certificates that it signs now"
                    .formatted(name, ca.info().notAfter()));
        }
    }

    private Signed sign(
            CertsNode node,
            ManagedCertificate certificate,
            Path file,
            String text,
            CertificateAuthority ca) {
        try {
            return certificate
                    .pair()
                    .map(spec -> signPair(node, certificate, spec, text, ca))
                    .orElseGet(() -> signKubeconfig(node, certificate, file, text, ca));
        } catch (PkiException | ManifestException e) {
            throw new HostException(
                    "%s cannot be renewed".formatted(file),
                    e.getMessage(),
                    "replace the file, or delete it and generate it again with 'kjadm init phase'",
                    e);
        }
    }

    private Signed signPair(
            CertsNode node,
            ManagedCertificate certificate,
            CertificateSpec spec,
            String pem,
            CertificateAuthority ca) {
        IssuedCertificate pair = issue(node, ca, pem, spec.usages());
        return new Signed(certificate, () -> pairs.replace(node.pair(spec), pair));
    }

    private Signed signKubeconfig(
            CertsNode node,
            ManagedCertificate certificate,
            Path file,
            String text,
            CertificateAuthority ca) {
        Kubeconfig old = Kubeconfig.parse(text);
        String pem = embeddedCertificate(old);
        IssuedCertificate pair = issue(node, ca, pem, List.of(ExtendedUsage.CLIENT_AUTH));
        String renewed = old.withCredentials(
                        KubeconfigUser.certificate(pair.certificatePem(), pair.keyPem()))
                .withAuthority(ca.certificatePem())
                .render();
        return new Signed(certificate, () -> {
            Owner owner = files.owner(file);
            files.write(file, renewed, FileMode.OWNER_ONLY);
            if (!owner.equals(Owner.ROOT)) {
                files.own(file, owner, FileMode.OWNER_ONLY);
            }
        });
    }

    /** The certificate that a kubeconfig holds; @throws ManifestException if it holds none. */
    static String embeddedCertificate(Kubeconfig kubeconfig) {
        if (kubeconfig.cluster().caPem().isEmpty()) {
            throw new ManifestException("no CA certificate is embedded in it");
        }
        return kubeconfig
                .user()
                .certificatePem()
                .orElseThrow(
                        () -> new ManifestException("no client certificate is embedded in it"));
    }

    private IssuedCertificate issue(
            CertsNode node, CertificateAuthority ca, String pem, List<ExtendedUsage> otherwise) {
        return ca.issue(
                LeafRequest.renewing(CertificateInfo.parse(pem), otherwise),
                keys.of(node.algorithm()),
                Validity.startingAt(node.now(), node.validityPeriod()));
    }
}
