package io.kjadm.core.etcd.host;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.etcd.recover.NodeEvidence.StartedWith;
import io.kjadm.manifests.EtcdPod;

import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How etcd runs on this machine: as a static pod of the kubelet, or as a service of systemd. A
 * program chooses once, with {@link #on}; each operation on a member takes what was chosen.
 */
public sealed interface EtcdHost permits StaticPodEtcd, SystemdEtcd {

    /** A machine's etcd: a static pod comes first, and is meant where there is no etcd at all. */
    static EtcdHost on(Machine machine) {
        StaticPodEtcd pod = new StaticPodEtcd(machine, KubernetesPaths.standard());
        SystemdEtcd service = new SystemdEtcd(machine, EtcdHostPaths.standard());
        return !machine.files().exists(KubernetesPaths.standard().manifest(EtcdPod.NAME))
                        && service.known()
                ? service
                : pod;
    }

    /** The machine; a dry run only reports what would be changed. */
    Machine machine();

    /**
     * What the files tell of the member, also while a restore keeps some of them.
     *
     * @throws HostException if there is no member of a standalone etcd
     */
    LocalEtcdState state();

    /** The value of {@code --initial-cluster} that etcd is started with; empty if none is known. */
    String initialCluster();

    /** The members that it names, this machine's too; they may have changed since. */
    default List<StartedWith> startedWith() {
        return Arrays.stream(initialCluster().split(","))
                .flatMap(EtcdHost::entry)
                .toList();
    }

    private static Stream<StartedWith> entry(String entry) {
        int split = entry.indexOf('=');
        return split < 1
                ? Stream.empty()
                : StaticPodText.url(entry.substring(split + 1)).stream()
                        .map(url -> new StartedWith(entry.substring(0, split), url));
    }

    /** The kubeconfig whose API server lists the members, if one does. */
    Optional<Path> kubeconfig();

    /** Where a restore keeps its journal, and what it replaces apart from the data. */
    Path restoreDir();

    /** The journal of a restore. */
    default Path restoreJournal() {
        return restoreDir().resolve("journal.json");
    }

    /** Where it is noted which clusters this machine's was restored from. */
    Path lineage();

    /** Where etcd serves its metrics, as soon as its database is loaded. */
    URI metrics();

    /** Where to see why etcd does not serve, as advice. */
    String logHint();
}
