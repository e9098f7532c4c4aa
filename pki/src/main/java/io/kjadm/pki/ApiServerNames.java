package io.kjadm.pki;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * Everything by which clients may call the API server of one node.
 *
 * @param nodeName may be empty
 * @param dnsDomain the DNS domain of the cluster, may be empty
 * @param controlPlaneHost host of the control-plane endpoint without port and brackets, a name or
 * an IP address
 * @param serviceIp the address of the {@code kubernetes} service
 * @param extraSans names and addresses that the configuration adds
 */
public record ApiServerNames(
        String nodeName,
        String dnsDomain,
        Optional<String> controlPlaneHost,
        InetAddress serviceIp,
        InetAddress advertiseAddress,
        List<String> extraSans) {

    public ApiServerNames {
        extraSans = List.copyOf(extraSans);
    }
}
