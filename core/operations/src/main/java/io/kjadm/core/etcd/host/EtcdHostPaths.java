package io.kjadm.core.etcd.host;

import io.kjadm.core.snapshot.SnapshotStores;
import io.kjadm.manifests.StandaloneEtcd;

import java.nio.file.Path;

/**
 * Where things are on a machine that has nothing but etcd, apart from what flags say.
 *
 * @param etcDir   {@code /etc/etcd}: environment files, certificates
 * @param unitDir  of systemd
 * @param stateDir what commands remember
 * @param cacheDir releases that were downloaded
 */
public record EtcdHostPaths(Path etcDir, Path unitDir, Path stateDir, Path cacheDir) {

    /** Default of {@code --install-dir}. */
    public static final Path INSTALL_DIR = Path.of("/opt/bin");

    /** Where things are. */
    public static EtcdHostPaths standard() {
        return new EtcdHostPaths(
                Path.of("/etc/etcd"),
                Path.of("/etc/systemd/system"),
                Path.of("/var/lib/kjadm/etcd"),
                Path.of("/var/cache/kjadm/etcd"));
    }

    /** Default of {@code --certs-dir}. */
    public Path certificatesDir() {
        return etcDir.resolve("pki");
    }

    /** The environment of the unit: etcd's flags. */
    public Path environment() {
        return etcDir.resolve("etcd.env");
    }

    /** The environment of {@code etcdctl}. */
    public Path etcdctlEnvironment() {
        return etcDir.resolve("etcdctl.env");
    }

    /** What {@code kjadm init --external-etcd} takes. */
    public Path externalEtcd() {
        return etcDir.resolve("external-etcd.yaml");
    }

    /** The unit. */
    public Path unit() {
        return unitDir.resolve(StandaloneEtcd.UNIT + ".service");
    }

    /** The drop-in of the unit that keeps it from being started while its data are exchanged. */
    public Path holdDropIn() {
        return unitDir.resolve(StandaloneEtcd.UNIT + ".service.d/90-kjadm-hold.conf");
    }

    /** The drop-in of the unit by which the automatic mode checks each start. */
    public Path startCheckDropIn() {
        return unitDir.resolve(StandaloneEtcd.UNIT + ".service.d/50-kjadm-auto.conf");
    }

    /** What the automatic mode remembers of the disk of this machine's member. */
    public Path diskNote() {
        return stateDir.resolveSibling("etcd-auto/disk.json");
    }

    /** Which clusters the one of this machine was restored from. */
    public Path lineage() {
        return stateDir.resolveSibling("etcd-lineage.json");
    }

    /** Where the snapshot of a cluster that has ended is kept: the default store. */
    public Path snapshotsDir() {
        return stateDir.getParent().resolveSibling(SnapshotStores.DEFAULT.getFileName());
    }

    /** What was asked for, and how far it came. */
    public Path memberFile() {
        return stateDir.resolve("member.json");
    }

    /** Where a change of the version has its journal, what it exchanged, and its snapshot. */
    public Path upgradeDir() {
        return stateDir.resolve("upgrades");
    }

    /** Of the stage of a rotation of the CA that this machine is entering. */
    public Path rotationJournal() {
        return stateDir.resolve("ca-rotation.json");
    }

    /** Of a change of the version that has not ended. */
    public Path unfinishedUpgradeDir() {
        return upgradeDir().resolve("kjadm-upgrade");
    }

    /** Where a restore of the data that has not ended has its journal, and what was before. */
    public Path restoreDir() {
        return stateDir.resolve("restore");
    }

    /** The snapshot that the data of a member that begins are to be made of. */
    public Path fetchedSnapshot() {
        return restoreDir().resolve("snapshot.db");
    }

    /** Its name; is there once it is whole. */
    public Path fetchedSnapshotName() {
        return restoreDir().resolve("snapshot");
    }

    /** The program that runs {@code etcdctl}. */
    public Path etcdctlWrapper(Path installDir) {
        return installDir.resolve("etcdctl.sh");
    }
}
