package io.kjadm.core.simulation;

import io.kjadm.core.auto.AutoStage;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.model.Violation;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The disks of an {@link AutoMachine}: the one that is mounted for etcd's data, which may be late, and
 * the data that were moved aside.
 */
final class AutoDisks {

    private static final String ROOT = "24 1 254:1 / / rw - ext4 /dev/vda1 rw\n";
    private static final String MOUNTED = "77 24 254:16 / /var/lib/etcd rw - xfs /dev/vdb rw\n";

    private final Host host;
    /** What is on the disk while it is not mounted. */
    private final MemoryFiles disk = new MemoryFiles();
    /** The index of the data that were moved aside, by the member's ID. */
    private final Map<MemberId, Long> aside = new HashMap<>();
    /** What the machine was before its member of a generation was stopped for good. */
    private final Map<AutoGeneration, Image> kept = new HashMap<>();

    /** What they hold at a moment. */
    record Image(MemoryFiles files, Optional<MemberId> data, long owner, long lastIndex) {}

    AutoDisks(Host host) {
        this.host = host;
        mounts(ROOT + MOUNTED);
    }

    /** How far the data are. */
    long index() {
        return Math.max(
                host.lastIndex,
                aside.values().stream().mapToLong(Long::longValue).max().orElse(0));
    }

    Image image() {
        host.data.ifPresent(_ -> host.writeLog(host.lastIndex));
        return new Image(new MemoryFiles().with(host.files), host.data, host.owner, host.lastIndex);
    }

    /**
     * They hold again what they held before; whether the data are older than those that were here.
     *
     * @param whole the one with the memory of the daemon, too
     */
    boolean putBack(Image then, boolean whole) {
        if (whole) {
            host.files.deleteTree(Path.of("/"));
            host.files.with(then.files());
        } else {
            host.files.deleteTree(Host.DATA);
            then.files().files().stream()
                    .filter(file -> file.startsWith(Host.DATA))
                    .forEach(file -> host.files.write(
                            file, then.files().readBytes(file).orElseThrow(), FileMode.OWNER_ONLY));
        }
        boolean older = !then.data().equals(host.data) || then.lastIndex() < host.lastIndex;
        host.data = then.data();
        host.owner = then.owner();
        host.lastIndex = then.lastIndex();
        host.looked();
        return older;
    }

    /** They hold what those of another machine hold now. */
    void copy(AutoDisks original) {
        Image now = original.image();
        host.files.deleteTree(Path.of("/"));
        host.files.with(now.files());
        host.data = now.data();
        host.owner = now.owner();
        host.lastIndex = now.lastIndex();
        host.looked();
        aside.putAll(original.aside);
    }

    /** The disk of its member is the same, and nothing else is left. */
    void newRoot() {
        host.writeLog(host.lastIndex);
        host.files.delete(Host.ETCD);
        host.files.deleteTree(AutoStage.NOTE.getParent());
        host.files.deleteTree(SimulatedSteps.SET_UP.getParent());
        host.files.deleteTree(Host.PATHS.tmpDir());
        host.looked();
    }

    /** etcd is not started on a disk that lacks the data: the start check sees that. */
    void lose(long now) {
        if (host.data.isPresent() && !host.unmounted) {
            host.loseDisk(now);
        }
    }

    /** The disk of its member is not mounted at the next boot. */
    void unmount() {
        if (host.unmounted || !host.files.exists(AutoStage.NOTE)) {
            return;
        }
        host.data.ifPresent(_ -> host.writeLog(host.lastIndex));
        host.unmounted = true;
        move(host.files, disk);
        mounts(ROOT);
    }

    void mount() {
        if (host.unmounted) {
            host.unmounted = false;
            move(disk, host.files);
            mounts(ROOT + MOUNTED);
        }
    }

    /** Each is in the other's machine at the next boot. */
    void swap(AutoDisks other) {
        Image own = image();
        Image its = other.image();
        holds(its);
        other.holds(own);
    }

    private void holds(Image data) {
        move(data.files(), host.files);
        host.data = data.data();
        host.owner = data.owner();
        host.lastIndex = data.lastIndex();
        host.looked();
    }

    private void mounts(String table) {
        host.files.with("/proc/self/mountinfo", table);
    }

    private static void move(MemoryFiles from, MemoryFiles to) {
        to.deleteTree(KubernetesPaths.ETCD_DATA_DIR);
        from.files().stream()
                .filter(file -> file.startsWith(KubernetesPaths.ETCD_DATA_DIR))
                .forEach(file ->
                        to.write(file, from.readBytes(file).orElseThrow(), FileMode.OWNER_ONLY));
        from.deleteTree(KubernetesPaths.ETCD_DATA_DIR);
    }

    /** The data of the member are about to be moved aside. */
    void movesAside() {
        host.data.ifPresent(id -> aside.put(id, host.lastIndex));
    }

    /** The member of a generation is about to be stopped for good. */
    void keep(AutoGeneration generation) {
        Image now = image();
        Image before = kept.putIfAbsent(generation, now);
        if (before != null && now.data().isPresent()) {
            // the way back was cut, and etcd has run since; what was moved first is not there
            before.files().deleteTree(Host.DATA);
            now.files().files().stream()
                    .filter(file -> file.startsWith(Host.DATA))
                    .forEach(file -> before.files()
                            .write(
                                    file,
                                    now.files().readBytes(file).orElseThrow(),
                                    FileMode.OWNER_ONLY));
            kept.put(
                    generation,
                    new Image(before.files(), now.data(), now.owner(), now.lastIndex()));
        }
    }

    boolean keeps(AutoGeneration generation) {
        return kept.containsKey(generation);
    }

    /** Everything of that member is where it was. */
    void putBack(AutoGeneration generation, List<Path> settings) {
        Image then = kept.get(generation);
        then.files().files().stream()
                .filter(file -> file.startsWith(Host.DATA)
                        || file.getParent().equals(KubernetesPaths.ETCD_DATA_DIR)
                        || settings.contains(file))
                .forEach(file -> host.files.write(
                        file, then.files().readBytes(file).orElseThrow(), FileMode.OWNER_ONLY));
        host.data = then.data();
        host.owner = then.owner();
        host.lastIndex = then.lastIndex();
        then.data().ifPresent(aside::remove);
        host.looked();
    }

    void forget(AutoGeneration generation) {
        kept.remove(generation);
    }

    /** How far the data are, of those that were moved aside, that a flag names. */
    long indexAt(String flag) {
        return aside.entrySet().stream()
                .filter(it -> flag.contains("/var/lib/etcd." + it.getKey() + "/"))
                .findFirst()
                .map(Map.Entry::getValue)
                .orElseThrow(() -> new Violation("no data at " + flag));
    }
}
