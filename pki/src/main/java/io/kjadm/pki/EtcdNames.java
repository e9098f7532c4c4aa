package io.kjadm.pki;

import java.net.InetAddress;
import java.util.List;

/**
 * Everything by which clients and members may call the etcd member of one node, besides its
 * loopback addresses.
 *
 * @param nodeName may be empty
 * @param extraSans names and addresses that the configuration adds to this certificate
 */
public record EtcdNames(String nodeName, InetAddress advertiseAddress, List<String> extraSans) {

    public EtcdNames {
        extraSans = List.copyOf(extraSans);
    }
}
