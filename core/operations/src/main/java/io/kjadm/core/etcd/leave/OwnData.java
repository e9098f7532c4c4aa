package io.kjadm.core.etcd.leave;

import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.AbsentMounts;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.restore.InterruptedRestore;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.check.DataDirectory;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What the disk of a machine tells of its member.
 *
 * @param inPlace  what the data directory holds
 * @param restore  a restore that was interrupted here, and may have set the data aside
 * @param absent   file systems that are to be mounted there, and are not
 */
public record OwnData(
        DataDirectory inPlace, Optional<InterruptedRestore> restore, List<String> absent) {

    public OwnData {
        absent = List.copyOf(absent);
    }

    /**
     * Looks.
     *
     * @param restoreWork where a restore on this machine has its journal
     */
    public static OwnData look(HostFiles files, LocalEtcdState etcd, Path restoreWork) {
        return new OwnData(
                new DataDirReader(files).read(etcd.dataDir()),
                InterruptedRestore.find(files, restoreWork, etcd.dataDir()),
                AbsentMounts.of(files, etcd.dataDir()));
    }

    /** The member whose data a restore has set aside, or was about to. */
    Optional<MemberId> setAside() {
        return restore.flatMap(found -> found.member(inPlace));
    }

    /**
     * What is left of a cluster where nobody answers: nothing, if this machine's etcd never came up. A
     * restore that was interrupted shows that it had, and a disk that is not mounted may have its
     * data.
     *
     * @param silence why nobody is asked
     */
    public RemovalState whereNobodyAnswers(LocalEtcdState etcd, RemovalState silence) {
        if (!etcd.neverStarted() || restore.isPresent()) {
            return silence;
        }
        return absent.isEmpty()
                ? new RemovalState.Removed()
                : RemovalState.blocked(
                        RemovalState.Reason.UNREACHABLE,
                        "it is unknown whether this machine's etcd has ever started",
                        "fstab or a unit of systemd says that %s is a mount, and nothing is mounted there: it may hold etcd's data"
                                .formatted(String.join(", ", absent)),
                        "mount it, and start etcd");
    }
}
