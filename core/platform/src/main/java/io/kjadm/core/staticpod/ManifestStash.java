package io.kjadm.core.staticpod;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.manifests.EtcdPod;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A place where manifests are out of the kubelet's sight, to be put back if the run does not go on.
 * What lies there after a crash tells the next run what the node was; the journal beside them tells
 * how far the run came.
 */
public final class ManifestStash {

    private final HostFiles files;
    private final KubernetesPaths paths;
    private final Path place;

    /**
     * @param paths where the kubelet finds manifests
     * @param place a directory of the run's own, which need not exist
     */
    public ManifestStash(HostFiles files, KubernetesPaths paths, Path place) {
        this.files = files;
        this.paths = paths;
        this.place = place;
    }

    /** Where the journal is. */
    public Path journal() {
        return place.resolve("journal.json");
    }

    /** The manifest of a component, wherever it is. */
    public Optional<String> text(String component) {
        return files.read(paths.manifest(component)).or(() -> files.read(aside(component)));
    }

    private Path aside(String component) {
        return place.resolve(component + ".yaml");
    }

    /** Takes a manifest out, so that the kubelet stops its pod. */
    public void takeOut(String component) {
        if (files.exists(paths.manifest(component))) {
            files.createDirectory(place, FileMode.PRIVATE_DIRECTORY);
            files.delete(aside(component));
            move(paths.manifest(component), aside(component));
        }
    }

    /**
     * The same for one that was written since another was taken out, which stays what it was. The
     * newer one is kept in another directory.
     *
     * @return where it is, if it was moved there
     */
    public Optional<Path> withdraw(String component, Path directory) {
        if (!files.exists(aside(component))) {
            takeOut(component);
            return Optional.empty();
        }
        if (!files.exists(paths.manifest(component))) {
            return Optional.empty();
        }
        Path newer = directory.resolve(component + ".yaml");
        files.createDirectory(directory, FileMode.PRIVATE_DIRECTORY);
        move(paths.manifest(component), newer);
        return Optional.of(newer);
    }

    /** Whether one was taken out and is kept here. */
    public Optional<String> takenOut(String component) {
        return files.read(aside(component));
    }

    /** Puts it back. */
    public void putBack(String component) {
        if (files.exists(aside(component)) && !files.exists(paths.manifest(component))) {
            move(aside(component), paths.manifest(component));
        }
    }

    /** The manifests may be a mount of their own, which nothing can be renamed out of. */
    private void move(Path from, Path to) {
        try {
            files.rename(from, to);
        } catch (HostException e) {
            files.write(to, files.readBytes(from).orElseThrow(() -> e), FileMode.OWNER_ONLY);
            files.delete(from);
        }
    }

    /** Whether etcd's manifest is where the kubelet finds it. */
    public boolean etcdInPlace() {
        return inPlace(EtcdPod.NAME);
    }

    /** Whether a component's is. */
    public boolean inPlace(String component) {
        return files.exists(paths.manifest(component));
    }

    /**
     * Forgets everything that is kept here, the journal last: without the manifests it still tells
     * how it stands.
     */
    public void discard() {
        files.list(place).stream()
                .filter(Predicate.not(journal()::equals))
                .toList()
                .forEach(files::delete);
        files.delete(journal());
        files.delete(place);
    }
}
