package io.kjadm.core.certs;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.pki.CertificateRenewal;
import io.kjadm.core.pki.CertificateRenewal.Renewable;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.ExtendedUsage;
import io.kjadm.pki.KeyPairPool;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Renews certificates of a control-plane node. */
public final class NodeRenewal {

    private final HostFiles files;
    private final KeyPairPool keys;
    private final Reporter out;

    public NodeRenewal(HostFiles files, KeyPairPool keys, Reporter out) {
        this.files = files;
        this.keys = keys;
        this.out = out;
    }

    /** Makes the pairs whole that an earlier renewal has left in between. */
    public void finishInterrupted(CertsNode node) {
        CertificateRenewal.finishInterrupted(
                ManagedCertificate.all().stream()
                        .map(one -> node.file(files, one))
                        .toList(),
                out);
    }

    /**
     * Renews those certificates; what is missing or signed elsewhere is told and left out.
     *
     * @return those that are new
     * @throws HostException if a CA or one of the certificates cannot be used; nothing was renewed
     */
    public List<ManagedCertificate> renew(CertsNode node, List<ManagedCertificate> wanted) {
        finishInterrupted(node);
        Map<ManagedCertificate, Renewable> renewables = new LinkedHashMap<>();
        wanted.forEach(one -> renewables.put(one, renewable(node, one)));
        Set<Renewable> renewed = new CertificateRenewal(
                        keys.of(node.algorithm()), node.validityPeriod(), node.now(), out)
                .renew(List.copyOf(renewables.values()), name -> node.authority(files, name));
        return wanted.stream()
                .filter(one -> renewed.contains(renewables.get(one)))
                .toList();
    }

    private Renewable renewable(CertsNode node, ManagedCertificate certificate) {
        return new Renewable(
                certificate.description(),
                certificate.caName(),
                node.file(files, certificate),
                certificate
                        .pair()
                        .map(CertificateSpec::usages)
                        .orElse(List.of(ExtendedUsage.CLIENT_AUTH)),
                "make one with 'kjadm init phase %s'"
                        .formatted(certificate
                                .pair()
                                .map(spec -> "certs " + spec.name())
                                .orElse("kubeconfig " + certificate.name().replace(".conf", ""))));
    }
}
