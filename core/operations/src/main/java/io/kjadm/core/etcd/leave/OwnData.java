package io.kjadm.core.etcd.leave;

import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.restore.InterruptedRestore;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.check.DataDirectory;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What the disk of a machine tells of its member.
 *
 * @param inPlace  what the data directory holds
 * @param restore  a restore that was interrupted here, and may have set the data aside
 */
public record OwnData(DataDirectory inPlace, Optional<InterruptedRestore> restore) {

    /**
     * Looks.
     *
     * @param restoreWork where a restore on this machine has its journal
     */
    public static OwnData look(HostFiles files, LocalEtcdState etcd, Path restoreWork) {
        return new OwnData(
                new DataDirReader(files).read(etcd.dataDir()),
                InterruptedRestore.find(files, restoreWork, etcd.dataDir()));
    }

    /** The member whose data a restore has set aside, or was about to. */
    Optional<MemberId> setAside() {
        return restore.flatMap(found -> found.member(inPlace));
    }

    /**
     * Whether this machine's etcd may never have come up. A restore that was interrupted shows that
     * it had.
     */
    public boolean neverStarted(LocalEtcdState etcd) {
        return etcd.neverStarted() && restore.isEmpty();
    }
}
