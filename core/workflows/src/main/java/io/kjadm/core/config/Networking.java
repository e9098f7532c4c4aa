package io.kjadm.core.config;

import io.kjadm.core.value.Cidr;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * The cluster's networks.
 *
 * @param serviceSubnet one CIDR, or one of each family separated by a comma
 * @param podSubnet likewise; absent leaves pod addresses to the network plugin
 */
public record Networking(String serviceSubnet, Optional<String> podSubnet, String dnsDomain) {

    public static final Networking DEFAULTS =
            new Networking("10.96.0.0/12", Optional.empty(), "cluster.local");

    /** The service networks, in the order given. */
    public List<Cidr> serviceCidrs() {
        return Cidr.parseList(serviceSubnet);
    }

    /** The pod networks, in the order given. */
    public List<Cidr> podCidrs() {
        return podSubnet.map(Cidr::parseList).orElse(List.of());
    }

    /** The address of the service {@code kubernetes}: the first one of the first network. */
    public InetAddress apiServerServiceAddress() {
        return serviceCidrs().getFirst().address(1);
    }

    /** The address of the cluster DNS: the tenth one of the first network. */
    public InetAddress dnsAddress() {
        return serviceCidrs().getFirst().address(10);
    }
}
