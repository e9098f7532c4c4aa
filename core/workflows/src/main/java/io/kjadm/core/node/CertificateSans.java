package io.kjadm.core.node;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.value.HostAndPort;
import io.kjadm.pki.ApiServerNames;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.NameSelection;
import io.kjadm.pki.SubjectNames;

import java.util.List;

/** By which names and addresses a node's certificates are called. */
public final class CertificateSans {

    private final ControlPlaneNode node;
    private final Reporter out;

    public CertificateSans(ControlPlaneNode node, Reporter out) {
        this.node = node;
        this.out = out;
    }

    /** The names in such a certificate; one that is neither address nor DNS name is told. */
    public SubjectNames names(CertificateSpec spec) {
        return switch (spec.names()) {
            case NONE -> SubjectNames.none();
            case CA_NAME -> SubjectNames.ofCa(spec.commonNameOn(node.name()));
            case APISERVER -> warned(spec, SubjectNames.forApiServer(apiServer()));
            case ETCD_SERVER -> warned(spec, etcd(stacked().serverCertSans()));
            case ETCD_PEER -> warned(spec, etcd(stacked().peerCertSans()));
        };
    }

    private ApiServerNames apiServer() {
        ClusterConfiguration cluster = node.cluster();
        return new ApiServerNames(
                node.name(),
                cluster.networking().dnsDomain(),
                cluster.controlPlaneEndpoint().map(HostAndPort::host),
                cluster.networking().apiServerServiceAddress(),
                node.endpoint().address(),
                cluster.apiServer().certSans());
    }

    private NameSelection etcd(List<String> extraSans) {
        return SubjectNames.forEtcd(node.name(), node.endpoint().address(), extraSans);
    }

    private LocalEtcd stacked() {
        // generate-csr makes etcd requests with external etcd too, then without extra names
        return node.cluster().etcd() instanceof LocalEtcd local ? local : LocalEtcd.DEFAULTS;
    }

    private SubjectNames warned(CertificateSpec spec, NameSelection selection) {
        selection
                .dropped()
                .forEach(name -> out.warn(
                        "name %s is left out of certificate %s: it is neither an IP address nor a DNS name"
                                .formatted(name, spec.name())));
        return selection.names();
    }
}
