package io.kjadm.core.etcd;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.pki.CertificateSet;

import java.nio.file.Path;

/**
 * The certificates of an etcd member in a directory: those of a control-plane node are below
 * {@code etcd/} in it and named as kubeadm names them, those of a machine that has nothing but etcd
 * are in it, named as etcdadm named them.
 *
 * @param ca     of the members and their clients
 * @param peer   that members show to each other
 * @param client that the commands show to etcd
 */
public record EtcdCertificateFiles(
        CertificatePair ca, CertificatePair peer, CertificatePair client) {

    /** The client of the commands on a machine that has nothing but etcd. */
    public static final String STANDALONE_CLIENT = "etcdctl-etcd-client";

    /** Those of a control-plane node. */
    public static EtcdCertificateFiles stacked(Path directory) {
        return new EtcdCertificateFiles(
                CertificatePair.of(directory, CertificateSet.named(CertificateSet.ETCD_CA)),
                CertificatePair.of(directory, CertificateSet.named(CertificateSet.ETCD_PEER)),
                CertificatePair.of(
                        directory, CertificateSet.named(CertificateSet.ETCD_HEALTHCHECK_CLIENT)));
    }

    /** Those of a machine that has nothing but etcd. */
    public static EtcdCertificateFiles standalone(Path directory) {
        return new EtcdCertificateFiles(
                CertificatePair.named(directory, "ca"),
                CertificatePair.named(directory, "peer"),
                CertificatePair.named(directory, STANDALONE_CLIENT));
    }

    /** The certificate key of a CA's rotation, from its first stage on this machine to its last. */
    public static Path rotationKey(CertificatePair ca) {
        return ca.key().resolveSibling("ca-rotation.key");
    }

    /** Whichever are in the directory; a control-plane node's if none is. */
    public static EtcdCertificateFiles in(HostFiles files, Path directory) {
        EtcdCertificateFiles stacked = stacked(directory);
        EtcdCertificateFiles standalone = standalone(directory);
        // a control-plane node's directory has a ca.crt, too: that of Kubernetes
        return !files.exists(stacked.ca().certificate())
                        && files.exists(standalone.client().certificate())
                ? standalone
                : stacked;
    }
}
