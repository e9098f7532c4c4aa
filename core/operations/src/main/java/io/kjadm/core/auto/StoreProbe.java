package io.kjadm.core.auto;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.ObjectStore.Put;
import io.kjadm.store.ObjectStore.StoredObject;
import io.kjadm.store.StoreException;
import io.kjadm.store.StoreUrl;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Whether a store does what the log needs: it takes one object for a key, and everybody reads that one
 * from then on. It shows nothing of a store that is changed later, or of copies that follow late.
 */
public final class StoreProbe {

    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
    private static final Set<String> NFS = Set.of("nfs", "nfs4");
    /** What the kernel shows for {@code lookupcache=positive}, {@code none} and {@code noac}. */
    private static final Set<String> FRESH_LOOKUPS =
            Set.of("lookupcache=pos", "lookupcache=positive", "lookupcache=none", "noac");

    private static final int MOUNT_POINT = 4;
    private static final int WRITERS = 8;
    private static final int TRIES = 20;
    private static final int LIMIT = 100;

    private final ObjectStore store;
    private final HostFiles files;
    private final RandomGenerator random;

    public StoreProbe(ObjectStore store, HostFiles files, RandomGenerator random) {
        this.store = store;
        this.files = files;
        this.random = random;
    }

    /**
     * Tries it out, below a name that nobody else uses.
     *
     * @throws ClusterException if the store does not do it, or does not respond
     */
    public void check() {
        lateMount().ifPresent(mount -> {
            throw new ClusterException(
                    "%s cannot hold the log of a cluster".formatted(store.location()),
                    "%s is mounted by NFS in a way that shows new files late".formatted(mount),
                    "mount it with lookupcache=positive on every machine");
        });
        String folder = AutoObjects.PROBES + HexFormat.of().toHexDigits(random.nextLong()) + "/";
        try {
            Optional<String> fault = fault(folder);
            store.list(folder).forEach(object -> store.delete(object.key()));
            fault.ifPresent(why -> {
                throw new ClusterException(
                        "%s cannot hold the log of a cluster".formatted(store.location()),
                        why,
                        "use a store that creates an object only if there is none");
            });
        } catch (StoreException e) {
            throw new ClusterException(
                    e.what(), e.why(), "check the store, and the access that this machine has", e);
        }
    }

    private Optional<String> fault(String folder) {
        String one = folder + "one";
        if (put(one, "first") != Put.CREATED) {
            return Optional.of("an object was not created");
        }
        if (!isThere(one, "first")) {
            return Optional.of("an object is not read after it was created");
        }
        if (!store.list(folder).stream().map(StoredObject::key).toList().equals(List.of(one))) {
            return Optional.of("an object is not listed after it was created");
        }
        if (put(one, "second") != Put.EXISTS || !isThere(one, "first")) {
            return Optional.of("an object was created where there was one");
        }
        store.replace(one, bytes("third"));
        if (!isThere(one, "third")) {
            return Optional.of("an object is not read after it was replaced");
        }
        store.delete(one);
        if (store.read(one, LIMIT).isPresent() || put(one, "fourth") != Put.CREATED) {
            return Optional.of("an object was there after it was deleted");
        }
        return race(folder + "race");
    }

    /** A store that is busy is asked again, as the log does. */
    private Put put(String key, String text) {
        Put put = store.put(key, bytes(text));
        for (int tries = 1; tries < TRIES && put == Put.CONFLICT; tries++) {
            put = store.put(key, bytes(text));
        }
        return put;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private boolean isThere(String key, String text) {
        return read(key).filter(text::equals).isPresent();
    }

    private Optional<String> read(String key) {
        return store.read(key, LIMIT)
                .map(stored -> new String(stored.content(), StandardCharsets.UTF_8));
    }

    private record Tried(String text, boolean created, Optional<String> there) {}

    private Optional<String> race(String key) {
        List<Callable<Tried>> writers = IntStream.range(0, WRITERS)
                .mapToObj(number -> "writer " + number)
                .<Callable<Tried>>map(
                        text -> () -> new Tried(text, put(key, text) == Put.CREATED, read(key)))
                .toList();
        List<Tried> tried = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
            for (Future<Tried> writer : threads.invokeAll(writers)) {
                tried.add(writer.get());
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StoreException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("the check was interrupted");
        }
        List<String> created =
                tried.stream().filter(Tried::created).map(Tried::text).toList();
        if (created.size() != 1) {
            return Optional.of("of %d writers that created one object at once, %d succeeded"
                    .formatted(WRITERS, created.size()));
        }
        boolean agreed = tried.stream()
                .allMatch(one -> one.there().filter(created.getFirst()::equals).isPresent());
        return agreed
                ? Optional.empty()
                : Optional.of("of those who created one object at once, some read another one");
    }

    /** Whether it is a folder on the root file system, as one whose own file system is not mounted. */
    public boolean isOnRoot() {
        return mount().filter(it -> it.point().equals("/")).isPresent();
    }

    /** The mount of a folder whose new files other machines may not see at once. */
    private Optional<String> lateMount() {
        return mount().filter(it -> NFS.contains(it.type())
                        && List.of(it.options().split(",")).stream()
                                .noneMatch(FRESH_LOOKUPS::contains))
                .map(Mounted::point);
    }

    private Optional<Mounted> mount() {
        if (store.location().kind() != StoreUrl.Kind.FOLDER) {
            return Optional.empty();
        }
        Path folder = store.location().folder();
        Path real = folder;
        while (real != null && files.realPath(real).isEmpty()) {
            real = real.getParent();
        }
        Path place = real == null ? folder : files.realPath(real).orElse(folder);
        Mounted nearest = new Mounted("", "", "");
        for (String line : lines()) {
            Mounted mount = mounted(line);
            // of two at one place the later one is used
            if (place.startsWith(mount.point())
                    && mount.point().length() >= nearest.point().length()) {
                nearest = mount;
            }
        }
        return Optional.of(nearest);
    }

    private List<String> lines() {
        return files.readBytes(MOUNTS)
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8).lines().toList())
                .orElse(List.of());
    }

    private record Mounted(String point, String type, String options) {}

    /** {@code 36 35 0:40 / /mnt rw,relatime shared:1 - nfs4 server:/export rw,lookupcache=pos} */
    private static Mounted mounted(String line) {
        String[] halves = line.split(" - ", 2);
        String[] first = halves[0].split(" ");
        String[] second = halves.length < 2 ? new String[0] : halves[1].split(" ");
        return first.length <= MOUNT_POINT || second.length == 0
                ? new Mounted("/", "", "")
                : new Mounted(first[MOUNT_POINT], second[0], second[second.length - 1]);
    }
}
