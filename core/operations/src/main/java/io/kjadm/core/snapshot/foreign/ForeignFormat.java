package io.kjadm.core.snapshot.foreign;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Who has written a snapshot. */
public enum ForeignFormat {
    /** {@code etcdctl snapshot save}, or any other that keeps what etcd sends. */
    ETCDCTL,
    /** A member's data directory, or a copy of it: kubeadm makes one before it upgrades etcd. */
    DATADIR,
    /** k3s and RKE2: {@code etcd-snapshot-NODE-SECONDS}, perhaps in a zip archive. */
    K3S,
    /** etcd-manager: {@code etcd.backup.gz} with {@code _etcd_backup.meta} beside it. */
    ETCD_MANAGER,
    /** Gardener's etcd-backup-restore: {@code Full-FROM-TO-SECONDS}, perhaps compressed. */
    GARDENER;

    /** As it is typed. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The format of a word; empty if it is none. */
    public static Optional<ForeignFormat> of(String word) {
        return Arrays.stream(values())
                .filter(format -> format.word().equals(word))
                .findFirst();
    }

    /** All words, for a message. */
    public static String words() {
        return Arrays.stream(values()).map(ForeignFormat::word).collect(Collectors.joining(", "));
    }
}
