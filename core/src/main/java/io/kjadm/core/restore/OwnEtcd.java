package io.kjadm.core.restore;

import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.node.StaticPodText;
import io.kjadm.etcd.recover.NodeEvidence.StartedWith;
import io.kjadm.manifests.EtcdPod;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a machine's files tell of its etcd, while a restore is under way too.
 *
 * @param state          of its member
 * @param initialCluster the members that its etcd is started with, as {@code --initial-cluster}
 *                       names them
 */
public record OwnEtcd(LocalEtcdState state, String initialCluster) {

    /** A static pod's, as its manifest tells. */
    public static OwnEtcd stacked(HostFiles files, KubernetesPaths paths) {
        return new OwnEtcd(
                RestoredControlPlane.look(files, paths),
                RestoredControlPlane.stash(files, paths)
                        .text(EtcdPod.NAME)
                        .flatMap(StaticPodText::parse)
                        .flatMap(pod -> pod.flag("initial-cluster"))
                        .orElse(""));
    }

    /** The entries of {@code --initial-cluster}. */
    public List<StartedWith> startedWith() {
        return Arrays.stream(initialCluster.split(","))
                .flatMap(OwnEtcd::startedWith)
                .toList();
    }

    private static Stream<StartedWith> startedWith(String entry) {
        int split = entry.indexOf('=');
        return split < 1
                ? Stream.empty()
                : StaticPodText.url(entry.substring(split + 1)).stream()
                        .map(url -> new StartedWith(entry.substring(0, split), url));
    }
}
