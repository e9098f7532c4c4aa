package io.kjadm.pki;

import java.util.List;

/** What a CA is asked to put into a certificate that is not a CA. */
public record LeafRequest(
        String commonName,
        List<String> organizations,
        List<ExtendedUsage> usages,
        SubjectNames names) {

    /**
     * @throws PkiException without common name or without any usage: such a certificate would
     * identify nobody
     */
    public LeafRequest {
        organizations = List.copyOf(organizations);
        usages = List.copyOf(usages);
        if (commonName.isBlank()) {
            throw new PkiException("a certificate needs a common name");
        }
        if (usages.isEmpty()) {
            throw new PkiException("the certificate for %s needs at least one extended usage"
                    .formatted(commonName));
        }
    }

    /** A client certificate as kubeconfigs carry them. */
    public static LeafRequest client(String commonName, List<String> organizations) {
        return new LeafRequest(
                commonName, organizations, List.of(ExtendedUsage.CLIENT_AUTH), SubjectNames.none());
    }

    /**
     * What stands in another certificate.
     *
     * @param otherwise the usages if it names none
     */
    public static LeafRequest renewing(CertificateInfo old, List<ExtendedUsage> otherwise) {
        return new LeafRequest(
                old.commonName(),
                old.organizations(),
                old.usages().isEmpty() ? otherwise : old.usages(),
                old.names());
    }
}
