package io.kjadm.core.simulation;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** What every machine proves itself with. */
final class Credentials {

    private static final Validity VALIDITY =
            Validity.startingAt(Instant.parse("2026-02-01T00:00:00Z"), Duration.ofDays(90));
    private static final CertificateAuthority CA =
            CertificateAuthority.create("etcd-ca", KeyAlgorithm.ECDSA_P256, VALIDITY);
    private static final IssuedCertificate CLIENT = CA.issue(
            CertificateSet.named(CertificateSet.ETCD_HEALTHCHECK_CLIENT)
                    .requestFor("", SubjectNames.none()),
            KeyAlgorithm.ECDSA_P256,
            VALIDITY);
    private static final String ADMIN_CONF = """
            apiVersion: v1
            kind: Config
            clusters: [{name: k, cluster: {server: "https://cluster.example:6443"}}]
            contexts: [{name: c, context: {cluster: k, user: u}}]
            current-context: c
            users: [{name: u, user: {token: t}}]
            """;

    private Credentials() {}

    static void onto(MemoryFiles files) {
        write(files, "/etc/kubernetes/admin.conf", ADMIN_CONF);
        write(files, "/etc/kubernetes/pki/etcd/ca.crt", CA.certificatePem());
        write(files, "/etc/kubernetes/pki/etcd/healthcheck-client.crt", CLIENT.certificatePem());
        write(files, "/etc/kubernetes/pki/etcd/healthcheck-client.key", CLIENT.keyPem());
    }

    private static void write(MemoryFiles files, String path, String text) {
        files.write(Path.of(path), text, FileMode.OWNER_ONLY);
    }
}
