package io.kjadm.core.node;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.ExternalEtcd;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The files that all control-plane nodes share, as entries of the Secret {@code kubeadm-certs}.
 */
public final class SharedCertificates {

    private SharedCertificates() {}

    /** The file of each entry; empty where the configuration names none. */
    public static Map<String, Optional<Path>> files(
            ClusterConfiguration cluster, KubernetesPaths paths) {
        Map<String, Optional<Path>> entries = new LinkedHashMap<>();
        addPair(entries, paths, CertificateSet.CA);
        addPair(entries, paths, CertificateSet.FRONT_PROXY_CA);
        entries.put(
                CertificateFiles.SERVICE_ACCOUNT_PUBLIC_KEY,
                Optional.of(paths.certificate(CertificateFiles.SERVICE_ACCOUNT_PUBLIC_KEY)));
        entries.put(
                CertificateFiles.SERVICE_ACCOUNT_PRIVATE_KEY,
                Optional.of(paths.certificate(CertificateFiles.SERVICE_ACCOUNT_PRIVATE_KEY)));
        switch (cluster.etcd()) {
            case LocalEtcd ignored -> addPair(entries, paths, CertificateSet.ETCD_CA);
            case ExternalEtcd external -> {
                entries.put("external-etcd-ca.crt", external.caFile());
                entries.put("external-etcd.crt", external.certFile());
                entries.put("external-etcd.key", external.keyFile());
            }
        }
        return entries;
    }

    private static void addPair(
            Map<String, Optional<Path>> entries, KubernetesPaths paths, String name) {
        CertificateSpec spec = CertificateSet.named(name);
        // entries carry the path with dashes: etcd/ca.crt is etcd-ca.crt
        entries.put(
                spec.certificateFile().replace('/', '-'),
                Optional.of(paths.certificate(spec.certificateFile())));
        entries.put(
                spec.keyFile().replace('/', '-'), Optional.of(paths.certificate(spec.keyFile())));
    }
}
