package io.kjadm.core.journal;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.check.WalReader;
import io.kjadm.manifests.EtcdPod;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;

/** The data of the etcd that the kubelet of this node runs. */
record StackedEtcdData(HostFiles files, KubernetesPaths paths) {

    /**
     * The member that they are of; empty without etcd's manifest, without data, and if they cannot
     * be read.
     */
    Optional<MemberIds> ids() {
        if (!files.exists(paths.manifest(EtcdPod.NAME))) {
            return Optional.empty();
        }
        try {
            return files
                    .list(directory().resolve(KubernetesPaths.ETCD_MEMBER).resolve("wal"))
                    .stream()
                    .filter(path -> path.toString().endsWith(".wal"))
                    .findFirst()
                    .flatMap(this::ids);
        } catch (HostException e) {
            return Optional.empty();
        }
    }

    private Path directory() {
        return StaticPodText.of(files, paths, EtcdPod.NAME)
                .flatMap(pod -> pod.hostPath(EtcdPod.DATA_VOLUME))
                .orElse(KubernetesPaths.ETCD_DATA_DIR);
    }

    private Optional<MemberIds> ids(Path log) {
        try (InputStream records = files.open(log)) {
            return Optional.of(WalReader.read(records).ids());
        } catch (WalReader.DamagedException | IOException e) {
            return Optional.empty();
        }
    }
}
