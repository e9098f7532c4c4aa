package io.kjadm.core.etcd.leave;

import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Reporter;

import java.time.Instant;

/** What a reset of a node does with the journals of others, without the rest of it. */
public final class EndedJournals {

    private EndedJournals() {}

    /** Ends those of the member that leaves. */
    public static void end(HostFiles files, Instant now, Reporter out) {
        KubernetesPaths paths = KubernetesPaths.standard();
        new LeftJournals(files).remove(paths, LocalEtcdState.look(files, paths), now, out);
    }
}
