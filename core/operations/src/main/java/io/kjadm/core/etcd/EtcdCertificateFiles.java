package io.kjadm.core.etcd;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;

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
public record EtcdCertificateFiles(Pair ca, Pair peer, Pair client) {

    /** The client of the commands on a machine that has nothing but etcd. */
    public static final String STANDALONE_CLIENT = "etcdctl-etcd-client";

    /** A certificate and its key. */
    public record Pair(Path certificate, Path key) {

        /** That of a set, in its directory. */
        public static Pair of(Path directory, CertificateSpec spec) {
            return new Pair(
                    directory.resolve(spec.certificateFile()), directory.resolve(spec.keyFile()));
        }

        /** Those of that name in a directory. */
        public static Pair named(Path directory, String base) {
            return new Pair(
                    directory.resolve(base + CertificateFiles.CERTIFICATE_SUFFIX),
                    directory.resolve(base + CertificateFiles.KEY_SUFFIX));
        }

        /** Writes a new pair: the key first, as a certificate without one passes for external. */
        public void write(HostFiles files, String certificatePem, String keyPem) {
            files.write(key, keyPem, FileMode.OWNER_ONLY);
            files.write(certificate, certificatePem, FileMode.WORLD_READABLE);
        }
    }

    /** Those of a control-plane node. */
    public static EtcdCertificateFiles stacked(Path directory) {
        return new EtcdCertificateFiles(
                Pair.of(directory, CertificateSet.named(CertificateSet.ETCD_CA)),
                Pair.of(directory, CertificateSet.named(CertificateSet.ETCD_PEER)),
                Pair.of(directory, CertificateSet.named(CertificateSet.ETCD_HEALTHCHECK_CLIENT)));
    }

    /** Those of a machine that has nothing but etcd. */
    public static EtcdCertificateFiles standalone(Path directory) {
        return new EtcdCertificateFiles(
                Pair.named(directory, "ca"),
                Pair.named(directory, "peer"),
                Pair.named(directory, STANDALONE_CLIENT));
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
