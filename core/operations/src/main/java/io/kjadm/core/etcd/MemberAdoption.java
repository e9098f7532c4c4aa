package io.kjadm.core.etcd;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.MemberIds;

import java.time.Instant;
import java.util.Optional;

/**
 * Writes the {@link MemberMarker} of a member of this machine that kubeadm, another program or an
 * earlier release has set up: once its etcd is seen to run with the data in its directory, and to be
 * listed by its cluster.
 */
public final class MemberAdoption {

    private static final String AREA = "etcd";

    private final HostFiles files;
    private final Reporter out;

    public MemberAdoption(HostFiles files, Reporter out) {
        this.files = files;
        this.out = out;
    }

    /**
     * Marks the data directory, unless it is marked or something speaks against it. That it cannot
     * be marked is no error: an unmarked directory proves less when it is found empty, and no more.
     *
     * @param cluster asked at this machine's own client URLs, and for the list
     * @param etcd    of this machine
     */
    public void mark(EtcdCluster cluster, LocalEtcdState etcd, Instant now) {
        if (etcd.external() || !etcd.data()) {
            return;
        }
        try {
            Optional<MemberIds> data = new DataDirReader(files)
                    .idsIn(etcd.dataDir().resolve(KubernetesPaths.ETCD_MEMBER));
            if (data.isPresent()
                    && !MemberMarker.tells(files, etcd.dataDir(), data.get())
                    && data.equals(etcd.ownStatus(cluster)
                            .map(status -> new MemberIds(status.clusterId(), status.memberId())))
                    && cluster.members().stream()
                            .anyMatch(member -> member.id().equals(data.get().memberId()))) {
                MemberMarker.write(
                        files, etcd.dataDir(), data.get().memberId(), data.get().clusterId(), now);
            }
        } catch (EtcdCallException | HostException e) {
            out.detail("%s: the data directory was not marked: %s".formatted(AREA, e.getMessage()));
        }
    }
}
