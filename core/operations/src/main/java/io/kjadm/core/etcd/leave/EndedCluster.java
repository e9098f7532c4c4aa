package io.kjadm.core.etcd.leave;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.restore.DatabaseReader;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/** A cluster that was to end with this machine's member, by the word of a reset that was killed. */
public final class EndedCluster {

    private final HostFiles files;
    private final EtcdClients clients;
    private final Reporter out;

    public EndedCluster(HostFiles files, EtcdClients clients, Reporter out) {
        this.files = files;
        this.clients = clients;
        this.out = out;
    }

    /**
     * Whether it has got another voter since: the run was killed before it stopped etcd.
     *
     * @param noted by the reset
     */
    public boolean goesOn(LocalEtcdState etcd, Optional<ResetEntry> noted) {
        return noted.filter(entry -> entry.state() == ResetState.REMOVED)
                        .flatMap(ResetEntry::snapshot)
                        .isPresent()
                && members(etcd).stream().filter(Member::voter).count() > 1;
    }

    /** As this machine's etcd lists them, or its database where that does not respond. */
    private List<Member> members(LocalEtcdState etcd) {
        try (EtcdCluster own =
                clients.connect(clients.to(etcd.clientUrls(), etcd.certificatesDir()))) {
            Optional<URI> url = etcd.localClientUrls().stream().findFirst();
            if (url.isPresent()) {
                return own.membersKnownTo(url.get());
            }
        } catch (EtcdCallException | HostException e) {
            out.detail("reset: this machine's etcd does not respond: " + e.getMessage());
        }
        return DatabaseReader.membersIn(files, etcd.dataDir().resolve(KubernetesPaths.ETCD_MEMBER));
    }
}
