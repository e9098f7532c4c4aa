package io.kjadm.core.config;

import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.Member;
import io.kjadm.pki.PrivateKeyPem;

import java.net.URI;
import java.util.List;

/**
 * Asks an external etcd for its voters, as the file that tells of it may be older than some of
 * them.
 */
public final class ExternalEtcdMembers {

    private final EtcdConnector connector;
    private final Reporter out;

    public ExternalEtcdMembers(EtcdConnector connector, Reporter out) {
        this.connector = connector;
        this.out = out;
    }

    /** The cluster with the client URLs of all voters, or with those of the file if none answers. */
    public ClusterConfiguration in(ClusterConfiguration cluster, ExternalEtcdFile file) {
        return cluster.etcd() instanceof ExternalEtcd external
                ? cluster.withEtcd(withMembers(external, file))
                : cluster;
    }

    private ExternalEtcd withMembers(ExternalEtcd external, ExternalEtcdFile file) {
        EtcdAccess access = new EtcdAccess(
                file.endpoints(),
                file.caPem(),
                file.certPem(),
                PrivateKeyPem.toPkcs8(file.keyPem()));
        try (EtcdCluster etcd = connector.connect(access)) {
            List<URI> voters = etcd.members().stream()
                    .filter(Member::voter)
                    .flatMap(member -> member.clientUrls().stream())
                    .distinct()
                    .toList();
            if (voters.isEmpty()) {
                return external;
            }
            out.step("init", "Using etcd at " + voters);
            return new ExternalEtcd(
                    voters, voters, external.caFile(), external.certFile(), external.keyFile());
        } catch (EtcdCallException e) {
            out.warn("etcd at %s did not report its members: %s"
                    .formatted(file.endpoints(), e.text()));
            return external;
        }
    }
}
