package io.kjadm.core.certs;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.pki.CertificateFile;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigUser;
import io.kjadm.manifests.ManifestException;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.PkiException;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/** The client certificate and the CA that are embedded in a kubeconfig. */
record KubeconfigFile(HostFiles files, Path path) implements CertificateFile {

    @Override
    public Optional<CertificateInfo> read() {
        return files.read(path).map(text -> CertificateInfo.parse(embeddedCertificate(text)));
    }

    private static String embeddedCertificate(String text) {
        try {
            Kubeconfig kubeconfig = Kubeconfig.parse(text);
            if (kubeconfig.cluster().caPem().isEmpty()) {
                throw new PkiException("no CA certificate is embedded in it");
            }
            return kubeconfig
                    .user()
                    .certificatePem()
                    .orElseThrow(() -> new PkiException("no client certificate is embedded in it"));
        } catch (ManifestException e) {
            throw new PkiException(e.getMessage(), e);
        }
    }

    @Override
    public void replace(IssuedCertificate issued, CertificateAuthority ca) {
        String renewed = Kubeconfig.parse(files.read(path).orElseThrow())
                .withCredentials(
                        KubeconfigUser.certificate(issued.certificatePem(), issued.keyPem()))
                .withAuthority(ca.certificatePem())
                .render();
        files.write(
                path,
                renewed.getBytes(StandardCharsets.UTF_8),
                FileMode.ofSecret(files.permissions(path)),
                files.owner(path));
    }
}
