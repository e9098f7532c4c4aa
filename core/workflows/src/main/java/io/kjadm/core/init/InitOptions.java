package io.kjadm.core.init;

import io.kjadm.core.etcd.ExternalEtcdFile;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What only flags say about an init, never a configuration file.
 *
 * @param uploadCerts             share the CAs with joining control-plane nodes, encrypted
 * @param skipTokenPrint          leave the token out of the closing words
 * @param skipCertificateKeyPrint leave the certificate key out of them
 * @param printManifest           addon phases print their objects instead of applying them
 * @param kubeconfig              which file the phases talk to the cluster with
 * @param externalEtcd            the etcd whose client certificate this node is given
 * @param ignorePreflightErrors   lower-case names of checks whose errors are warnings
 */
public record InitOptions(
        boolean uploadCerts,
        boolean skipTokenPrint,
        boolean skipCertificateKeyPrint,
        boolean printManifest,
        Path kubeconfig,
        Optional<ExternalEtcdFile> externalEtcd,
        List<String> ignorePreflightErrors) {

    public InitOptions {
        ignorePreflightErrors = List.copyOf(ignorePreflightErrors);
    }
}
