package io.kjadm.core.standalone;

import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;

import java.net.URI;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** The members of this machine's cluster, those included that came after its own. */
public final class OtherMembers {

    private OtherMembers() {}

    /** Access to all that are known, by this machine's files and, if etcd answers, by its list. */
    public static EtcdAccess known(EtcdClients clients, LocalEtcdState etcd, Reporter out) {
        EtcdAccess own = clients.access(etcd, Optional.empty(), out);
        Set<URI> urls = new LinkedHashSet<>(own.endpoints());
        try (EtcdCluster cluster = clients.connect(own)) {
            cluster.members().forEach(member -> urls.addAll(member.clientUrls()));
        } catch (EtcdCallException e) {
            out.detail("etcd: its members cannot be listed: " + e.text());
        }
        return clients.to(urls, etcd.certificatesDir());
    }
}
