package io.kjadm.pki;

import java.util.List;
import java.util.Optional;

/**
 * One certificate of a control plane.
 *
 * @param name what its phase and its renewal are called, for example {@code etcd-server}
 * @param fileBase path below the certificates directory without suffix, for example {@code
 * etcd/server}
 * @param caName name of the CA that signs it; empty for a CA, which signs itself
 * @param commonName the fixed common name; empty when it is the name of the node
 * @param description one line of help
 */
public record CertificateSpec(
        String name,
        String fileBase,
        Optional<String> caName,
        Optional<String> commonName,
        List<ExtendedUsage> usages,
        NameRule names,
        String description) {

    public CertificateSpec {
        usages = List.copyOf(usages);
    }

    public boolean isCa() {
        return caName.isEmpty();
    }

    /** Whether it exists only where etcd runs as our static pod. */
    public boolean needsStackedEtcd() {
        return name.equals(CertificateSet.ETCD_CA)
                || caName.filter(CertificateSet.ETCD_CA::equals).isPresent();
    }

    public String certificateFile() {
        return fileBase + CertificateFiles.CERTIFICATE_SUFFIX;
    }

    public String keyFile() {
        return fileBase + CertificateFiles.KEY_SUFFIX;
    }

    public String commonNameOn(String nodeName) {
        return commonName.orElse(nodeName);
    }

    /**
     * What to ask the CA for. The subject names are chosen by the caller, as {@link #names()} says.
     */
    public LeafRequest requestFor(String nodeName, SubjectNames subjectNames) {
        if (isCa()) {
            throw new IllegalStateException("%s is a CA and signs itself".formatted(name));
        }
        return new LeafRequest(commonNameOn(nodeName), List.of(), usages, subjectNames);
    }
}
