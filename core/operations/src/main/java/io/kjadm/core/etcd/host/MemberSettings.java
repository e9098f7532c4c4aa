package io.kjadm.core.etcd.host;

import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.manifests.ImageVersion;
import io.kjadm.manifests.StandaloneEtcd.Directories;

import java.net.InetAddress;
import java.net.URI;
import java.util.List;

/**
 * What a member of an etcd of its own is like.
 *
 * @param name           by which etcd lists it
 * @param address        of this machine, by which others reach it
 * @param serverCertSans further names and addresses in its server certificate
 * @param unitSettings   lines for the section {@code [Service]} of its unit
 */
public record MemberSettings(
        String name,
        EtcdVersion version,
        InetAddress address,
        Directories directories,
        List<String> serverCertSans,
        List<String> unitSettings) {

    public MemberSettings {
        serverCertSans = List.copyOf(serverCertSans);
        unitSettings = List.copyOf(unitSettings);
    }

    /** Where other members reach it. */
    public URI peerUrl() {
        return EtcdUrls.peer(address);
    }

    /** Where clients reach it. */
    public URI clientUrl() {
        return EtcdUrls.client(address);
    }

    public ImageVersion release() {
        return new ImageVersion(version.major(), version.minor(), version.patch());
    }
}
